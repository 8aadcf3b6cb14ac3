#!/usr/bin/env bash
# Gradients that are not finite under a finite loss: a step with one makes no update, whatever the optimizer, the ranks
# and the way in which replicas train together; a job that only skips ends.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# In batches of 16, the third has one x that is 0: the root of its square is 0, and the gradient of that no number.
for i in $(seq 0 63); do
  x=0.$((i % 7 + 1)) && [ "$i" = 46 ] && x=0
  echo "$x,0.$((i % 5)),$((i % 3))"
done > data.csv
awk 'NR < 33 || NR > 48' data.csv > good.csv
# The gradient of `v` is finite in every step, and so are those of two rows of the table.
cat > data.yaml <<'END'
dfrun: 1
name: data
params: {on_nan: skip, replicas: 1, optimizer: sgd, steps: 12, log_every: 7, dtype: float32}
inputs:
  batch: {csv: data.csv, tensors: {x: 0, y: 1, row: {from: 2, dtype: int32}}, batch: 16}
graph:
  w: {op: Variable, shape: [], init: ones, dtype: "${dtype}"}
  v: {op: Variable, shape: [3], init: zeros, dtype: "${dtype}"}
  table: {op: Variable, shape: [3, 2], init: ones, dtype: "${dtype}"}
  seen: {op: Variable, shape: [], init: zeros, trainable: false, reduce: mean}
  keep: AssignSub(seen, (seen - Mean(batch/x)) * 0.1)
  x: {op: Cast, inputs: [batch/x], DstT: "${dtype}", control: [^keep]}
  y: {op: Cast, inputs: [batch/y], DstT: "${dtype}"}
  rows: GatherV2(table, batch/row, 0)
  root: Sqrt(Square(x * w))
  side: Sqrt(Sum(Square(ExpandDims(x, 1) * rows), 1))
  loss: Mean(root) + Mean(side) + Mean(Square(ExpandDims(y, 1) - v))
train:
  loss: loss
  optimizer: "${optimizer}"
  learning_rate: 0.01
  steps: "${steps}"
  log_every: "${log_every}"
  replicas: "${replicas}"
  on_nan: "${on_nan}"
checkpoint: {every: 2, keep: 10}
END

# values RUN: what the newest checkpoint holds, by name, but for positions.
values() {
  /usr/bin/python3 - "$1" <<'END'
import glob, sys
import h5py, numpy
names = sorted(glob.glob(sys.argv[1] + '/checkpoints/step-*'), key=lambda name: int(name.rsplit('-', 1)[1]))
found = {}
def add(name, item):
    if isinstance(item, h5py.Dataset) and 'position' not in name:
        if item.dtype.kind == 'f': assert numpy.isfinite(item[()]).all(), name
        found[name] = item[()].tobytes().hex()
for shard in glob.glob(names[-1] + '/shard-*.h5'):
    h5py.File(shard).visititems(add)
for name in sorted(found): print(name, found[name])
END
}

# variant NAME SED: a spec with lines changed, and the same that never sees the bad batch.
variant() {
  sed "$2" data.yaml > "$1.yaml"
  sed 's/data.csv/good.csv/' "$1.yaml" > "$1-good.yaml"
}
# check NAME RANKS OPTION...: the steps that are left out leave no trace but that their batch is used up.
check() {
  local name=$1 count=$2
  shift 2
  [ -e "$name.good" ] || {
    expect 0 "step 9/9" mpirun --oversubscribe -np "$count" "$DFRUN" "$name-good.yaml" "$@" --set steps=9 --output "$name-good"
    values "$name-good" > "$name.good"
  }
  expect 0 "up to step 7, 2 steps had a loss, or a gradient, that is not finite (first it was the gradient of variable" \
    mpirun --oversubscribe -np "$count" "$DFRUN" "$name.yaml" "$@" --output "$name-$count"
  values "$name-$count" | cmp - "$name.good" || fail "$name on $count ranks: a skipped step left a trace"
}

variant sgd ''
variant momentum 's/^  learning_rate.*/&\n  momentum: 0.5/'
variant adam ''
variant copies 's/^  learning_rate.*/&\n  data_parallel: allreduce\n  bucket_bytes: 16/'
variant clipped 's/^  learning_rate.*/&\n  clip_norm: 1/'
variant servers 's/^name.*/&\ncluster: {jobs: {ps: 2, worker: rest}}/'
check sgd 1
check sgd 2
check momentum 1 --set optimizer=momentum
check adam 2 --set optimizer=adam --set replicas=4
check adam 4 --set optimizer=adam --set replicas=4
check copies 2 --set optimizer=adam --set replicas=4
check copies 4 --set optimizer=adam --set replicas=4
check servers 4 --set optimizer=adam --set replicas=2
for dtype in float16 bfloat16 float64; do
  variant $dtype 's/^  learning_rate.*/&\n  momentum: 0.5/'
  check $dtype 1 --set optimizer=momentum --set dtype=$dtype
done
# The norm of clipped gradients is looked at in their stead.
expect 0 "(first it was the norm of the gradients)" "$DFRUN" clipped.yaml --output clipped
values clipped > clipped.values

# Stopped at the first, also where that is the last step, and in one that is logged as in one that is not; the newest
# checkpoint is of before.
for count in 1 2; do
  for log in 1 7; do
    run=stop$count-$log
    expect 71 "is not finite at a loss of " mpirun --oversubscribe -np $count \
      "$DFRUN" data.yaml --set on_nan=stop --set steps=3 --set log_every=$log --output $run
    grep -qF "step 3: the gradient of variable '" out && grep -qF "; first, node 'gradients/" out ||
      fail "$run: neither the variable nor a node is named"
    [ ! -e $run/checkpoints/step-3 ] || fail "a damaged step was saved"
    values $run > /dev/null
  done
done
expect 71 "step 3: the gradient of variable '" \
  mpirun --oversubscribe -np 2 "$DFRUN" copies.yaml --set on_nan=stop --set replicas=2 --output copies-stop

# With `warn` the updates are made.
expect 0 "the updates were made all the same" "$DFRUN" data.yaml --set on_nan=warn --output warn
grep -qF "is not saved: variable" out || fail "a variable that is not finite was saved"

# A job that only skips ends, after as many steps as it says, or all; what is logged and how many ranks there are is all
# one.
sed 's/^[^,]*/0/' data.csv > none.csv
(head -n 16 data.csv && tail -n +17 data.csv | sed 's/^[^,]*/0/' && tail -n 32 data.csv | sed 's/^[^,]*/0/') > late.csv
sed 's/data.csv/none.csv/' data.yaml > none.yaml
sed -e 's/data.csv/late.csv/' -e 's/on_nan: "${on_nan}"/on_nan: {skip: "${on_nan}"}/' data.yaml > late.yaml
expect 71 "the last 50 steps, up to step 50, made no update" \
  "$DFRUN" none.yaml --set steps=200 --set log_every=1000 --output none
grep -qF "the variables are those of step 0. In the next step the gradient of variable '" out ||
  fail "no variable is named"
grep -qF "; first, node 'gradients/" out || fail "no node is named"
expect 71 "the last 12 steps, up to step 12" "$DFRUN" none.yaml --output short
for count in 1 2; do
  for log in 1 100; do
    run=late$count-$log
    expect 71 "the last 5 steps, up to step 6" mpirun --oversubscribe -np $count \
      "$DFRUN" late.yaml --set on_nan=5 --set log_every=$log --output $run
    grep -qF '"state": {"skipped": {"steps": "3"}}' $run/checkpoints/step-4/manifest.json || fail "the count is not in the checkpoint"
  done
done
# A resumed job goes on with the count, and one that may skip more goes on to its end.
expect 71 "the last 5 steps, up to step 6" "$DFRUN" late.yaml --set on_nan=5 --output late1-1 --resume
expect 71 "the last 3 steps, up to step 5" "$DFRUN" late.yaml --set on_nan=3 --output late1-1 --resume
expect 0 "step 12/12" "$DFRUN" late.yaml --set on_nan=6 --output late1-1 --resume
expect 65 "'skip' must be" "$DFRUN" check late.yaml --set on_nan=0
sed 's/on_nan: {skip.*/on_nan: {stop: 3}/' late.yaml > wrong.yaml
expect 65 "unknown key 'stop' of 'on_nan'" "$DFRUN" check wrong.yaml
echo "passed"
