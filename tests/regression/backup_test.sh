#!/usr/bin/env bash
# `backup` of `strategy: sync`: what does not go together with it is refused with the way out; a step that is not finite
# ends the job with the replica, its rows and the node; signals; checkpoints go over to other strategies and back.
#   backup_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cp -r "$SOURCE"/configs/lib "$SOURCE"/configs/data "$SOURCE"/configs/digits_backup.yaml .
spec=digits_backup.yaml

expect 0 "bits differ from run to run" "$DFRUN" check $spec
expect 65 "'backup' and 'allreduce: true' do not go together" "$DFRUN" check $spec --set train.allreduce=true
expect 65 "a batch of 64 cannot be cut into equal slices for 3 replicas" "$DFRUN" check $spec --set train.replicas=3
expect 65 "'backup' is a key of strategy 'sync', but this is 'local'" "$DFRUN" check $spec --set train.strategy=local
# Each replica is a part of the job, and so is the step that takes what they have computed.
expect 0 "train/replica_4/token" "$DFRUN" graph $spec --partitioned --part replica_4
expect 0 "_TakeShares" "$DFRUN" graph $spec --partitioned --part train

# A loss that is not finite.
sed -E 's/^( *)loss: .*/\1loss: Mean(Exp(Square(logits) * 3.0))/' $spec > inf.yaml
expect 71 "is not finite, of the rows" "$DFRUN" inf.yaml --output inf --set train.learning_rate=0.3
grep -qE "of replica [0-4] is not finite" out || fail "no replica is named"
grep -q "inf.yaml:[0-9]*:[0-9]*:" out || fail "no place in the spec"
expect 71 "steps, up to step" "$DFRUN" inf.yaml --output skipped --set train.learning_rate=0.3 --set 'train.on_nan={skip: 6}'
expect 0 "the updates were made all the same" "$DFRUN" inf.yaml --output warned --set train.learning_rate=0.3 \
  --set train.on_nan=warn --set train.steps=30 --set checkpoint=null

# A node that fails ends the job on one rank too, though the step waits for its share.
cat > fails.yaml <<Y
dfrun: 1
name: fails
inputs:
  batch: {csv: rows.csv, tensors: {id: {from: 0, dtype: int32}, x: 1}, batch: 8}
graph:
  W: {op: Variable, shape: [], init: 0}
  table: {op: Const, value: [1.0, 2.0, 3.0], dtype: float32}
  loss: Mean(Square(batch/x * W - GatherV2(table, batch/id, 0)))
train: {loss: loss, learning_rate: 0.001, steps: 20, replicas: 4, backup: 1}
Y
for ((i = 0; i < 80; ++i)); do echo "$((i / 39)),$((i % 7))"; done > rows.csv
sed -i '60s/.*/7,1/' rows.csv
code=0
timeout 60 "$DFRUN" fails.yaml --output fails --threads 2 > out 2>&1 || code=$?
[ "$code" != 0 ] && [ "$code" != 124 ] || { cat out; fail "a node that fails: exit code $code"; }
grep -q "7" out || { cat out; fail "the index is not told"; }

# Metrics that differ from run to run.
expect 0 "step 20/20" "$DFRUN" $spec --output metrics --set train.steps=20
for name in late updates_per_s waiting; do
  grep -q "\"backup/$name/4\"" metrics/metrics.jsonl || fail "no backup/$name/4"
done

# A trace ends between two steps, when no replica is at work.
expect 0 "step 20/20" mpirun --oversubscribe -np 2 "$DFRUN" $spec --output traced --set train.steps=20 --trace 3
grep -q _TakeShares traced/trace/rank-0.json || fail "the trace lacks the step"

# A signal; and other strategies, which say how many rows they leave out.
"$DFRUN" $spec --output stopped --set train.steps=1000000 --set eval=null --threads 2 > log 2>&1 &
pid=$!
for ((i = 0; i < 200; ++i)); do
  if grep -qs '"step": 100,' stopped/metrics.jsonl; then break; fi
  sleep 0.05
done
kill -TERM $pid
code=0
wait $pid || code=$?
[ "$code" = 75 ] || { cat log; fail "SIGTERM: exit code $code"; }
step=$(newest stopped)
grep -q "the job ends after step $step; step $step is saved" log || { cat log; fail "the step is not saved"; }
numbers() { h5dump -d "$1" "stopped/checkpoints/step-$step/index.h5" | grep -oE '\([0-9,]+\): [0-9, ]+' | sed 's/.*: //' | tr -d ' \n' | tr ',' ' '; }
position=$(numbers /batch/position:0)
returned=$(h5dump -y -d /batch/returned:0 "stopped/checkpoints/step-$step/index.h5" | sed -n '/DATA {/,/}/p' | grep -oE '[0-9]+' | awk 'NR % 2 == 0 { n += $1 } END { print n + 0 }')
[ $((position - returned)) = $((step * 64)) ] || fail "$position rows handed out, $returned of them returned, after step $step"
cp -r stopped other
expect 0 "resuming at step $step" "$DFRUN" $spec --output stopped --resume --set train.steps=$((step + 20)) --set eval=null
if [ "$returned" != 0 ]; then
  expect 0 "$returned rows that replicas had taken" "$DFRUN" $spec --output other --resume --set train.steps=$((step + 20)) \
    --set train.backup=0 --set eval=null
fi
for other in "strategy=async --set train.backup=null" "strategy=local --set train.backup=null --set train.sync_every=10" "backup=2"; do
  cp -r stopped "stopped-$other"
  expect 0 "resuming at step $((step + 20))" "$DFRUN" $spec --output "stopped-$other" --resume --set train.steps=$((step + 40)) \
    --set eval=null --set checkpoint.every=20 --set train.$other
  expect 0 "resuming at step $((step + 40))" "$DFRUN" $spec --output "stopped-$other" --resume --set train.steps=$((step + 60))
done
echo "refusals, steps that are not finite, a node that fails, a signal, and checkpoints of other strategies"
