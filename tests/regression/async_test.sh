#!/usr/bin/env bash
# `strategy: async`: its keys; a share that is not finite ends the job, or is left out; a signal waits for the shares that
# were begun; checkpoints go over to `sync` and back.
#   async_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cp -r "$SOURCE"/configs/lib "$SOURCE"/configs/data "$SOURCE"/configs/digits_async.yaml .
spec=digits_async.yaml

expect 0 "bits differ from run to run" "$DFRUN" check $spec
expect 0 "ok" "$DFRUN" check $spec --set train.max_staleness=0
if grep -q "bits differ" out; then fail "with max_staleness: 0 bits are equal"; fi
expect 0 "max_staleness: none" "$DFRUN" check $spec --print --set train.max_staleness=none
expect 65 "'max_staleness' must be an integer of at least 0" "$DFRUN" check $spec --set train.max_staleness=-1
expect 65 "'allreduce' is a key of strategy 'sync', but this is 'async'" "$DFRUN" check $spec --set train.allreduce=true
expect 0 "replica_0: " "$DFRUN" check $spec --gpus 1

# Each replica is a part of the job.
expect 0 "train/replica_3/token" "$DFRUN" graph $spec --partitioned --part replica_3
if grep -q "replica_0/" out; then fail "replica 3 has nodes of another"; fi
expect 64 "its parts are replica_0, replica_1," "$DFRUN" graph $spec --partitioned --part replica_4

# A loss that is not finite.
sed -E 's/^( *)loss: .*/\1loss: Mean(Exp(Square(logits) * 3.0))/' $spec > inf.yaml
for bound in none 2 0; do
  expect 71 "is not finite, of the rows" "$DFRUN" inf.yaml --output inf-$bound --set train.max_staleness=$bound \
    --set train.learning_rate=0.3
  grep -q "of replica [0-3] is not finite" out || fail "no replica is named"
done
# A single replica names the node: its variables are those that the share had read.
expect 71 "is not finite, of the rows" "$DFRUN" inf.yaml --output inf-one --set train.replicas=1 --set train.learning_rate=0.3
grep -qE "inf.yaml:[0-9]+:[0-9]+: .*first, " out || { cat out; fail "the node is not named"; }
expect 71 "as many shares behind each other as may be left out" "$DFRUN" inf.yaml --output skipped \
  --set train.learning_rate=0.3 --set 'train.on_nan={skip: 6}'
# The count goes on in a resumed job.
expect 0 "step 20/20" "$DFRUN" inf.yaml --output row --set train.learning_rate=0.3 --set 'train.on_nan={skip: 100000}' \
  --set train.steps=20 --set checkpoint.every=20
grep -qE '"skipped": \{"steps": "[1-9]' row/checkpoints/step-20/manifest.json || fail "no shares behind each other are saved"
expect 0 "the updates were made all the same" "$DFRUN" inf.yaml --output warned --set train.learning_rate=0.3 \
  --set train.on_nan=warn --set train.steps=30 --set checkpoint=null

# Shares that are not finite are counted, whatever ends between two lines: here an evaluation after step 15, of which
# shares 48 to 51 come before it.
seq 0 999 | sed 's/$/,1/' > rows.csv
cat > counted.yaml <<'Y'
dfrun: 1
inputs: {batch: {csv: rows.csv, tensors: {id: {from: 0, dtype: float32}, x: 1}, batch: 8}}
graph:
  W:      {op: Variable, shape: [], init: 0}
  bad:    Cast(Equal(Floor(batch/id / 8.0), 12.0), DstT=float32)
  loss:   Mean(Square(batch/x * W - 3.0) + bad / (1.0 - bad) - bad)
  weight: Square(W)
train: {loss: loss, learning_rate: 0.001, steps: 40, strategy: async, replicas: 4, max_staleness: 0, on_nan: skip,
        log_every: 10}
eval:  {every: 15, metrics: [weight]}
Y
expect 0 "step 40/40" "$DFRUN" counted.yaml --output counted
grep -oE '"step": [0-9]+|"not_finite_steps": [0-9]+' counted/metrics.jsonl | paste -sd' ' > counts
grep -q '"step": 20 "not_finite_steps": 4 ' counts || { cat counts; fail "shares that are not finite are not counted"; }

# Two loops a replica: all shares are counted for one.
expect 0 "step 50/50" "$DFRUN" $spec --output loops --set train.steps=50 --set train.steps_in_flight=2 --threads 2
grep -q '"async/updates_per_s/3"' loops/metrics.jsonl || fail "a replica has no rate"
if grep -q '"async/updates_per_s/4"' loops/metrics.jsonl; then fail "a loop counts as a replica"; fi

# Metrics that differ from run to run are left out of comparisons.
expect 0 "step 20/20" "$DFRUN" $spec --output metrics --set train.steps=20
for name in staleness_mean staleness_max; do
  grep -q "\"async/$name\"" metrics/metrics.jsonl || fail "no async/$name"
done
expect 0 "step 20/20" "$DFRUN" $spec --output a --set train.steps=20 --set train.max_staleness=0
expect 0 "step 20/20" "$DFRUN" $spec --output b --set train.steps=20 --set train.max_staleness=0 --threads 3
expect 0 "equal" "$DFRUN" compare a b

# A signal; and another strategy.
"$DFRUN" $spec --output stopped --set train.steps=1000000 --set eval=null --set train.max_staleness=1 > log 2>&1 &
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
[ "$(h5dump -d /batch/position:0 stopped/checkpoints/step-$step/index.h5 | grep -oE '\(0\): [0-9]+' | cut -d' ' -f2)" = $((step * 64)) ] ||
  fail "the position is not that of step $step"
expect 0 "resuming at step $step" "$DFRUN" $spec --output stopped --resume --set train.steps=$((step + 20)) \
  --set train.strategy=sync --set train.max_staleness=null
expect 0 "resuming at step $((step + 20))" "$DFRUN" $spec --output stopped --resume --set train.steps=$((step + 40))
echo "keys, shares that are not finite, a signal, and checkpoints of another strategy"
