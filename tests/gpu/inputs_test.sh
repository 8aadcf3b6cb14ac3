#!/usr/bin/env bash
# Large batches are read and copied for a GPU a step ahead: the losses are those of batches that the host hands over.
#   inputs_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

# 100 samples of 65536 bytes, of which a batch of 32 is 2 MiB: a program's are as good as others.
head -c $((100 * 65536)) "$3"/libdfrun_cuda.so > "$WORK/samples"
# spec BATCH [NODE]: a training of which each step waits for that node.
spec() {
  cat > "$WORK/spec.yaml" <<EOF
dfrun: 1
name: large
inputs:
  batch:
    fixed_length: $WORK/samples
    record_bytes: 65536
    tensors: {bytes: {from: 0, dtype: uint8, shape: [65536]}}
    batch: $1
    shuffle: true
graph:
  w:    {op: Variable, shape: [65536, 16], init: zeros}
  x:    Mul(Cast(batch/bytes, DstT=float32), 0.0001)
  host: {op: Identity, inputs: [batch/bytes], device: "/device:cpu:0"}
  y:    {op: MatMul, inputs: [x, w], control: [${2:-x}]}
  loss: Mean(Square(Sub(y, 1.0)))
train: {loss: loss, optimizer: sgd, learning_rate: 0.01, steps: 12, log_every: 1}
checkpoint: {every: 5, keep: 3}
EOF
}
# placed DEVICE: where the reader is.
placed() {
  "$DFRUN" graph "$WORK/spec.yaml" --gpus 1 --text --after place > "$WORK/graph" || fail "no graph"
  grep "batch/read" "$WORK/graph" > "$WORK/reader"
  grep -q "$1" "$WORK/reader" || { cat "$WORK/reader"; fail "the reader is not on $1"; }
}
trained() {  # trained OUTPUT OPTION...
  local output=$1
  shift
  train 1 "$WORK/spec.yaml" "$output" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the training for $output"; }
}

spec 8
placed device:cpu:0
spec 32 host
placed device:cpu:0
trained "$WORK/by_host"
losses "$WORK/by_host" > "$WORK/expected"
[ "$(wc -l < "$WORK/expected")" = 12 ] || { cat "$WORK/expected"; fail "12 losses were expected"; }

spec 32
placed device:gpu:0
for seed in 1 2 3; do
  DFRUN_EMULATED_SEED=$seed trained "$WORK/ahead-$seed"
  losses "$WORK/ahead-$seed" | cmp - "$WORK/expected" || fail "other losses than with the host's batches, seed $seed"
done
# From a checkpoint on, the position of which no batch ahead has moved.
trained "$WORK/ahead-1" --resume=5
losses "$WORK/ahead-1" | cmp - "$WORK/expected" || { losses "$WORK/ahead-1"; fail "other losses when resumed"; }
echo "12 steps with equal losses"
