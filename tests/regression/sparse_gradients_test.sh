#!/bin/bash
# Sparse gradients of a table stay sparse under every optimiser, and give what TensorFlow 2.21's tf.compat.v1 optimisers
# give of the same model (equal rows of the indices included): values of its AdamOptimizer and others after three steps.
# Bits do not depend on where the table is; rows travel to it and from it, not the table.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

spec() {  # OPTIMIZER_KEYS CLUSTER
  cat <<END
dfrun: 1
$2
graph:
  table:  {op: Variable, shape: [4, 2], init: ones}
  w:      {op: Variable, shape: [2], init: ones}
  scale:  {op: Const, dtype: float32, value: [[0.5, 1], [1.5, -1], [2, 0.25], [-0.75, 3], [1, 1], [0.125, -2]]}
  ids:    {op: Const, dtype: int32, value: [0, 2, 2, 3, 0, 2]}
  e:      GatherV2(table, ids, 0)
  loss:   Mean(Square(e * scale * w - 0.5))
train: {loss: loss, learning_rate: 0.1, steps: 3, $1}
checkpoint: {every: 3}
END
}

# near "WANTED" < FILE: the numbers in the file, of six digits, are those wanted.
near() {
  grep -oE -- '-?[0-9]+\.?[0-9]*(e-?[0-9]+)?' | awk -v wanted="$1" '
    BEGIN { n = split(wanted, w, " ") }
    { d = $1 - w[++i]; if (d > 6e-7 || d < -6e-7) { print "element " i " is " $1 ", not " w[i]; bad = 1 } }
    END { if (i != n) { print i " numbers, not " n; bad = 1 }; exit bad }'
}

# check NAME KEYS TABLE W: trained on one rank, and with the table on a parameter server.
check() {
  local where
  spec "$2" "" > one.yaml
  spec "$2" "cluster: {jobs: {ps: 1, worker: rest}}" > two.yaml
  rm -rf one two
  "$DFRUN" one.yaml --output one > log 2>&1 || { cat log >&2; fail "$1 on one rank"; }
  ranks 2 "$DFRUN" two.yaml --output two > log 2>&1 || { cat log >&2; fail "$1 on two ranks"; }
  for where in one two; do
    for name in table w; do
      "$DFRUN" eval one.yaml --restore $where/checkpoints/step-3 --fetch $name > $where.$name 2>&1 ||
        { cat $where.$name >&2; fail "$1: $name of $where"; }
      "$DFRUN" eval one.yaml --restore $where/checkpoints/step-3 --fetch "$name" --out $where.$name.h5 > log 2>&1 ||
        fail "$1: $name of $where into a file"
    done
  done
  sed 's/^[^[]*\[[0-9,]*\]//' one.table > values
  near "$3" < values || { cat one.table >&2; fail "$1: the table"; }
  sed 's/^[^[]*\[[0-9,]*\]//' one.w > values
  near "$4" < values || { cat one.w >&2; fail "$1: w"; }
  h5diff one.table.h5 two.table.h5 && h5diff one.w.h5 two.w.h5 || fail "$1: another table on two ranks"
}

check sgd "optimizer: sgd" \
  "0.9823881983757019 0.9754546880722046 1 1 0.8367307186126709 0.7931075096130371 0.9598018527030945 0.7895022630691528" \
  "0.7710429430007935 0.5093607902526855"
check momentum "optimizer: momentum" \
  "0.9649909734725952 0.9451588988304138 1 1 0.6773840188980103 0.5778632760047913 0.9231423139572144 0.5502279996871948" \
  "0.5540078282356262 0.011961787939071655"
check nesterov "optimizer: momentum, nesterov: true" \
  "0.9618086814880371 0.9459863305091858 1 1 0.6288027763366699 0.5360844135284424 0.9020336270332336 0.5224259495735168" \
  "0.46912798285484314 -0.06814238429069519"
check adam "optimizer: adam" \
  "0.7308775186538696 0.7206369042396545 1 1 0.711746096611023 0.7057604193687439 0.7044596076011658 0.7094420194625854" \
  "0.711306631565094 0.7081974148750305"
check "sgd with a clipped norm" "optimizer: sgd, clip_norm: 0.5" \
  "0.9960613250732422 0.9926425218582153 1 1 0.9647647142410278 0.9505552053451538 0.9923664927482605 0.9439498782157898" \
  "0.9528913497924805 0.8845873475074768"
check "momentum with a clipped norm" "optimizer: momentum, clip_norm: 0.5" \
  "0.9926533102989197 0.9861570000648499 1 1 0.9343057870864868 0.9074755907058716 0.9858159422874451 0.8947306871414185" \
  "0.9122837781906128 0.7842426300048828"
check "adam with a clipped norm" "optimizer: adam, clip_norm: 0.5" \
  "0.7195330858230591 0.7077216506004333 1 1 0.701289713382721 0.6995278596878052 0.6995354890823364 0.7003127336502075" \
  "0.701079249382019 0.6999330520629883"

# What is sent in a step of a table of 100 MB: no message of a megabyte, in the trace of either rank.
cat > large.yaml <<'END'
dfrun: 1
cluster: {jobs: {ps: 1, worker: rest}}
graph:
  table: {op: Variable, shape: [400000, 64], init: zeros}
  ids:   "Cast(RandomUniform(shape=[64], maxval=400000), DstT=int32)"
  e:     GatherV2(table, ids, 0)
  loss:  Mean(Square(e - 1))
train: {loss: loss, optimizer: momentum, learning_rate: 1, steps: 3}
END
ranks 2 "$DFRUN" large.yaml --output large --trace 3 > log 2>&1 || { cat log >&2; fail "a large table"; }
traces=$(find . -name 'rank-*.json')
[ -n "$traces" ] || fail "no traces"
most=$(cat $traces | grep -oE '"bytes": ?[0-9]+' | grep -oE '[0-9]+' | sort -n | tail -1)
[ -n "$most" ] && [ "$most" -lt 1000000 ] || fail "a message of ${most:-no} bytes"
