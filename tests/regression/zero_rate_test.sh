#!/usr/bin/env bash
# A training whose learning rate is 0 names the trained variables that change all the same.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > still.yaml <<'END'
dfrun: 1
name: still
params: {rate: 0.0, factor: 0.5}
graph:
  w: {op: Variable, shape: [3], init: ones}
  v: {op: Variable, shape: [2], init: ones}
  seen: {op: Variable, shape: [2], init: zeros, trainable: false, reduce: mean}
  keep: AssignAdd(seen, [1.0, 1.0])
  move: {op: Assign, inputs: [v, "v * ${factor}"]}
  loss: {op: Add, inputs: ["Sum(w * w)", "Sum(v)"], control: [^move, ^keep]}
train: {loss: loss, optimizer: adam, learning_rate: "${rate}", steps: 6, log_every: 2}
END
for n in 1 2; do
  expect 0 "warning: learning_rate is 0, and up to step 2 the trained variable 'v' has changed" \
    mpirun --oversubscribe -np $n "$DFRUN" still.yaml --output moved$n
  [ "$(grep -c "learning_rate is 0" out)" = 1 ] || fail "it is said more than once"
done

# What does not change is not named, and neither is anything where there is a rate.
expect 0 "step 6/6" "$DFRUN" still.yaml --set factor=1.0 --output same
! grep -qF "learning_rate is 0" out || fail "a variable is named that has not changed"
expect 0 "step 6/6" "$DFRUN" still.yaml --set rate=0.1 --output rate
! grep -qF "learning_rate is 0" out || fail "a variable is named though there is a rate"
echo "passed"
