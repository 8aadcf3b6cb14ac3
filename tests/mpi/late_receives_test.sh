#!/usr/bin/env bash
# Layers one after the other, with the parameters on another rank: received late, they take a part of the memory, and
# every value is the same. So it is in a training that leaves most of them as they are.
#   late_receives_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

LAYERS=10 SIZE=768 ROWS=512   # a matrix of 2.25 MiB; the values between two layers take 1.5 MiB
{
  echo 'dfrun: 1'
  echo 'cluster: {jobs: {worker: 1, ps: 1}}'
  echo 'graph:'
  echo "  h0: {op: RandomUniform, inputs: [\"[$ROWS, $SIZE]\"], dtype: float32, device: /job:worker}"
  for ((i = 1; i <= LAYERS; ++i)); do
    echo "  W$i: {op: Variable, shape: [$SIZE, $SIZE], init: \"RandomUniform(minval=-0.05, maxval=0.05)\", trainable: false, device: /job:ps}"
    echo "  p$i: {op: MatMul, inputs: [h$((i - 1)), W$i], device: /job:worker}"
    echo "  h$i: {op: Tanh, inputs: [p$i], device: /job:worker}"
  done
  echo "  V: {op: Variable, shape: [$SIZE, 10], init: \"RandomUniform(minval=-0.05, maxval=0.05)\", device: /job:ps}"
  echo "  z: {op: MatMul, inputs: [h$LAYERS, V], device: /job:worker}"
  echo '  loss: {op: Mean, inputs: ["Square(z)"], axis: [0, 1], device: /job:worker}'
  echo 'train: {loss: loss, optimizer: sgd, learning_rate: 0.01, steps: 5, log_every: 1}'
} > "$WORK/layers.yaml"

peak() {  # peak NAME OPTION...: bytes at most in use on rank 0 in steps that compute z, which is left in NAME.h5
  local name=$1
  shift
  timeout 120 mpirun --oversubscribe -np 2 "$DFRUN" eval "$WORK/layers.yaml" --fetch z --repeat 3 --threads 1 \
    --stats "$WORK/$name.json" --out "$WORK/$name.h5" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name"; }
  sed -nE 's/.*"peak_bytes": ([0-9]+), "memory".*/\1/p' "$WORK/$name.json"
}

late=$(peak late)
early=$(peak early --without-pass late_receives)
[ "$early" -gt $((LAYERS * SIZE * SIZE * 4)) ] || fail "not all parameters are there at once: $early bytes"
[ "$late" -lt $((early / 2)) ] || fail "$late bytes, received late, and $early bytes else"

for kind in late early; do
  option=()
  [ $kind = late ] || option=(--without-pass late_receives)
  train 2 "$WORK/layers.yaml" "$WORK/$kind" "${option[@]}" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "training $kind"; }
  losses "$WORK/$kind" > "$WORK/$kind.losses"
done
[ "$(sort -u -k2 "$WORK/late.losses" | wc -l)" -eq 5 ] || fail "the losses do not change: nothing is trained"
cmp "$WORK/late.losses" "$WORK/early.losses" || fail "other losses"
echo "at most $late bytes in use in place of $early, with the same losses"
