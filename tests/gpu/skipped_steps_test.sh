#!/usr/bin/env bash
# A gradient on a GPU that is not finite, under a finite loss: the step makes no update, launched as a whole or node by
# node, on one rank and on two; the memory of each GPU is told.
#   skipped_steps_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1
DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
source "$SOURCE/tests/regression/lib.sh"

# In batches of 16, the third has a row of zeros: its norm is 0, and the gradient of that no number.
for i in $(seq 0 63); do
  row=0.$((i % 7 + 1)),0.$((i % 5)),-0.$((i % 3)) && [ "$i" = 46 ] && row=0,0,0
  echo "$row"
done > data.csv
awk 'NR < 33 || NR > 48' data.csv > good.csv
cat > data.yaml <<'END'
dfrun: 1
name: data
params: {on_nan: skip, replicas: 1, optimizer: adam, steps: 12}
inputs:
  batch: {csv: data.csv, tensors: {x: "0:3"}, batch: 16}
graph:
  w: {op: Variable, shape: [3, 400], init: "RandomUniform(minval=-1, maxval=1)", device: "/device:gpu:0"}
  v: {op: Variable, shape: [3], init: zeros, device: "/device:gpu:0"}
  x: {op: Identity, inputs: [batch/x], device: "/device:gpu:0"}
  h: {op: MatMul, inputs: [x, w], device: "/device:gpu:0"}
  square: {op: Square, inputs: [h], device: "/device:gpu:0"}
  sum: {op: Sum, inputs: [square], axis: 1, device: "/device:gpu:0"}
  root: {op: Sqrt, inputs: [sum], device: "/device:gpu:0"}
  error: {op: Sub, inputs: [x, v], device: "/device:gpu:0"}
  side: {op: Square, inputs: [error], device: "/device:gpu:0"}
  first: {op: Mean, inputs: [root], device: "/device:gpu:0"}
  second: {op: Mean, inputs: [side], device: "/device:gpu:0"}
  loss: {op: AddV2, inputs: [first, second], device: "/device:gpu:0"}
train: {loss: loss, optimizer: "${optimizer}", learning_rate: 0.01, steps: "${steps}", log_every: 7, replicas: "${replicas}", on_nan: "${on_nan}"}
checkpoint: {every: 2, keep: 10}
END
sed 's/data.csv/good.csv/' data.yaml > good.yaml

# same RUN OTHER: the newest checkpoints, but for positions.
same() {
  /usr/bin/python3 - "$1" "$2" <<'END'
import glob, sys
import h5py, numpy
def values(run):
    newest = max(glob.glob(run + '/checkpoints/step-*'), key=lambda name: int(name.rsplit('-', 1)[1]))
    found = {}
    def add(name, item):
        if isinstance(item, h5py.Dataset) and 'position' not in name: found[name] = item[()]
    for shard in glob.glob(newest + '/shard-*.h5'):
        h5py.File(shard).visititems(add)
    return found
one, other = map(values, sys.argv[1:])
assert one.keys() == other.keys() and len(one) >= 6, (one.keys(), other.keys())
for name, value in one.items():
    assert numpy.isfinite(value).all(), name
    assert value.tobytes() == other[name].tobytes(), (name, value, other[name])
END
}

for count in 1 2; do
  run="mpirun --oversubscribe -np $count"
  expect 0 "step 9/9" $run "$DFRUN" good.yaml --set steps=9 --set replicas=$count --output good$count
  for way in --explain-gpu $([ $count = 2 ] || echo --no-gpu-graphs); do
    expect 0 "that is not finite (first it was the gradient of variable 'w')" \
      $run "$DFRUN" data.yaml --set replicas=$count --output skip$count$way $way
    [ $way = --no-gpu-graphs ] || grep -qE ': recorded: ' out || { cat out >&2; fail "nothing was recorded"; }
    same skip$count$way good$count || fail "$count ranks, $way: a skipped step left a trace"
  done
  expect 71 "step 3: the gradient of variable 'w' is not finite at a loss of " \
    $run "$DFRUN" data.yaml --set replicas=$count --set on_nan=stop --output stop$count
  grep -qF "; first, node 'gradients/" out || grep -qE "; first, node 'replica_[01]/gradients/" out || fail "no node is named"
done
grep -qE '"device": "/job:worker/task:1/device:gpu:0", "in_use_bytes": [1-9][0-9]*, "peak_bytes": [1-9]' skip2--explain-gpu/run.json ||
  { cat skip2--explain-gpu/run.json >&2; fail "the memory of the second GPU is not told"; }
grep -q '"memory/job:worker/task:0/device:gpu:0": [1-9]' skip1--explain-gpu/metrics.jsonl || fail "nothing in metrics.jsonl"
echo "passed"
