#!/usr/bin/env bash
# The number of threads of a rank changes no bit: of ops at sizes that threads share, and of losses, draws, averages and
# variables of nets with convolutions, batch normalisation, dropout, rows of a table and a loop, by 1 to 8 threads, on one
# rank and on ranks of different numbers.
#   threads_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

ln -s "$SOURCE/configs/data" data
inputs='inputs:
  batch: {hdf5: data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 360, shuffle: true}'
cat > conv.yaml <<Y
dfrun: 1
include: [lib/nn.yaml]
$inputs
graph:
  image: Reshape(batch/image, shape=[-1, 8, 8, 1])
  conv1: conv2d(image, filters=48, activation=Relu)
  conv2: conv2d(max_pool(conv1), filters=64, size=5)
  norm: batch_norm(conv2, decay=0.9)
  drop: dropout(flatten(norm), rate=0.3)
  hidden: dense(drop, units=96, activation=Tanh)
  logits: dense(hidden, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
train: {loss: loss, optimizer: momentum, learning_rate: 0.05, steps: 4, log_every: 1}
checkpoint: {every: 4}
Y
cat > loop.yaml <<Y
dfrun: 1
include: [lib/nn.yaml]
$inputs
graph:
  words: Cast(batch/image * 16.0, DstT=int32)
  table: {op: Variable, shape: [17, 64], init: "RandomUniform(minval=-1, maxval=1)"}
  U: {op: Variable, shape: [64, 64], init: "VarianceScaling(scale=1)"}
  V: {op: Variable, shape: [64, 64], init: "VarianceScaling(scale=1)"}
  h0: MatMul(GatherV2(table, GatherV2(words, 0, axis=1), 0), V)
  state:
    op: While
    vars: {i: 0, h: h0}
    cond: i < 8
    body: {i: i + 1, h: "Tanh(MatMul(h, U) + MatMul(GatherV2(table, GatherV2(words, i, axis=1), 0), V))"}
  logits: dense(state:1, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
train: {loss: loss, optimizer: adam, learning_rate: 0.01, clip_norm: 1.0, steps: 4, log_every: 1}
checkpoint: {every: 4}
Y

# bits RUN: what each step gave, and the bytes of what it left.
bits() {
  metric_lines "$1"
  dump "$1"/checkpoints/step-4/shard-*.h5 | sort
}
# lanes RUN: the threads of rank 0 that ran nodes or blocks in the traced steps.
lanes() { grep -oE '"ph": ?"X"[^}]*' "$1/trace/rank-0.json" | grep -oE '"tid": ?[0-9]+' | sort -u | wc -l; }

expect 0 "step 1/1" "$DFRUN" "$SOURCE/tests/regression/bits/large_ops.yaml" --threads 1 --output ops
dump ops/fetches.h5 > wanted
[ "$(wc -l < wanted)" = 32 ] || { cut -c1-50 wanted; fail "not all ops have values"; }
for options in "--threads 2" "--threads 3" "--threads 8 --no-optimize"; do
  # shellcheck disable=SC2086  # each word is one
  expect 0 "step 1/1" "$DFRUN" "$SOURCE/tests/regression/bits/large_ops.yaml" $options --output "ops $options" --trace 1
  [ "$(lanes "ops $options")" -gt 1 ] || fail "one thread alone worked on all ops with $options"
  dump "ops $options/fetches.h5" > seen
  cmp -s wanted seen || { diff wanted seen | grep '^<' | cut -c1-50; fail "ops have other bits with $options"; }
done

for name in conv loop; do
  timeout 60 "$DFRUN" $name.yaml --threads 1 --output $name > log 2>&1 || { cat log; fail "$name by one thread"; }
  bits $name > wanted
  [ "$(grep -c '"state"' wanted)" = 4 ] && [ "$(grep -o '"loss": [^,]*' wanted | sort -u | wc -l)" = 4 ] ||
    { cut -c1-150 wanted; fail "$name trains nothing"; }
  for threads in 2 3 5 8; do
    timeout 120 "$DFRUN" $name.yaml --threads $threads --output $name$threads --trace 2 > log 2>&1 ||
      { cat log; fail "$name by $threads threads"; }
    [ "$(lanes $name$threads)" -gt 1 ] || fail "one thread alone worked on $name of $threads"
    bits $name$threads > seen
    diff wanted seen > changes || { cut -c1-150 changes; fail "$name has other bits by $threads threads"; }
  done
done

# Ranks that have different numbers of them.
sed 's/log_every: 1}/log_every: 1, replicas: 4}/' conv.yaml > replicas.yaml
timeout 60 "$DFRUN" replicas.yaml --threads 1 --output one > log 2>&1 || { cat log; fail "replicas by one thread"; }
timeout 120 mpirun --oversubscribe -np 1 "$DFRUN" replicas.yaml --threads 3 --output mixed : \
  -np 1 "$DFRUN" replicas.yaml --threads 1 --output mixed > log 2>&1 || { cat log; fail "ranks of 3 and 1 threads"; }
bits one > wanted
bits mixed > seen
diff wanted seen > changes || { cut -c1-150 changes; fail "other bits on ranks of 3 and 1 threads"; }
echo "the same bits by 1 to 8 threads"
