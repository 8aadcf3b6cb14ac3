#!/usr/bin/env bash
# Keys and options that leave every bit of a training as it is, and some that do not. docs/determinism.md is their table.
#   bits_by_key_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

ln -s "$SOURCE/configs/data" data
cat > net.yaml <<'Y'
dfrun: 1
name: net
seed: 3
include: [lib/nn.yaml]
inputs:
  batch: {hdf5: data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 32, shuffle: true}
  test: {hdf5: data/digits.h5, tensors: {image: /test/image, label: /test/label}, batch: 90}
graph:
  image: Reshape(batch/image, shape=[-1, 8, 8, 1])
  conv: conv2d(image, filters=8, activation=Relu)
  flat: flatten(max_pool(conv))
  norm: batch_norm(flat, decay=0.9)
  drop: dropout(norm, rate=0.3)
  again: norm * 0.25 + drop
  hidden: dense(again, units=16, activation=Tanh)
  logits: dense(hidden, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
train: {loss: loss, optimizer: adam, learning_rate: {schedule: cosine, initial: 0.01, steps: 6}, steps: 6, replicas: 2, log_every: 3}
eval: {every: 3, feed: {batch: test}, metrics: [loss]}
checkpoint: {every: 6}
Y

# bits RUN: loss and fingerprint of all variables after the last step, the evaluation there, and the last checkpoint.
bits() {
  grep '"step": 6,' "$1/metrics.jsonl" | grep -oE '"(loss|eval/loss|state)": [^,}]*'
  dump "$1"/checkpoints/step-6/shard-*.h5 | sort
}
# train OPTION...: into ./run, from net.yaml where no other spec comes first, started by START.
START=()
train() {
  local spec=net.yaml
  case $1 in *.yaml) spec=$1 && shift ;; esac
  rm -rf run
  timeout 60 "${START[@]}" "$DFRUN" "$spec" --output run "$@" > log 2>&1 || { cat log; fail "the training with $spec $*"; }
}
same() {
  train "$@"
  bits run > seen
  diff wanted seen > changes || { head -n 20 changes | cut -c1-150; fail "other bits with $*"; }
}
other() {
  train "$@"
  bits run > seen
  ! cmp -s wanted seen || fail "the same bits with $*"
}

train net.yaml
bits run > wanted
[ "$(grep -c '^"' wanted)" = 3 ] && grep -q '^conv/W ' wanted || { cut -c1-150 wanted; fail "not all is there to compare"; }
cp -r run first

# The same command again, and what is looked at, saved or said besides.
same net.yaml
same --set train.log_every=1
same --set train.log_every=4
same --set checkpoint.every=2
same --set eval.every=1
same --set eval.steps_in_flight=4
same --set events=false
same --set 'summaries={histograms: {weights: ["*"], gradients: ["*"]}, every: 2}'
same --trace 3
same --heartbeat off --stall 0 --log-json
same --set name=other
sed 's/log_every: 3}/log_every: 3}  # a comment/; s/cosine, initial: 0.01, steps: 6/cosine, initial: "0.1 \/ 10", steps: "2 * 3"/' net.yaml > words.yaml
same words.yaml
same first/spec.yaml
# How samples are read.
same --set inputs.batch.readers=3
same --set inputs.batch.prefetch=0
same --set inputs.batch.prefetch=7
# What is asked of numbers and devices, on CPUs.
same --set train.on_nan=warn
same --set 'train.on_nan={skip: 3}'
same --set precision=tf32
same --set train.deterministic=false
same --set cluster.soft_placement=true
same --set cluster.compress=ranks
# Passes, all and one by one.
same --no-optimize
expect 64 "in their order there are" "$DFRUN" net.yaml --without-pass none
passes=$(sed 's/.*there are //; s/,//g' out | tr ' ' '\n' | grep -E '_' | grep -v ^gpu/)
[ "$(wc -w <<< "$passes")" -gt 10 ] || { cat out; fail "the names of the passes"; }
for pass in $passes; do same --without-pass "$pass"; done

# Where variables are and how gradients are added up, on one rank and on three.
for count in 1 3; do
  START=(mpirun --oversubscribe -np "$count")
  same net.yaml
  same --set train.parameters=spread
  same --set train.allreduce=true --collectives participants
  same --set train.data_parallel=allreduce
  same --set train.data_parallel=allreduce --set train.bucket_bytes=0 --collectives participants
done
same --set 'cluster.jobs={ps: 1, worker: rest}'
same --set 'cluster.jobs={worker: 1, ps: rest}'
START=()

# The order of the entries.
awk '/^graph:/ { print; inside = 1; next } inside && /^  / { lines[++n] = $0; next }
  inside { while (n) print lines[n--]; inside = 0 } { print }' net.yaml > turned.yaml
[ "$(sed -n '/^graph:/{n;p}' turned.yaml | cut -c1-7)" = '  loss:' ] || { cat turned.yaml; fail "the order of entries"; }
same turned.yaml

# Others: what decides values.
other --set seed=4
other --set inputs.batch.batch=16
other --set inputs.batch.shuffle=false
other --set inputs.batch.shuffle=64
other --set train.replicas=4
sed 's/hidden/renamed/' net.yaml > renamed.yaml
other renamed.yaml
echo "equal bits where nothing that decides values is other"
