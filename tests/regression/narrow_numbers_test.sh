#!/usr/bin/env bash
# What a training adds to a graph of 16 bits is computed in float32: means over replicas, sums of rows, norms. The
# values wanted are closed forms. Numbers of the optimizer that a variable's dtype cannot hold are refused, and beside
# variables of float64 the rate and the norm are float64.
#   narrow_numbers_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# values DIRECTORY NAME: those of a variable in the run's last checkpoint, of as many digits as float64 has.
values() {
  h5dump -m '%.17g' -A 0 -d "/$2:0" "$1"/checkpoints/*/index.h5 | sed -n 's/^ *([0-9,]*): //p' | tr -d , | xargs
}
# bits NUMBER: a bfloat16 as h5dump shows it.
bits() { /usr/bin/python3 -c 'import struct, sys; print(struct.unpack("<I", struct.pack("<f", float(sys.argv[1])))[0] >> 16)' "$1"; }
# has DIRECTORY NAME WANTED...: these values, in order.
has() {
  local seen wanted
  seen=$(values "$1" "$2") wanted=${*:3}
  [ "$seen" = "$wanted" ] || fail "$2 of $1 is $seen, not $wanted"
}
# trained RANKS SPEC OPTION...: into the folder `run`.
trained() {
  local launch=
  rm -rf run
  [ "$1" = 1 ] || launch="ranks $1"
  $launch "$DFRUN" "$2" --output run "${@:3}" > log 2>&1 || { cat log >&2; fail "$*"; }
}

# The norm of (300, 400) overflows float16, that of (2e-4, 1e-4) vanishes in it; as in float32, rounded to float16.
cat > clip.yaml <<'Y'
dfrun: 1
params: {a: 300.0, b: 400.0, clip: 1.0, lr: 1.0, dt: float16}
graph:
  W: {op: Variable, shape: [2], dtype: "${dt}", init: [1.0, 2.0]}
  loss: Cast(Sum(W * Cast([${a}, ${b}], DstT="${dt}")), DstT=float32)
train: {loss: loss, learning_rate: "${lr}", steps: 1, clip_norm: "${clip}"}
checkpoint: {every: 1}
Y
trained 1 clip.yaml
has run W 0.39990234375 1.2001953125
trained 1 clip.yaml --set a=2e-4 --set b=1e-4 --set clip=1e-4 --set lr=1024
has run W 0.908203125 1.9541015625

# Four gradients of 40000: their sum is beyond float16, and their mean is 40000. A step of 2^-15 subtracts 1.220703125,
# which float16 holds. In bfloat16 the sum of 256, 1, 1 and 1 would be 256, and the mean 64, not 64.75, which is 65.
cat > mean.yaml <<'Y'
dfrun: 1
params: {dt: float16, lr: 0.000030517578125, way: ps, one: false}
inputs:
  b: {csv: g.csv, tensors: {g: {from: 0}}, batch: 4}
graph:
  W: {op: Variable, shape: [1], dtype: "${dt}", init: ones}
  loss: Cast(Mean(W * Cast(b/g, DstT="${dt}")), DstT=float32)
train: {loss: loss, learning_rate: "${lr}", steps: 1, replicas: 4, data_parallel: "${way}", allreduce: "${one}"}
checkpoint: {every: 1}
Y
for way in "--set way=ps" "--set one=true" "--set way=allreduce"; do
  for np in 1 2; do
    printf '40000\n40000\n40000\n40000\n' > g.csv
    trained $np mean.yaml $way
    has run W -0.220703125
    printf '256\n1\n1\n1\n' > g.csv
    trained $np mean.yaml $way --set dt=bfloat16 --set lr=1
    has run W "$(bits -64)"
  done
done

# 600 rows of a gradient of 1 are one row of 600 under any optimizer: bfloat16 would stay at 256.
cat > rows.yaml <<'Y'
dfrun: 1
params: {optimizer: sgd}
graph:
  T: {op: Variable, shape: [2, 1], dtype: bfloat16, init: zeros}
  rows: GatherV2(T, Fill([600], 1), 0)
  loss: Sum(Cast(rows, DstT=float32))
train: {loss: loss, learning_rate: 1, steps: 1, optimizer: "${optimizer}"}
checkpoint: {every: 1}
Y
for optimizer in sgd momentum; do
  trained 1 rows.yaml --set optimizer=$optimizer
  has run T 0 "$(bits -600)"
done

# What the replicas assign to a variable is put together in float32, too.
cat > assigned.yaml <<'Y'
dfrun: 1
params: {reduce: mean}
inputs:
  b: {csv: g.csv, tensors: {g: {from: 0}}, batch: 4}
graph:
  W: {op: Variable, shape: [], init: ones}
  V: {op: Variable, shape: [1], dtype: float16, init: zeros, trainable: false, reduce: "${reduce}"}
  set: Assign(V, Cast(Mean(b/g, keepdims=true), DstT=float16))
  loss: {op: Identity, inputs: ["Square(W) + 0.0 * Cast(Sum(V), DstT=float32)"], control: [^set]}
train: {loss: loss, learning_rate: 0.1, steps: 1, replicas: 4}
checkpoint: {every: 1}
Y
printf '40000\n40000\n40000\n40000\n' > g.csv
trained 1 assigned.yaml
has run V 40000
printf '40000\n40000\n-40000\n-30000\n' > g.csv
trained 1 assigned.yaml --set reduce=sum
has run V 10000

# What the loss and summaries report is a mean in float32.
sed -E 's/loss: Cast\((.*), DstT=float32\)$/loss: \1/' mean.yaml > loss.yaml
printf '30000\n30000\n30000\n30000\n' > g.csv
trained 1 loss.yaml
grep -q '"loss": *30000' run/metrics.jsonl || { cat run/metrics.jsonl; fail "the loss of float16 is no 30000"; }

# Numbers of the optimizer that are another in a variable's dtype. A configured 0 is none.
cat > constants.yaml <<'Y'
dfrun: 1
params: {dt: bfloat16}
graph:
  W: {op: Variable, shape: [2], dtype: "${dt}", init: 1.0}
  loss: Cast(Sum(W), DstT=float32)
train: {loss: loss, steps: 1, KEYS}
Y
# constants KEYS: the spec that has these keys in `train`.
constants() { sed "s/KEYS/$1/" constants.yaml > these.yaml; }
# refused KEYS DTYPE TEXT
refused() {
  constants "$1"
  expect 65 "$3" "$DFRUN" check these.yaml --set "dt=$2"
  grep -qF ": write the variable as float32 and Cast(W, DstT=$2) where it is used, or choose another" out ||
    { cat out; fail "no way out: $1"; }
  expect 0 "ok" "$DFRUN" check these.yaml --set dt=float32
}
refused "learning_rate: 0.1, optimizer: adam" bfloat16 \
  "'beta2' of 'train' is 0.999, which bfloat16, in which the variable 'W' is trained, rounds to 1"
refused "learning_rate: 0.1, optimizer: adam" float16 \
  "'epsilon' of 'train' is 1e-08, which float16, in which the variable 'W' is trained, rounds to 0"
refused "learning_rate: 0.1, optimizer: adam, epsilon: 1e5" float16 "'epsilon' of 'train' is 1e+05"
refused "learning_rate: 0.1, optimizer: momentum, momentum: 0.9999" float16 "'momentum' of 'train' is 0.9999"
refused "learning_rate: 1e-8" float16 "'learning_rate' of 'train' is 1e-08"
refused "learning_rate: {schedule: cosine, initial: 0.1, final: 1e-9, steps: 10}" float16 "'final' of 'train' is 1e-09"
refused "learning_rate: {schedule: piecewise, boundaries: [5], values: [0.1, 1e-9]}" float16 "rounds to 0"
constants "learning_rate: 0, optimizer: momentum, momentum: 0"
expect 0 "ok" "$DFRUN" check these.yaml
constants "learning_rate: 0.1, optimizer: adam, beta1: 0, beta2: 0.99, epsilon: 1e-4"
expect 0 "ok" "$DFRUN" check these.yaml --set dt=bfloat16
expect 0 "ok" "$DFRUN" check these.yaml --set dt=float16
constants "learning_rate: 0.1, clip_norm: 1e-50"
expect 65 "'clip_norm' of 'train' is 1e-50" "$DFRUN" check these.yaml --set dt=float32
expect 0 "ok" "$DFRUN" check these.yaml --set dt=float64

# A rate of 0.1 that comes from a schedule, and a norm of 5, in float64.
cat > double.yaml <<'Y'
dfrun: 1
graph:
  W: {op: Variable, shape: [2], dtype: float64, init: zeros}
  loss: Sum(W * Cast([3, 4], DstT=float64))
train: {loss: loss, steps: 1, KEYS}
checkpoint: {every: 1}
Y
sed 's/KEYS/learning_rate: {schedule: step, initial: 0.1, steps: 5, factor: 0.5}/' double.yaml > rate.yaml
trained 1 rate.yaml
has run W -0.30000000000000004 -0.40000000000000002
sed 's/KEYS/learning_rate: 1, clip_norm: 0.1/' double.yaml > norm.yaml
trained 1 norm.yaml
has run W -0.059999999999999998 -0.080000000000000002

echo "narrow numbers train as in float32"
