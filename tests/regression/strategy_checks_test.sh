#!/usr/bin/env bash
# What does not go together with a strategy is refused by `check`, at its line and column, with the pair and the ways out,
# and these are allowed: the table "What goes together" of docs/spec.md.
#   strategy_checks_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

for i in $(seq 48); do echo "$((i % 7)),$((i % 5))"; done > rows.csv
# make KEYS SED...: spec.yaml, trained with these keys of `train`, edited so.
make() {
  local keys=$1 edit
  shift
  cat > spec.yaml <<END
dfrun: 1
cluster: {jobs: {worker: rest}}
inputs:
  batch: {csv: rows.csv, tensors: {x: 0, y: 1}, batch: 12}
graph:
  W: {op: Variable, shape: [], init: 0}
  error: Square(batch/x * W - batch/y)
  loss: Mean(error)
train: {$keys, loss: loss, steps: 40, learning_rate: 0.1}
END
  for edit in "$@"; do sed -i "$edit" spec.yaml; done
}
# refused PLACE TEXT WAY_OUT KEYS SED...
refused() {
  local place=$1 text=$2 way_out=$3
  make "${@:4}"
  expect 65 "spec.yaml:$place: " "$DFRUN" check spec.yaml
  grep -F "spec.yaml:$place: " out | grep -F -- "$text" | grep -qF -- "$way_out" ||
    { cat spec.yaml out; fail "not '$text' with '$way_out'"; }
  count=$((count + 1))
}
allowed() {
  make "$@"
  expect 0 "spec.yaml: ok" "$DFRUN" check spec.yaml
}
count=0

own_input='4a\  other: {csv: rows.csv, tensors: {x: 0}, batch: 12}'
tied_input='4a\  other: {csv: rows.csv, tensors: {x: 0}, with: batch}'
reads_both='s|batch/y)|other/x)|'
from_queue='7c\  q: {op: FIFOQueueV2, component_types: [float32], capacity: 9}\
  put: {op: QueueEnqueueV2, inputs: [q, batch/x]}\
  got: {op: QueueDequeueV2, inputs: [q], component_types: [float32], control: [^put]}\
  error: Square(got * W - 3.0)'
halved='8c\  half: Assign(W, W * 0.5)\
  raw: Mean(error)\
  loss: {op: Identity, input: raw, control: [^half]}'

# What several strategies refuse: their keys, their name in messages, and what else to write.
while IFS='|' read -r keys name otherwise; do
  refused 4:56 "a batch of 12 cannot be cut into equal slices for 5 replicas" \
    "write 10 or 15, or another number of 'replicas'" "${keys/replicas: 2/replicas: 5}"
  allowed "${keys/replicas: 2/replicas: 5}" 's/batch: 12/batch: 15/'
  at=$(make "$keys, data_parallel: allreduce"; awk -v k='allreduce' '/^train/ { print "9:" index($0, k) }' spec.yaml)
  refused "$at" "'data_parallel: allreduce' and $name do not go together" "leave out 'data_parallel', or $otherwise" \
    "$keys, data_parallel: allreduce"
  refused 5:3 "the loss reads the inputs 'batch' and 'other', and with $name" "write 'with: batch' at 'other', or $otherwise" \
    "$keys" "$own_input" "$reads_both"
  allowed "$keys" "$tied_input" "$reads_both"
  make "$keys" "$from_queue"
  expect 65 "waits for other nodes, and with $name" "$DFRUN" check spec.yaml
  grep -qE "spec.yaml:(8|9):[0-9]+: node '(put|got)' .*read the samples by 'inputs', or $otherwise" out || { cat out; fail "a queue"; }
  for reduce in '' ', reduce: mean'; do
    refused 6:11 "is trained, and each step assigns it as well, which does not go together with $name" \
      "write 'trainable: false' at it, or $otherwise" "$keys" "s/init: 0/init: 0$reduce/" "$halved"
  done
  # Another program gets the training of `sync`.
  make "$keys"
  expect 0 "the graph has the training of 'strategy: sync', not of" "$DFRUN" graph spec.yaml --pb --portable --out spec.pb
  [ "$(wc -l < out)" = 1 ] || { cat out; fail "more than a line"; }
done <<'END'
strategy: local, replicas: 2, sync_every: 10|'strategy: local'|write 'strategy: sync'
strategy: async, replicas: 2|'strategy: async'|write 'strategy: sync'
strategy: sync, replicas: 2, backup: 1|'backup'|leave out 'backup'
END

allowed "replicas: 2" "$own_input" "$reads_both"
allowed "replicas: 2, data_parallel: allreduce"
allowed "replicas: 2" 's/init: 0/init: 0, reduce: mean/' "$halved"
allowed "replicas: 2" "$from_queue"
for keys in "replicas: 2" "strategy: local, sync_every: 10"; do
  allowed "$keys" "$own_input" '8a\  seen: Mean(other/x)' '$a\summaries: {scalars: [seen]}'
  allowed "$keys" '$a\summaries: {histograms: {values: [error]}}'
done
for keys in "replicas: 2" "strategy: async, replicas: 2"; do
  allowed "$keys" 's/worker: rest}/worker: rest}, compress: ranks/'
done

# What one strategy refuses.
LOCAL="strategy: local, replicas: 2, sync_every: 10" ASYNC="strategy: async, replicas: 2"
refused 4:56 "'batch: all' and 'strategy: local' do not go together" "write a number of samples, or write 'strategy: sync'" \
  "$LOCAL" 's/batch: 12/batch: all/'
refused 4:56 "'batch: all' and 'backup' do not go together" "write a number of samples, or leave out 'backup'" \
  "replicas: 2, backup: 1" 's/batch: 12/batch: all/'
refused 9:30 "'backup' and 'replicas: 1' do not go together" "write 'replicas' of 2 or more, or leave out 'backup'" \
  "replicas: 1, backup: 1"
refused 9:36 "'replicas' must be an integer of at least 2, not '1'" "" "strategy: local, replicas: 1"
refused 9:19 "'compress' of 'cluster' and 'strategy: local' do not go together" "write 'compress_gradients: true'" \
  "$LOCAL" 's/worker: rest}/worker: rest}, compress: ranks/'
allowed "$LOCAL, compress_gradients: true"
refused 10:1 "'every' of 'checkpoint' is 25, but with 'strategy: local'" "20 or 30 is one" "$LOCAL" \
  '$a\checkpoint: {every: 25}'
allowed "$LOCAL" '$a\checkpoint: {every: 20}'
allowed "$ASYNC" 's/batch: 12/batch: all/'
refused 4:56 "'split: true' of 'batch: all' and 'strategy: async' do not go together" "leave out 'split'" "$ASYNC" \
  's/batch: 12/batch: all, split: true/'
refused 9:74 "'steps_in_flight' and 'max_staleness: 0' do not go together" "leave out 'steps_in_flight'" \
  "$ASYNC, max_staleness: 0, steps_in_flight: 2"
refused 9:59 "'compress_gradients' is a key of strategy " "but this is 'async'" "$ASYNC, compress_gradients: true"
refused 10:1 "with 'strategy: async' of 'train' summaries are scalars" "write 'strategy: sync'" "$ASYNC" \
  '$a\summaries: {histograms: {values: [error]}}'
allowed "$ASYNC" '8a\  seen: Mean(batch/x)' '$a\summaries: {scalars: [seen]}'
refused 5:3 "input 'other' has a position of its own" "by 'with', or write 'strategy: sync'" "$ASYNC" "$own_input" \
  '8a\  seen: Mean(other/x)' '$a\summaries: {scalars: [seen]}'
refused 6:11 "is assigned by 'half' in each replica, and with 'strategy: async'" "write 'reduce: mean, sum or first'" \
  "strategy: async" 's/init: 0/init: 0, trainable: false/' '6a\  V: {op: Variable, shape: [], init: 1}' 's/x \* W/x * V/' \
  's/^  loss: .*/  half: Assign(W, W * 0.5)\n  raw: Mean(error)\n  loss: {op: Identity, input: raw, control: [^half]}/'
echo "$count refusals, each with its place and its ways out"
