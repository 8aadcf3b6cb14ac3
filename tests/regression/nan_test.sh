#!/usr/bin/env bash
# A loss, a gradient or a variable that is not finite: what a job stops at, skips, warns of, and names.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# 64 samples of which number 46, in the third batch of 16, has no number: of 4 replicas it is the last one's.
for i in $(seq 0 63); do
  x=0.$((i % 7)) && [ "$i" = 46 ] && x=nan
  echo "$x,0.$((i % 5))"
done > data.csv
cat > data.yaml <<'END'
dfrun: 1
name: data
params: {on_nan: stop, replicas: 4, noise: 0}
inputs:
  batch: {csv: data.csv, tensors: {x: 0, y: 1}, batch: 16}
graph:
  w: {op: Variable, shape: [], init: ones}
  b: {op: Variable, shape: [], init: zeros}
  seen: {op: Variable, shape: [], init: zeros, trainable: false, reduce: mean}
  keep: AssignSub(seen, (seen - Mean(batch/x)) * 0.1)
  error: {op: Sub, inputs: [batch/x * w + b, batch/y], control: [^keep]}
  loss: Mean(Square(error))
train: {loss: loss, optimizer: adam, learning_rate: 0.01, steps: 12, log_every: 7, replicas: "${replicas}", on_nan: "${on_nan}"}
checkpoint: {every: 2, keep: 10}
END

# finite RUN STEP: the newest checkpoint is of this step, and none in RUN has a value that is not finite.
finite() {
  /usr/bin/python3 - "$1" "$2" <<'END'
import glob, sys
import h5py, numpy
run, step = sys.argv[1:]
names = sorted(glob.glob(run + '/checkpoints/step-*'), key=lambda name: int(name.rsplit('-', 1)[1]))
assert names[-1].endswith('step-' + step), names
def check(name, item):
    if isinstance(item, h5py.Dataset):
        assert numpy.isfinite(item[()]).all(), (name, item[()])
for shard in glob.glob(run + '/checkpoints/step-*/shard-*.h5'):
    h5py.File(shard).visititems(check)
END
}
# values RUN: what the newest checkpoint holds, by name.
values() {
  /usr/bin/python3 - "$1" <<'END'
import glob, sys
import h5py
names = sorted(glob.glob(sys.argv[1] + '/checkpoints/step-*'), key=lambda name: int(name.rsplit('-', 1)[1]))
found = {}
def add(name, item):
    if isinstance(item, h5py.Dataset): found[name] = item[()].tobytes().hex()
for shard in glob.glob(names[-1] + '/shard-*.h5'):
    h5py.File(shard).visititems(add)
for name in sorted(found): print(name, found[name])
END
}

for n in 1 2; do
  # Stopped at the first, of a stretch that is not logged; the node, its rank and the input are named.
  expect 71 "step 3: the loss is nan" mpirun --oversubscribe -np $n "$DFRUN" data.yaml --output stop$n
  grep -qF "the data of input 'batch' hold it: node 'replica_3/batch/read'" out || fail "no node is named"
  grep -qF "data.yaml:5:3: " out || fail "no place is named"
  grep -qF "on rank $((n - 1)) (host " out || fail "no rank is named"
  finite stop$n 2

  # Left out: as many steps, each counted, and nothing of theirs in a variable.
  expect 0 "up to step 7, 2 steps had" mpirun --oversubscribe -np $n "$DFRUN" data.yaml --set on_nan=skip --output skip$n
  finite skip$n 12
  grep -qF '"step": 7, ' skip$n/metrics.jsonl && grep -q '"loss": "NaN", "not_finite_steps": 2[,}]' skip$n/metrics.jsonl ||
    fail "skipped steps are not in the metrics"
  grep -q '"not_finite_steps": 1[,}]' skip$n/metrics.jsonl || fail "the last skipped step is not in the metrics"

  # Made all the same, with a word; no checkpoint has what came of it.
  expect 0 "up to step 7, 5 steps had" mpirun --oversubscribe -np $n "$DFRUN" data.yaml --set on_nan=warn --output warn$n
  grep -qE "warning: step 4 is not saved: variable .(b|w|seen)' on" out ||
    fail "nothing is said of the checkpoint"
  finite warn$n 2
done
[ "$(values skip1)" = "$(values skip2)" ] || fail "what is skipped depends on the ranks"

# What is skipped leaves no trace but that its batch is used up: the steps with the other batches alone end in the same
# bits, where the batch is the whole of what a step reads.
awk 'NR < 33 || NR > 48' data.csv > good.csv
sed 's/data.csv/good.csv/; s/steps: 12/steps: 9/' data.yaml > good.yaml
expect 0 "step 9/9" "$DFRUN" good.yaml --output good
[ "$(values skip1 | grep -v position)" = "$(values good | grep -v position)" ] || fail "a skipped step left a trace"

# spec NAME: a training spec of the graph and the rest on standard input, by 's lines.
spec() { (printf 'dfrun: 1\nname: %s\n' "$1"; cat) > "$1.yaml"; }

# A random number is the same when the step is run again.
spec random <<'END'
graph:
  w: {op: Variable, shape: [], init: ones}
  noise: RandomUniform(shape=[4], dtype=float32)
  loss: Sum(w * Log(noise - 0.05))
train: {loss: loss, learning_rate: 0.0001, steps: 400, log_every: 1000}
END
expect 71 "first, node 'loss/Log' (op Log)" "$DFRUN" random.yaml --output random

# The norm of the gradients is looked at where it is computed, else they themselves.
spec norm <<'END'
params: {clip: "clip_norm: 1,"}
graph:
  w: {op: Variable, shape: [2], init: zeros}
  loss: Sum(Sqrt(w))
train: {loss: loss, learning_rate: 0.1, steps: 5, clip_norm: 1, log_every: 3}
END
expect 71 "step 1: the norm of the gradients is inf at a loss of 0; first, node 'gradients/" "$DFRUN" norm.yaml --output norm
sed 's/clip_norm: 1, //' norm.yaml > gradient.yaml
expect 71 "step 1: the gradient of variable 'w' is not finite at a loss of 0; first, node 'gradients/" \
  "$DFRUN" gradient.yaml --output gradient

# The weights that an update of finite gradients makes infinite are found when they are saved, or by the next loss.
spec later <<'END'
graph:
  w: {op: Variable, shape: [2], init: zeros}
  loss: Sum(w * 1e20)
train: {loss: loss, learning_rate: 1e30, steps: 5, log_every: 3}
END
expect 71 "step 2: the loss is -inf" "$DFRUN" later.yaml --output later
grep -qF "reads the variable 'w', which held -inf at [0]" out || fail "the variable is not named"
echo 'checkpoint: {every: 1}' >> later.yaml
expect 71 "step 1 is not saved: variable 'w'" "$DFRUN" later.yaml --output later2
[ ! -e later2/checkpoints/step-1 ] || fail "infinite weights were saved"

# A variable that the loss does not see, and slots of an optimiser, are looked at when they are saved.
spec unseen <<'END'
graph:
  w: {op: Variable, shape: [2], init: ones}
  v: {op: Variable, shape: [2, 3], init: "Fill([2, 3], RealDiv(1.0, 0.0))", trainable: false}
  loss: Sum(w * w)
train: {loss: loss, learning_rate: 0.1, steps: 4}
checkpoint: {every: 2}
END
expect 71 "step 2 is not saved: variable 'v'" "$DFRUN" unseen.yaml --output unseen
sed -i 's/trainable: false/trainable: false, finite: false/' unseen.yaml
expect 0 "step 4/4" "$DFRUN" unseen.yaml --output seen
[ -e seen/checkpoints/step-4 ] || fail "a variable that may be infinite was not saved"
spec slot <<'END'
graph:
  w: {op: Variable, shape: [2], init: ones}
  loss: Sum(w * 1e25)
train: {loss: loss, optimizer: adam, learning_rate: 0.1, steps: 4}
checkpoint: {every: 1}
END
expect 71 "variable 'w/Adam_1'" "$DFRUN" slot.yaml --output slot

# Losses of the other floating-point types; the largest float16 is 65504.
for dtype in float16 bfloat16 float64; do
  spec $dtype <<END
graph:
  w: {op: Variable, shape: [2], init: ones, dtype: $dtype}
  loss: Sum(Exp(w * w))
train: {loss: loss, learning_rate: 10, steps: 30, log_every: 40, replicas: 2}
END
  expect 71 "step 2: the loss is inf; first, node 'replica_0/loss/Exp'" "$DFRUN" $dtype.yaml --output $dtype
done

# A metric of the evaluation is reported, whatever it is.
spec metric <<'END'
graph:
  w: {op: Variable, shape: [2], init: ones}
  loss: Sum(w * w)
  m: Log(Neg(loss))
train: {loss: loss, learning_rate: 0.1, steps: 4}
eval: {every: 2, metrics: [m]}
END
expect 0 "eval/m nan" "$DFRUN" metric.yaml --output metric

# A rank that a spec gives nothing to do, and parameters on a task of their own.
sed 's/^params.*/&\ncluster: {jobs: {ps: 1, worker: rest}}/' data.yaml > ps.yaml
expect 71 "step 3: the loss is nan" mpirun --oversubscribe -np 3 "$DFRUN" ps.yaml --output ps
echo "passed"
