#!/usr/bin/env bash
# Ranks without replicas: variables are not put on them, since that makes steps slower; `check` and the run say which do
# little, with what to write. Bits do not depend on it.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > job.yaml <<'END'
dfrun: 1
name: job
params: {replicas: 1, batch: 8}
inputs:
  batch: {csv: data.csv, tensors: {x: "0:4"}, batch: "${batch}"}
graph:
  a: {op: Variable, shape: [4, 16], init: "RandomUniform(minval=-1, maxval=1)"}
  b: {op: Variable, shape: [16, 16], init: "RandomUniform(minval=-1, maxval=1)"}
  c: {op: Variable, shape: [16], init: zeros}
  loss: Mean(Square(MatMul(MatMul(batch/x, a), b) + c - 1))
train: {loss: loss, optimizer: adam, learning_rate: 0.01, steps: 8, log_every: 1, replicas: "${replicas}"}
checkpoint: {every: 8}
END
for i in $(seq 0 31); do echo "0.$i,1.$((i % 5)),0.$((i % 3)),2"; done > data.csv
sed 's/steps: 8,/steps: 8, parameters: spread,/' job.yaml > spread.yaml
sed 's/^name.*/&\ncluster: {jobs: {ps: 1, worker: rest}}/' job.yaml > servers.yaml
sed 's/init: zeros}/init: zeros, device: "\/job:worker\/task:1"}/' job.yaml > named.yaml

# run NAME RANKS SPEC OPTION...
run() {
  local name=$1 count=$2 spec=$3
  shift 3
  ranks "$count" "$DFRUN" "$spec" "$@" --output "$name" > "$name.log" 2>&1 || { cat "$name.log" >&2; fail "$name"; }
}
# said TEXT NAME: the run said it once; and `check` of as many ranks.
said() {
  [ "$(grep -cF "warning: $1" "$2.log")" = 1 ] || { cat "$2.log" >&2; fail "$2: no warning of $1"; }
}
quiet() {
  if grep -qE "(replica.* on|of) [0-9]+ ranks" "$1"; then cat "$1" >&2; fail "$1: a warning"; fi
}
# same NAME OTHER
same() {
  h5diff --follow-symlinks "$1/checkpoints/step-8/index.h5" "$2/checkpoints/step-8/index.h5" || fail "$2 differs from $1"
}

run one 1 job.yaml
quiet one.log
run four 4 job.yaml
alone='1 replica on 4 ranks: 3 have nothing to compute (rank 1, 2, 3): set `replicas: 4` of `train`, or start 1 rank'
said "$alone" four
expect 0 "warning: $alone" "$DFRUN" check job.yaml --ranks 4
grep -qF ' in 1 partition on 4 ranks' out || fail "variables are on ranks without replicas"
same one four
expect 0 "" "$DFRUN" check job.yaml
quiet out

run spread 4 spread.yaml
holders='1 replica on 4 ranks: 2 only hold variables (rank 1, 2), 1 has nothing to compute (rank 3): set `replicas: 4`'
said "$holders" spread
expect 0 "warning: $holders" "$DFRUN" check spread.yaml --ranks 4
same one spread

# As many replicas as the batch can be cut into; none are more than there are.
expect 0 "2 replicas on 3 ranks: 1 has nothing to compute (rank 2): start 2 ranks" \
  "$DFRUN" check job.yaml --ranks 3 --set replicas=2
expect 0 "1 replica on 4 ranks: 3 have nothing to compute (rank 1, 2, 3): set \`replicas: 3\`" \
  "$DFRUN" check job.yaml --ranks 4 --set batch=9
expect 0 "ok" "$DFRUN" check job.yaml --ranks 4 --set replicas=4
quiet out

# Who names jobs or devices has chosen.
expect 0 "ok" "$DFRUN" check servers.yaml --ranks 2
quiet out
expect 0 "ok" "$DFRUN" check named.yaml --ranks 2
quiet out
run named 2 named.yaml
quiet named.log
same one named
echo "passed"
