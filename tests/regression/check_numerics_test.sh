#!/usr/bin/env bash
# --check-numerics of `run:` jobs and of eval: the first node that makes a value which is not finite is named.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# In step 4 the square root is of a number below 0; nothing that is fetched tells.
cat > root.yaml <<'END'
dfrun: 1
name: root
graph:
  left: {op: Variable, shape: [2], init: "Fill([2], 3.0)", trainable: false, reduce: first}
  less: AssignSub(left, [1.0, 1.0])
  root: Sqrt(less)
  hidden: Maximum(Exp(-root), 0.0)
  count: Size(hidden)
run: {steps: 6, fetch: [count]}
END
expect 0 "step 6/6" "$DFRUN" root.yaml --output plain
expect 71 "root.yaml:6:9: step 4: node 'root' (op Sqrt) on " "$DFRUN" root.yaml --check-numerics --output checked
grep -qF "made nan at [0]" out || fail "the value is not told"
expect 0 "the captured bits" "$DFRUN" replay checked/capture/node.h5
for n in 1 2; do
  expect 71 "step 4: node 'root' (op Sqrt) on " \
    mpirun --oversubscribe -np $n "$DFRUN" root.yaml --check-numerics --output ranks$n
done
sed 's/fetch: /steps_in_flight: 3, fetch: /' root.yaml > flight.yaml
expect 71 "step 4: node 'root' (op Sqrt) on " "$DFRUN" flight.yaml --check-numerics --output flight

# Values that are finite make no difference.
sed 's/3\.0/30.0/' root.yaml > finite.yaml
expect 0 "step 6/6" "$DFRUN" finite.yaml --check-numerics --output finite
expect 0 "step 6/6" "$DFRUN" finite.yaml --output finite2
cmp finite/fetches.h5 finite2/fetches.h5 || fail "the check changes what is fetched"

# A first value that is not finite is found before the first step.
sed 's/Fill(\[2\], 3.0)/Log(Fill([2], 0.0))/' root.yaml > first.yaml
expect 71 "before the first step: node '" "$DFRUN" first.yaml --check-numerics --output first

# An evaluation, with what is fed.
cat > model.yaml <<'END'
dfrun: 1
name: model
graph:
  x: {op: Placeholder, dtype: float32, shape: [3]}
  inverse: 1.0 / x
  kept: Minimum(inverse, 100.0)
END
expect 0 "kept: " "$DFRUN" eval model.yaml --feed 'x=[1, 2, 0]' --fetch kept
expect 71 "model.yaml:5:" "$DFRUN" eval model.yaml --feed 'x=[1, 2, 0]' --fetch kept --check-numerics
grep -qF "node 'inverse' (op " out || fail "the node is not named"
grep -qF "made inf at [2] in its output 0" out || fail "the value is not told"
expect 0 "kept: " "$DFRUN" eval model.yaml --feed 'x=[1, 2, 4]' --fetch kept --check-numerics

# A training does so by itself.
cat > train.yaml <<'END'
dfrun: 1
name: train
graph:
  w: {op: Variable, shape: [], init: ones}
  loss: Square(w)
train: {loss: loss, learning_rate: 0.1, steps: 2}
END
expect 64 "--check-numerics is for specs with \`run:\`" "$DFRUN" train.yaml --check-numerics --output train
echo "passed"
