#!/usr/bin/env bash
# --resume=STEP goes on from that checkpoint, sets later ones aside, and is refused where there is none.
#   resume_step_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > count.yaml <<'Y'
dfrun: 1
name: count
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
run: {steps: 6, fetch: {count: next}}
checkpoint: {every: 2, keep: 0}
Y
expect 0 "step 6/6" "$DFRUN" count.yaml --output run
cp -r run before
for wrong in 3 100 0; do
  expect 64 "no checkpoint of step $wrong in run/checkpoints; there are those of steps 2, 4, 6" \
    "$DFRUN" count.yaml --output run --resume=$wrong
done
for wrong in x -2 2.5 99999999999999999999 "4 "; do
  expect 64 "is not a step" "$DFRUN" count.yaml --output run "--resume=$wrong"
done
expect 64 "not expected" "$DFRUN" count.yaml --output run --resume 4
expect 64 "no checkpoint of step 2 in nowhere/checkpoints, and none of another" \
  "$DFRUN" count.yaml --output nowhere --resume=2
[ ! -e nowhere ] || fail "a refused job made its run directory"
diff -r before run || fail "a refused --resume changed the run directory"

expect 0 "resuming at step 2 from run/checkpoints/step-2" "$DFRUN" count.yaml --output run --resume=2
grep -q 'later steps are set aside: run/checkpoints/step-6.aside-1, run/checkpoints/step-4.aside-1' out ||
  { cat out; fail "no word on the later checkpoints"; }
[ -d run/checkpoints/step-6 ] && [ -d run/checkpoints/step-6.aside-1 ] || fail "a checkpoint is missing"
[ "$(wc -l < run/metrics.jsonl)" = 6 ] || fail "metrics.jsonl has not one line a step"

# The one that is asked for is damaged: no other is taken for it.
truncate -s 100 run/checkpoints/step-4/shard-0.h5
expect 65 "step-4 is damaged" "$DFRUN" count.yaml --output run --resume=4
expect 64 "override" "$DFRUN" count.yaml --output run --no-optimize=3
expect 0 "all 6 steps are done" env DFRUN_RESUME=true "$DFRUN" count.yaml --output run
echo "--resume=STEP is honoured or refused"
