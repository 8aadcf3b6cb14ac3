#!/usr/bin/env bash
# Trainings by local steps: the bits do not depend on the rank count, nor on a kill or a signal between two outer steps;
# one step a sync is synchronous training; what travels; what is refused.
#   local_steps_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

cp "$SOURCE/configs/data/digits.h5" "$SOURCE/configs/lib/nn.yaml" "$WORK/"
cat > "$WORK/net.yaml" <<'END'
dfrun: 1
name: net
params: {steps: 60, every: 20}
include: [nn.yaml]
inputs:
  batch: {hdf5: digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 64, shuffle: true}
  test: {hdf5: digits.h5, tensors: {image: /test/image, label: /test/label}, batch: all}
graph:
  h1: dense(batch/image, units=64, activation=Relu)
  norm: batch_norm(h1)
  drop: dropout(norm, rate=0.2)
  logits: dense(drop, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  accuracy: Mean(Cast(Equal(ArgMax(logits, 1), batch/label), DstT=float32))
eval: {every: 20, feed: {batch: test}, metrics: [accuracy, loss]}
checkpoint: {every: "${every}", keep: 0}
END
grep -q 'batch_norm:' "$WORK/nn.yaml" || fail "the library has no batch_norm"
# spec NAME KEYS: the net, trained so.
spec() {
  { cat "$WORK/net.yaml"; echo "train: {loss: loss, steps: \"\${steps}\", log_every: 5, $2}"; } > "$WORK/$1.yaml"
}
# run NAME SPEC RANKS OPTION...
run() {
  local name=$1 spec=$2 ranks=$3
  shift 3
  train "$ranks" "$WORK/$spec.yaml" "$WORK/$name" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name"; }
}
# same NAME OTHER STEP: metrics, fingerprints of all variables in each logged step, and what the checkpoints hold.
same() {
  cmp <(losses "$WORK/$1") <(losses "$WORK/$2") || fail "losses of $2 differ from those of $1"
  cmp "$WORK/$1/state.bin" "$WORK/$2/state.bin" || fail "fingerprints of $2 differ from those of $1"
  h5diff --follow-symlinks "$WORK/$1/checkpoints/step-$3/index.h5" "$WORK/$2/checkpoints/step-$3/index.h5" ||
    fail "variables of $2 differ from those of $1"
  cmp <(grep eval/ "$WORK/$1/metrics.jsonl" | sed 's/.*"eval/"eval/') \
      <(grep eval/ "$WORK/$2/metrics.jsonl" | sed 's/.*"eval/"eval/') || fail "evaluations of $2 differ from those of $1"
}

LOCAL="strategy: local, replicas: 4, sync_every: 10"
spec momentum "optimizer: momentum, learning_rate: 0.05, $LOCAL"
spec adam "optimizer: adam, learning_rate: {schedule: cosine, initial: 0.01, steps: 60}, clip_norm: 1.0, $LOCAL"
spec cut "optimizer: momentum, learning_rate: 0.05, compress_gradients: true, $LOCAL"
for name in momentum adam cut; do
  run $name-1 $name 1
  [ "$(losses "$WORK/$name-1" | sort -u -k2 | wc -l)" = 12 ] || fail "the losses of $name do not change"
  for ranks in 2 4; do
    run $name-$ranks $name $ranks
    same $name-1 $name-$ranks 60
  done
done
if cmp -s <(losses "$WORK/momentum-1") <(losses "$WORK/cut-1"); then fail "nothing was cut"; fi
two=()
for key in strategy=local replicas=2 sync_every=10 epochs=null steps=40 log_every=5; do two+=(--set "train.$key"); done
for name in digits_cnn digits_rnn; do
  cp "$(short_spec $name 1 20)" "$WORK/$name.yaml"
  sed -i 's/data\/digits.h5/digits.h5/; s/lib\/nn.yaml/nn.yaml/' "$WORK/$name.yaml"
  for ranks in 1 2 4; do run $name-$ranks $name $ranks "${two[@]}" --set eval.every=20 --set checkpoint.every=20; done
  same $name-1 $name-2 40
  same $name-1 $name-4 40
done
echo "equal bits on 1, 2 and 4 ranks"

# Killed, and ended by a signal between two outer steps; resumed on another rank count.
spec long "optimizer: adam, learning_rate: 0.01, $LOCAL"
long=(--set steps=3000 --set every=100)
run long-whole long 2 "${long[@]}"
# interrupt NAME SIGNAL: starts the job on 4 ranks, and signals the last rank after the second checkpoint.
interrupt() {
  timeout 120 mpirun --oversubscribe -np 4 "$DFRUN" "$WORK/long.yaml" --output "$WORK/$1" "${long[@]}" > "$WORK/log" 2>&1 &
  local job=$! victim=
  # The rank is found before it is time: the steps that are left take a second.
  for _ in $(seq 3000); do
    if [ -z "$victim" ]; then victim=$(pgrep -P "$(pgrep -P "$job" mpirun || echo none)" 2>/dev/null | sed -n 4p) || victim=; fi
    if [ -e "$WORK/$1/checkpoints/step-200" ] && [ -n "$victim" ]; then break; fi
    sleep 0.01
  done
  [ -e "$WORK/$1/checkpoints/step-200" ] || { cat "$WORK/log"; fail "no checkpoint of step 200 within 30 s"; }
  kill -"$2" "$victim"
  if wait "$job"; then fail "the job ended well though it got $2"; fi
  [ "$(losses "$WORK/$1" | tail -n 1 | cut -d ' ' -f 1)" -lt 3000 ] || fail "the job was over before it got $2"
}
interrupt killed KILL
run killed long 3 "${long[@]}" --resume
same long-whole killed 3000
between=no
for attempt in 1 2 3 4 5; do
  rm -rf "$WORK/stopped"
  interrupt stopped USR1
  step=$(ls "$WORK/stopped/checkpoints" | sed -n 's/^step-\([0-9]*\)$/\1/p' | sort -n | tail -n 1)
  if [ $((step % 10)) != 0 ]; then between=yes; break; fi
done
[ $between = yes ] || fail "no signal came between two outer steps"
# holds STEP NAME: whether the checkpoint of the stopped job has such a dataset.
holds() { h5ls -r "$WORK/stopped/checkpoints/step-$1/index.h5" > "$WORK/names" && grep -qF "/$2:0 " "$WORK/names"; }
holds "$step" replica_3/h1/W || fail "the checkpoint of step $step lacks the replicas' variables"
if holds 200 replica_3/h1/W; then fail "a checkpoint after an outer step holds the replicas' variables"; fi
holds 200 replica_3/h1/W/Adam || fail "a checkpoint lacks the replicas' slots"
run stopped long 1 "${long[@]}" --resume
same long-whole stopped 3000
echo "equal bits after a kill, and after a signal at step $step"

# With an outer step after each step, of rate 1 without momentum, sgd is synchronous training but for rounding.
spec sync "optimizer: sgd, learning_rate: 0.05, replicas: 4"
spec each "optimizer: sgd, learning_rate: 0.05, strategy: local, replicas: 4, sync_every: 1, outer_learning_rate: 1, outer_momentum: 0"
run sync sync 2
run each each 2
paste -d ' ' <(losses "$WORK/sync") <(losses "$WORK/each") |
  awk '{ d = $2 - $4; if (d < 0) d = -d; if ($1 != $3 || d > 1e-5 * $2) bad = 1; n++ } END { exit bad || n != 12 }' ||
  { paste -d ' ' <(losses "$WORK/sync") <(losses "$WORK/each"); fail "an outer step after each step is no synchronous one"; }
if cmp -s <(losses "$WORK/sync") <(losses "$WORK/momentum-1"); then fail "all losses are equal"; fi
echo "sync_every 1 is sync within rounding"

# The outer steps are DiLoCo's: a slope with momentum in both loops, beside the same in float64.
awk 'BEGIN { print "x,y"; for (i = 0; i < 200; i++) print (i * 7 % 11) / 10 "," (i * 5 % 13) / 10 }' > "$WORK/slope.csv"
cat > "$WORK/slope.yaml" <<'END'
dfrun: 1
name: slope
inputs:
  batch: {csv: slope.csv, header: true, tensors: {x: {from: x, dtype: float32}, y: {from: y, dtype: float32}}, batch: 4}
graph:
  W: {op: Variable, shape: [], init: zeros}
  loss: Mean(Square(batch/x * W - batch/y))
train: {loss: loss, optimizer: momentum, momentum: 0.5, learning_rate: 0.05, steps: 33, strategy: local, replicas: 2,
        sync_every: 7, outer_learning_rate: 0.6, outer_momentum: 0.8}
checkpoint: {every: 0}
END
run slope slope 2
expected=$(python3 - <<'END'
rows = [((i * 7 % 11) / 10, (i * 5 % 13) / 10) for i in range(200)]
outer, velocity, own, slots = 0.0, 0.0, [0.0, 0.0], [0.0, 0.0]
for step in range(1, 34):
    for r in range(2):
        mine = rows[(step - 1) * 4 + 2 * r:][:2]
        slots[r] = 0.5 * slots[r] + sum(2 * x * (x * own[r] - y) for x, y in mine) / 2
        own[r] -= 0.05 * slots[r]
    if step % 7 == 0 or step == 33:
        gradient = outer - sum(own) / 2
        velocity = 0.8 * velocity + gradient
        outer -= 0.6 * (gradient + 0.8 * velocity)
        own = [outer, outer]
print(outer)
END
)
seen=$(h5dump -m '%.9g' -y -d /W:0 "$WORK/slope/checkpoints/step-33/index.h5" | sed -n '/DATA {/{n;p;q}' | tr -d ' ')
awk -v a="$expected" -v b="$seen" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b != "" && d < 1e-5) }' ||
  fail "the slope is $seen, and not $expected"
echo "the slope after 5 outer steps is $seen, in float64 $expected"

# What travels: nothing in a step that is not logged, and over all a fiftieth of synchronous training.
cat > "$WORK/sent.py" <<'CHECK'
"""sent.py TRACE...: bytes and messages that the ranks sent, and how many requests had messages."""
import json
import sys

events = [e for path in sys.argv[1:] for e in json.load(open(path, encoding="utf-8"))["traceEvents"] if e["ph"] == "X"]
sends = [e for e in events if e["cat"] == "send"]
print(sum(e["args"]["bytes"] for e in sends), len(sends), len({e["args"]["step"] for e in sends}))
CHECK
travelled() {
  run "$1" "$2" 2 --set steps=500 --set every=500 --set eval=null --trace 500 --threads 1
  python3 "$WORK/sent.py" "$WORK/$1"/trace/*.json
}
spec fifty "optimizer: momentum, learning_rate: 0.05, strategy: local, replicas: 2"
spec two "optimizer: momentum, learning_rate: 0.05, replicas: 2"
sed -i 's/log_every: 5/log_every: 50/' "$WORK/fifty.yaml" "$WORK/two.yaml"
read -r local_bytes local_messages local_steps < <(travelled fifty-trace fifty)
read -r sync_bytes sync_messages sync_steps < <(travelled two-trace two)
echo "500 steps on 2 ranks: $local_bytes bytes in $local_messages messages of $local_steps requests; sync: $sync_bytes, $sync_messages, $sync_steps"
[ "$local_bytes" -gt 0 ] && [ $((local_bytes * 50)) -le "$sync_bytes" ] || fail "more than a fiftieth travels"

# A replica that finds a value which is not finite ends the job, and is named on whatever rank it is.
awk 'BEGIN { print "x,y"; for (i = 0; i < 400; i++) print (i == 42 ? -1 : 1 + i % 7) "," i % 3 }' > "$WORK/rows.csv"
cat > "$WORK/nan.yaml" <<'END'
dfrun: 1
name: nan
inputs:
  batch: {csv: rows.csv, header: true, tensors: {x: {from: x, dtype: float32}, y: {from: y, dtype: float32}}, batch: 4}
graph:
  W: {op: Variable, shape: [], init: zeros}
  loss: Mean(Square(Log(batch/x) * W - batch/y))
train: {loss: loss, learning_rate: 0.01, steps: 40, log_every: 100, strategy: local, replicas: 4, sync_every: 20}
END
for ranks in 1 2 4; do
  code=0
  train $ranks "$WORK/nan.yaml" "$WORK/nan-$ranks" > "$WORK/log" 2>&1 || code=$?
  [ $code = 71 ] || { cat "$WORK/log"; fail "exit code $code, not 71"; }
  grep -q "step 11: the loss in replica 2 is nan.*Log.*The replica made no update from then on" "$WORK/log" ||
    { cat "$WORK/log"; fail "the replica is not named"; }
done
# With `skip` it leaves out its own update alone, also where another shares its rank.
sed -E 's/log_every: 100/log_every: 10, on_nan: skip/' "$WORK/nan.yaml" > "$WORK/skip.yaml"
echo 'checkpoint: {every: 40}' >> "$WORK/skip.yaml"
for ranks in 1 2 4; do
  run skip-$ranks skip $ranks
  same skip-1 skip-$ranks 40
done
[ "$(grep -o '"not_finite_steps": [0-9]*' "$WORK/skip-2/metrics.jsonl" | tr -dc '0-9\n' | paste -sd ' ')" = '0 1 0 0' ] ||
  { cat "$WORK/skip-2/metrics.jsonl"; fail "the steps that were left out are not counted"; }
grep -q "1 of the replicas' steps had a loss, or a gradient, that is not finite: the updates were left out" "$WORK/log" ||
  { cat "$WORK/log"; fail "nothing is said of the step that was left out"; }
awk 'BEGIN { print "x,y"; for (i = 0; i < 400; i++) print (i > 40 && i % 4 == 3 ? -1 : 1 + i % 7) "," i % 3 }' > "$WORK/rows.csv"
sed -i 's/on_nan: skip/on_nan: {skip: 5}/' "$WORK/skip.yaml"
for ranks in 1 4; do
  code=0
  train $ranks "$WORK/skip.yaml" "$WORK/full-$ranks" > "$WORK/log" 2>&1 || code=$?
  [ $code = 71 ] || { cat "$WORK/log"; fail "exit code $code, not 71"; }
  grep -q "step 15: the loss in replica 3 is not finite, and this replica made no update in its last 5 steps" "$WORK/log" ||
    { cat "$WORK/log"; fail "the replica that made no update is not named"; }
done
echo "a loss that is not finite is that of a replica"

# refused TEXT KEYS OPTION...: `check` names what does not go together.
refused() {
  local text=$1 keys=$2 code=0
  shift 2
  spec refused "optimizer: sgd, learning_rate: 0.05, $keys"
  "$DFRUN" check "$WORK/refused.yaml" "$@" > "$WORK/log" 2>&1 || code=$?
  [ $code = 65 ] || { cat "$WORK/log"; fail "exit code $code, not 65: $keys $*"; }
  grep -qF "$text" "$WORK/log" || { cat "$WORK/log"; fail "not '$text'"; }
}
refused "'every' of 'eval' is 20, but with 'strategy: local' it must be a multiple of 'sync_every', which is 50: 50 is one" \
  "strategy: local"
refused "'every' of 'checkpoint' is 30, but with 'strategy: local' it must be a multiple of 'sync_every', which is 20: 20 or 40 is one" \
  "strategy: local, sync_every: 20" --set every=30
refused "'sync_every' is a key of strategy 'local', but this is 'sync'" "sync_every: 5"
echo "refusals"
