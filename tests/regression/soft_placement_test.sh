#!/usr/bin/env bash
# `soft_placement`: devices that there are not are as if the spec did not name them, of variables, with what is beside
# them, as of other nodes. Two of its ranks and one compute what they compute without the names.
#   soft_placement_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > train.yaml << 'END'
dfrun: 1
include: [lib/nn.yaml]
params: {far: /device:gpu:7, farther: /job:ps, none: /job:worker/task:99}
cluster: {soft_placement: true}
graph:
  x: RandomUniform(shape=[8, 3])
  h: {op: dense, inputs: [x], units: 4, activation: Relu, device: "${far}"}
  W: {op: Variable, shape: [4, 2], init: ones, device: "${farther}"}
  b: {op: Variable, shape: [2], init: zeros, device: "${none}"}
  n: {op: Variable, shape: [], init: 0.0, trainable: false, device: "${far}"}
  count: {op: AssignAdd, inputs: [n, 1.0], device: "${farther}"}
  y: {op: MatMul, inputs: [h, W], colocate_with: n}
  text: {op: Variable, shape: [1], dtype: string, init: "Const([''a''])", device: "${far}"}
  z: {op: AddV2, inputs: [y, b], colocate_with: text}
  loss: {op: Mean, inputs: [Square(z)], control: [^count]}
train: {loss: loss, learning_rate: 0.1, optimizer: adam, steps: 4, log_every: 1}
checkpoint: {every: 2}
END
sed -i "s/''a''/'a'/" train.yaml
sed 's/, device: "[^"]*"//; /soft_placement/d' train.yaml > plain.yaml
losses() { sed 's/"[a-z_]*_s": [-0-9.e+]*,* *//g; s/"memory[^,}]*, *//g; s/"waiting[^,}]*, *//g' "$1/metrics.jsonl"; }
timeout 60 "$DFRUN" plain.yaml --output plain > log 2>&1 || { cat log; fail "without devices"; }
timeout 60 "$DFRUN" train.yaml --output one > log 2>&1 || { cat log; fail "one rank"; }
ranks 2 "$DFRUN" train.yaml --output two > log 2>&1 || { cat log; fail "two ranks"; }
[ -s plain/metrics.jsonl ] || fail "no metrics"
for run in one two; do
  diff <(losses plain) <(losses $run) || fail "$run rank(s) compute something else"
done
# A checkpoint of one is that of the other.
timeout 60 "$DFRUN" train.yaml --output one --resume=2 > log 2>&1 || { cat log; fail "resuming"; }
diff <(losses plain) <(losses one) || fail "what is resumed computes something else"

# Without the wish each is an error that names the device.
sed '/soft_placement/d' train.yaml > hard.yaml
expect 65 "the cluster has no job 'ps'" "$DFRUN" check hard.yaml
sed -i 's/farther: [^,]*,/farther: "", /; s/none: [^}]*}/none: ""}/' hard.yaml
expect 65 "no device fits '/device:gpu:7'" "$DFRUN" hard.yaml --output hard
echo "soft placement moves variables as it moves other nodes"
