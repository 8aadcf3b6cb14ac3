#!/usr/bin/env bash
# --resume of a job whose steps are all done says so and changes nothing: what the last step fetched stays.
#   resume_finished_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > count.yaml <<'Y'
dfrun: 1
name: count
params: {steps: 6}
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
run: {steps: "${steps}", fetch: {count: next}}
checkpoint: {every: 2, keep: 0}
Y
fetched() {
  /usr/bin/python3 -c 'import h5py, sys; print(h5py.File(sys.argv[1])["count"][()])' "$1/fetches.h5"
}

expect 0 "step 6/6" "$DFRUN" count.yaml --output run
[ "$(fetched run)" = 6 ] || fail "fetches.h5 holds $(fetched run), not 6"
state run > before
expect 0 "all 6 steps are done: nothing is left after run/checkpoints/step-6" "$DFRUN" count.yaml --output run --resume
state run > after
cmp before after || fail "resuming a finished job changed its run directory"
expect 0 "all 4 steps are done" "$DFRUN" count.yaml --output run --resume --set steps=4
state run > after
cmp before after || fail "resuming a job of fewer steps changed its run directory"

# More steps are gone on with.
expect 0 "resuming at step 6" "$DFRUN" count.yaml --output run --resume --set steps=7
[ "$(fetched run)" = 7 ] || fail "fetches.h5 holds $(fetched run), not 7"

# Results that are gone are not passed over in silence.
rm run/fetches.h5
expect 70 "what the last step fetched is no longer in run/fetches.h5" "$DFRUN" count.yaml --output run --resume --set steps=7
expect 0 "resuming at step 4" "$DFRUN" count.yaml --output run --resume=4 --set steps=7
[ "$(fetched run)" = 7 ] || fail "fetches.h5 holds $(fetched run), not 7"

cat > train.yaml <<'Y'
dfrun: 1
name: train
graph:
  w: {op: Variable, shape: [], init: 4.0}
  loss: Square(w)
train: {loss: loss, optimizer: sgd, learning_rate: 0.1, steps: 4, log_every: 1}
checkpoint: {every: 2}
Y
expect 0 "step 4/4" "$DFRUN" train.yaml --output trained
state trained > before
expect 0 "all 4 steps are done" "$DFRUN" train.yaml --output trained --resume
state trained > after
cmp before after || fail "resuming a finished training changed its run directory"
echo "finished jobs are left as they are"
