#!/usr/bin/env bash
# Variables that a graph itself assigns, under several replicas: reduced in the order of the replicas, to the same bits
# in every run and on any number of ranks; refused where nothing says how.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# values RUN: what the newest checkpoint holds, by name, in all digits.
values() {
  /usr/bin/python3 - "$1" <<'END'
import glob, sys
import h5py
names = sorted(glob.glob(sys.argv[1] + '/checkpoints/step-*'), key=lambda name: int(name.rsplit('-', 1)[1]))
found = {}
def add(name, item):
    if isinstance(item, h5py.Dataset): found[name] = ' '.join(str(v) for v in item[()].ravel())
for shard in glob.glob(names[-1] + '/shard-*.h5'):
    h5py.File(shard).visititems(add)
for name in sorted(found): print(name, found[name])
END
}
# holds TEXT: the last output of values, in the file `held`, has this line.
holds() {
  values "$1" > held
  grep -qxF -- "$2" held || { cat held >&2; fail "'$2' is not in $1"; }
}

for i in $(seq 0 63); do echo "$((i % 16)),0.$(((i * 7) % 10))"; done > data.csv

# Batch normalisation: its averages, and all that they go into.
cat > norm.yaml <<END
dfrun: 1
name: norm
include: [$SOURCE/configs/lib/nn.yaml]
params: {replicas: 4}
inputs:
  batch: {csv: data.csv, tensors: {x: "0:2"}, batch: 16}
graph:
  hidden: dense(batch/x, units=7)
  normal: batch_norm(hidden, decay=0.9)
  loss: Mean(Square(dense(normal, units=1) - 0.5))
train: {loss: loss, optimizer: momentum, learning_rate: 0.1, steps: 12, log_every: 5, replicas: "\${replicas}"}
eval: {every: 6, feed: {normal/training: false}, metrics: [loss]}
checkpoint: {every: 12}
END
for n in 1 1 2 2 4 4; do
  expect 0 "step 12/12" mpirun --oversubscribe -np $n "$DFRUN" norm.yaml --output norm$n
  values norm$n > held$n
  [ ! -e first ] || cmp -s first held$n || fail "the bits on $n ranks differ"
  mv held$n first
  rm -rf norm$n
done
grep -q "^normal/moving_mean:0 " first || fail "no averages were saved"
expect 0 "step 12/12" "$DFRUN" norm.yaml --set replicas=1 --output norm
/usr/bin/python3 - norm <<'END'
import glob, sys
import h5py
for name in glob.glob(sys.argv[1] + '/checkpoints/step-12/shard-*.h5'):
    mean = h5py.File(name)['normal/moving_mean:0'][()]
    assert abs(mean).max() > 0.1, mean  # they have moved from 0
END

# Each form of assignment and each reduction, against what the replicas' slices 0..3, 4..7, 8..11 and 12..15 of the batch
# give: their sums are 6, 22, 38 and 54.
cat > forms.yaml <<'END'
dfrun: 1
name: forms
inputs:
  batch: {csv: data.csv, tensors: {x: 0}, batch: 16}
graph:
  w: {op: Variable, shape: [], init: ones}
  s: Sum(batch/x)
  n: {op: Variable, shape: [], init: 0, dtype: int64, reduce: sum, trainable: false}
  add: {op: Variable, shape: [], init: 100, reduce: sum, trainable: false}
  sub: {op: Variable, shape: [], init: 100, reduce: mean, trainable: false}
  set_mean: {op: Variable, shape: [], init: zeros, reduce: mean, trainable: false}
  set_sum: {op: Variable, shape: [], init: 1, reduce: sum, trainable: false}
  set_first: {op: Variable, shape: [], init: zeros, reduce: first, trainable: false}
  rows: {op: Variable, shape: [4], init: zeros, reduce: sum, trainable: false}
  last: {op: Variable, shape: [2], init: zeros, reduce: first, trainable: false}
  twice: {op: Variable, shape: [], init: zeros, reduce: mean, trainable: false}
  n_op: AssignAdd(n, Cast(4, DstT=int64))
  add_op: AssignAdd(add, s)
  sub_op: AssignSub(sub, s)
  set_mean_op: Assign(set_mean, s)
  set_sum_op: Assign(set_sum, s)
  set_first_op: Assign(set_first, s)
  rows_op: ScatterAdd(rows, Cast(Mean(batch/x) / 4.0, DstT=int32), s)
  last_op: ScatterUpdate(last, 1, s)
  twice_op: AssignAdd(Assign(twice, s), 1.0)
  seen: {op: Identity, inputs: [twice], control: [^twice_op]}
  loss: {op: Square, inputs: [w + seen * 0.0], control: [^n_op, ^add_op, ^sub_op, ^set_mean_op, ^set_sum_op, ^set_first_op, ^rows_op, ^last_op]}
train: {loss: loss, learning_rate: 0.1, steps: 1, replicas: 4}
checkpoint: {every: 1}
END
for n in 1 2; do
  expect 0 "step 1/1" mpirun --oversubscribe -np $n "$DFRUN" forms.yaml --output forms$n
  holds forms$n "n:0 16"
  holds forms$n "add:0 220.0"
  holds forms$n "sub:0 70.0"
  holds forms$n "set_mean:0 30.0"
  holds forms$n "set_sum:0 $((1 + 5 + 21 + 37 + 53)).0"
  holds forms$n "set_first:0 6.0"
  holds forms$n "rows:0 6.0 22.0 38.0 54.0"
  holds forms$n "last:0 0.0 6.0"
  holds forms$n "twice:0 31.0"
done

# Nothing says how: an error at the variable, before anything runs.
sed 's/, reduce: first//' forms.yaml > unsaid.yaml
expect 65 "unsaid.yaml:13:19: node 'set_first' (op VariableV2) is assigned by 'set_first_op'" "$DFRUN" check unsaid.yaml
grep -qF "write 'reduce: mean, sum or first'" out || fail "nothing is said of what to write"
expect 65 "unsaid.yaml:13:19:" "$DFRUN" unsaid.yaml --output unsaid
[ ! -e unsaid/checkpoints ] || fail "something ran"
# One replica may: the assignments are made as the graph has them.
sed 's/, reduce: [a-z]*//; s/replicas: 4/replicas: 1/' forms.yaml > one.yaml
expect 0 "step 1/1" "$DFRUN" one.yaml --output one
holds one "add:0 220.0"
holds one "twice:0 121.0"

# A variable that is trained as well: its update comes after what the replicas assigned.
cat > both.yaml <<'END'
dfrun: 1
name: both
graph:
  w: {op: Variable, shape: [], init: 4, reduce: mean}
  halve: Assign(w, w * 0.5)
  halved: {op: Identity, inputs: [w], control: [^halve]}
  loss: Square(halved)
train: {loss: loss, learning_rate: 0.25, steps: 1, replicas: 2}
checkpoint: {every: 1}
END
for n in 1 2; do
  expect 0 "step 1/1" mpirun --oversubscribe -np $n "$DFRUN" both.yaml --output both$n
  holds both$n "w:0 1.0"
done
# Variables behind handles.
cat > handle.yaml <<'END'
dfrun: 1
name: handle
graph:
  w: {op: Variable, shape: [], init: ones}
  h: {op: VarHandleOp, dtype: float32, shape: [], shared_name: common}
  set: {op: AssignVariableOp, inputs: [h, 3.0]}
  loss: {op: Square, inputs: [w], control: [^set]}
train: {loss: loss, learning_rate: 0.25, steps: 1, replicas: 2}
END
expect 65 "handle.yaml:5:11: node 'h' (op VarHandleOp) has a 'shared_name', by which the 2 replicas share it" "$DFRUN" check handle.yaml
echo "passed"
