#!/usr/bin/env bash
# A training keeps the checkpoint of its best evaluation and ends when its metric no longer gets better. Stopped by a
# signal or killed after any step and resumed, on other ranks too, it has the same best step, last step, lines and bits.
#   best_and_stop_test.sh SOURCE_DIR DFRUN [EVERY]    default: after every fourth step
SOURCE=$1 DFRUN=$2 EVERY=${3:-4}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/preload.sh"
library=$(dirname "$DFRUN")/libdfrun_test_signal_at_line.so
preload_name library

# W goes from 0 towards 3, past 1.5: the distance to it falls until step 14 and rises from then on. Noise keeps bits
# from being equal by chance.
cat > far.yaml <<'Y'
dfrun: 1
seed: 3
params: {steps: 40, patience: 8, every: 7, keep: 1, kept: 1, after: 0, delta: 0, metric: eval/far}
graph:
  W:     {op: Variable, shape: [4], init: zeros}
  noise: RandomUniform(shape=[8, 4], minval=-0.1, maxval=0.1)
  loss:  Mean(Square(W + noise - 3.0))
  far:   Abs(Mean(W) - 1.5)
  none:  far / 0.0 * 0.0
  big:   Sum(W)
train:
  loss: loss
  learning_rate: 0.1
  steps: "${steps}"
  replicas: 2
  log_every: 1
  stop: {metric: "${metric}", mode: min, patience: "${patience}", min_delta: "${delta}", after_steps: "${after}"}
eval:
  eval:  {every: 2, metrics: [far, none]}
  other: {every: 7, metrics: [big]}
checkpoint: {every: "${every}", keep: "${keep}", best: {metric: eval/far, mode: min, keep: "${kept}"}}
Y
bits() { # bits RUN: of the variables of its last checkpoint, and of the best one
  local last
  last=$(newest "$1")
  for step in "$last" "@best"; do
    if [ "$step" = @best ]; then from=$1@best; else from=$1@$step; fi
    "$DFRUN" eval far.yaml --evaluation eval --restore "$from" --fetch W --out w.h5 --force > /dev/null
    h5dump -d /W w.h5 | tail -n +2
  done
}
content() { metric_lines "$1"; ls "$1/checkpoints" | grep '^step-[0-9]*$' | sort; bits "$1"; }
same() { # same RUN WHAT
  content "$1" > seen
  cmp -s expected seen && return
  diff expected seen | head -20 >&2
  fail "$2: it differs from the training without a stop"
}

expect 0 "the training ends after step" "$DFRUN" far.yaml --output run
cp out whole.out
content run > expected
best=$(grep -o '"step": [0-9]*, "eval/far": [^,]*' expected | sed 's/"step": //; s/, "eval\/far": / /' |
  awk 'NR == 1 || $2 < least { least = $2; step = $1 } END { print step }')
last=$((best + 16))
grep -q "the training ends after step $last of 40: eval/far has not been less than .*, that of step $best, in 8 evaluations" \
  whole.out || { cat whole.out; fail "not eight evaluations of two steps each after step $best"; }
[ "$(metric_lines run | tail -1 | grep -o '"step": [0-9]*')" = "\"step\": $last" ] ||
  fail "the last line is not of step $last"
metric_lines run | grep -q "\"step\": $last, \"other/big\"" || fail "the last step has no evaluation 'other'"
[ "$(ls run/checkpoints | grep -c '^step-')" = 2 ] || fail "not the newest and the best: $(ls run/checkpoints)"
[ -d "run/checkpoints/step-$best" ] && [ -d "run/checkpoints/step-$last" ] || fail "$(ls run/checkpoints)"
/usr/bin/python3 - "$last" <<'P' || fail "run.json"
import json, sys
record = json.load(open("run/run.json"))
assert record["exit"] == 0 and record["stopped"]["step"] == int(sys.argv[1]), record
assert "eval/far" in record["stopped"]["reason"], record
P

# It stays ended, and nothing changes.
state run > before
expect 0 "the training ended at step $last: eval/far has not been less" "$DFRUN" far.yaml --output run --resume
grep -q "a greater 'patience' lets it go on" out || fail "no word on how to go on"
state run | diff before - || fail "a training that had ended changed its directory"

# Checkpoints by name.
expect 0 "far: float32" "$DFRUN" eval far.yaml --evaluation eval --restore run@best --fetch far
value=$(grep -o 'far: float32.*' out)
expect 0 "$value" "$DFRUN" eval far.yaml --evaluation eval --restore "run@$best" --fetch far
expect 64 "there is no checkpoint of step 3 in run/checkpoints; there are those of steps $best, $last" \
  "$DFRUN" eval far.yaml --evaluation eval --restore run@3 --fetch far
expect 64 "'first' is no step; write run@best" "$DFRUN" eval far.yaml --evaluation eval --restore run@first --fetch far
expect 66 "--restore nowhere@best" "$DFRUN" eval far.yaml --evaluation eval --restore nowhere@best --fetch far
expect 65 "behind the name of a run alone '@'" \
  "$DFRUN" eval far.yaml --evaluation eval --restore "run/checkpoints/step-$best@best" --fetch far
cp -r run "run@7"
expect 0 "far: float32" "$DFRUN" eval far.yaml --evaluation eval --restore run@7 --fetch far
expect 0 "far: float32" "$DFRUN" eval far.yaml --evaluation eval --restore run@7@best --fetch far
expect 64 "the spec has several evaluations, which feed the model differently: say which, --evaluation eval or other" \
  "$DFRUN" eval far.yaml --restore run --fetch far
expect 64 "--evaluation othr: the spec has no such evaluation; it has eval, other, did you mean 'other'?" \
  "$DFRUN" eval far.yaml --restore run --evaluation othr
expect 0 "big: float32" "$DFRUN" eval far.yaml --restore run --evaluation other

# Stopped by a signal right after each step, before what is due there, and resumed; killed there, and resumed.
for step in $(seq 1 "$EVERY" $((last - 1))); do
  rm -rf cut
  code=0
  SIGNAL=15 SIGNAL_AT_LINE="{\"step\": $step, " LD_PRELOAD=$library timeout 60 "$DFRUN" far.yaml --output cut > out 2>&1 ||
    code=$?
  [ "$code" = 75 ] || { cat out; fail "step $step: exit code $code"; }
  expect 0 "resuming at step $step" "$DFRUN" far.yaml --output cut --resume
  same cut "stopped after step $step"
done
for step in $(seq 1 $((3 * EVERY)) $((last - 1))); do
  rm -rf cut
  (SIGNAL=9 SIGNAL_AT_LINE="{\"step\": $step, " LD_PRELOAD=$library timeout 60 "$DFRUN" far.yaml --output cut > out 2>&1) \
    2> killed || true
  expect 0 "the training ends after step $last" "$DFRUN" far.yaml --output cut --resume
  same cut "killed after step $step"
done
for ranks in 2 3; do
  rm -rf cut
  ranks $ranks "$DFRUN" far.yaml --output cut > out 2>&1 || { cat out; fail "$ranks ranks"; }
  same cut "$ranks ranks"
done

# Killed after the lines of an evaluation that a resumed job has made up for: the lines are there once.
rm -rf cut
SIGNAL=15 SIGNAL_AT_LINE='{"step": 10, ' LD_PRELOAD=$library timeout 60 "$DFRUN" far.yaml --output cut > out 2>&1 || true
(SIGNAL=9 SIGNAL_AT_LINE='{"step": 10, ' LD_PRELOAD=$library timeout 60 "$DFRUN" far.yaml --output cut --resume > out 2>&1) \
  2> killed || true
expect 0 "resuming at step 10" "$DFRUN" far.yaml --output cut --resume
same cut "killed after a missing evaluation"

# A greater patience goes on, to the bits of a training that had it from the begin.
cp -r run longer
expect 0 "'patience' is 100 and was 8" "$DFRUN" far.yaml --output longer --resume --set patience=100
expect 0 "step 40/40" "$DFRUN" far.yaml --output patient --set patience=100
diff <(metric_lines longer | grep -v 'other/big') <(metric_lines patient | grep -v 'other/big') ||
  fail "other lines with a greater patience"
bits longer > longer.bits
bits patient > patient.bits
cmp longer.bits patient.bits || fail "other bits with a greater patience"

# From an older checkpoint later bests are forgotten: the last step is then the best.
expect 0 "step 40/40" "$DFRUN" far.yaml --output all --set patience=100 --set keep=0
early=$((best - 4))
cp -r all again
expect 0 "resuming at step $early" "$DFRUN" far.yaml --output again --resume=$early --set patience=100 --set keep=0 \
  --set steps=$((early + 1))
expect 0 "far: float32" "$DFRUN" eval far.yaml --evaluation eval --restore again@best --fetch far
before=$(grep -o 'far: float32.*' out)
expect 0 "$before" "$DFRUN" eval far.yaml --evaluation eval --restore again@$((early + 1)) --fetch far

# Several best ones; evaluations that do not count yet; a value by which it must be better; NaN is never better.
expect 0 "step 40/40" "$DFRUN" far.yaml --output three --set kept=3 --set patience=100
[ "$(ls three/checkpoints | grep -c '^step-')" = 4 ] || fail "not three best ones and the newest: $(ls three/checkpoints)"
expect 0 "the training ends after step 34 of 40: eval/far has not been less" "$DFRUN" far.yaml --output late --set after=20
expect 0 "the training ends after step 18 of 40" "$DFRUN" far.yaml --output fussy --set delta=5
expect 0 "the training ends after step 16 of 40: eval/none has not been a number in 8 evaluations" \
  "$DFRUN" far.yaml --output nan --set metric=eval/none
expect 65 "no evaluation of the job gives 'eval/fat', the metric of 'stop'; there are eval/far, eval/none, other/big, did you mean 'eval/far'?" \
  "$DFRUN" check far.yaml --set metric=eval/fat
echo "one best step, one last step, one set of bits"
