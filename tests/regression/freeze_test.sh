#!/usr/bin/env bash
# Variables that `freeze` of `train` names are not trained: they keep their bits, have no slots, and cost no gradient; a
# job may be resumed with other ones.
#   freeze_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

ln -s "$SOURCE/configs" configs
seq 1 64 | awk '{ print sin($1) "," cos($1) "," $1 % 2 }' > a.csv
cat > base.yaml <<'Y'
dfrun: 1
seed: 3
inputs: {data: {csv: a.csv, tensors: {x: {from: "0:2"}, y: 2}, batch: 16, shuffle: true}}
include: [configs/lib/nn.yaml]
graph:
  h1: dense(data/x, units=8, activation=Tanh)
  h2: dense(h1, units=8, activation=Tanh)
  top: dense(h2, units=1)
  loss: Mean(Square(top - ExpandDims(data/y, 1)))
train: {loss: loss, optimizer: adam, learning_rate: 0.01, steps: 8, log_every: 1}
checkpoint: {every: 4, keep: 0}
Y
frozen() { sed "s|log_every|freeze: $1, log_every|" base.yaml; }
# values RUN: the values of the newest checkpoint, a line a variable.
values() {
  dump "$1/checkpoints/step-$(newest "$1")"/shard-*.h5
}
of() { grep "^$1 " || true; }

# One that is frozen has the bits that its `init` gave; each of the others has moved.
names=(h1/W h1/b h2/W h2/b top/W top/b)
expect 0 "" "$DFRUN" eval base.yaml "${names[@]/#/--fetch=}" --out first.h5
frozen '["h1/*", h2/W]' > some.yaml
expect 0 "frozen: 3 variables of 88 elements, 352 bytes" "$DFRUN" check some.yaml
if grep '^warning: ' out; then fail "a warning of what is frozen"; fi
expect 0 "step 8/8" "$DFRUN" some.yaml --output some
dump first.h5 > first.txt
values some > some.txt
for name in h1/W h1/b h2/W; do
  [ -n "$(of $name < some.txt)" ] && [ "$(of $name < first.txt)" = "$(of $name < some.txt)" ] || fail "$name has moved"
  if grep -q "^$name/Adam" some.txt; then fail "$name has slots"; fi
done
for name in h2/b top/W top/b; do
  [ "$(of $name < first.txt)" != "$(of $name < some.txt)" ] || fail "$name has not moved"
  grep -q "^$name/Adam" some.txt || fail "$name has no slots"
done

# The same as `trainable: false` at each, on any number of ranks, with replicas and with allreduce.
for with in 'replicas: 2' 'replicas: 2, data_parallel: allreduce' 'replicas: 4, parameters: spread'; do
  rm -rf one many
  sed "s/log_every/$with, log_every/" some.yaml > replicas.yaml
  expect 0 "step 8/8" "$DFRUN" replicas.yaml --output one
  ranks 2 "$DFRUN" replicas.yaml --output many > out 2>&1 || { cat out; fail "two ranks, $with"; }
  diff <(values one | sort) <(values many | sort) > /dev/null || fail "other bits on two ranks: $with"
done
sed -e 's/W: {op: Variable, shape: \["dim/&/; s/init: "${init}"}/init: "${init}", trainable: "${trained}"}/' \
  -e 's/shape: \["${units}"\], init: zeros}/shape: ["${units}"], init: zeros, trainable: "${trained}"}/' \
  -e 's/attrs: {units: ~, activation: Identity,/attrs: {units: ~, trained: true, activation: Identity,/' \
  configs/lib/nn.yaml > nn.yaml
sed -e 's|configs/lib/nn.yaml|nn.yaml|' -e '/h1: dense/s/units=8/units=8, trained=false/' base.yaml > untrainable.yaml
frozen '"h1/*"' > h1.yaml
expect 0 "step 8/8" "$DFRUN" untrainable.yaml --output untrainable
expect 0 "step 8/8" "$DFRUN" h1.yaml --output h1
diff <(values untrainable | sort) <(values h1 | sort) > /dev/null || fail "it is not as with trainable: false"

# The step has fewer nodes and less memory: nothing of the backward pass below the first trained variable is there.
nodes() { "$DFRUN" graph "$1" --partitioned | grep -c "$2" || true; }
[ "$(nodes base.yaml TanhGrad)" -gt 0 ] || fail "no gradient to be rid of"
frozen '["h1/*", "h2/*"]' > top.yaml
[ "$(nodes top.yaml TanhGrad)" = 0 ] || fail "gradients of what is frozen"
[ "$(nodes top.yaml /Adam)" -lt "$(nodes base.yaml /Adam)" ] || fail "slots of what is frozen"

# A resume with another list says so. What is trained from now on begins with new slots, what is frozen loses them.
resumed() {
  rm -rf run
  cp -r "$1" run
  sed 's/steps: 8/steps: 12/' "$2" > more.yaml
  expect 0 "resuming at step 8" "$DFRUN" more.yaml --output run --resume
  grep -qF -- "$3" out || { cat out; fail "it does not say '$3'"; }
}
resumed some base.yaml "differ: train.freeze is none and was h1/* h2/W; it has no 'h1/W/Adam', 'h1/W/Adam_1', 'h1/b/Adam', 'h1/b/Adam_1' and 2 others, which begins anew"
expect 0 "step 8/8" "$DFRUN" base.yaml --output base
resumed base some.yaml "differ: train.freeze is h1/* h2/W and was none; it also has 'h1/W/Adam'"
resumed some h1.yaml "differ: train.freeze is h1/* and was h1/* h2/W"
rm -rf run
cp -r some run
sed 's/steps: 8/steps: 12/' some.yaml > more.yaml
expect 0 "resuming at step 8" "$DFRUN" more.yaml --output run --resume
if grep 'differ: ' out; then fail "a line about a job that is the same"; fi

# Mistakes.
frozen '[h1/w]' > a.yaml
expect 65 "a.yaml:10:$(awk '/freeze/ { print index($0, "h1/w") }' a.yaml): 'h1/w' is no variable of the graph; the nearest are 'h1/W'" \
  "$DFRUN" check a.yaml
frozen '[*/W]' > a.yaml
expect 65 "a text that begins with '*' is quoted: \"*/W\"" "$DFRUN" check a.yaml
frozen '"*"' > a.yaml
expect 65 "depends on no trainable variable that 'freeze' leaves to be trained" "$DFRUN" check a.yaml
# A warning: averages that the graph assigns change all the same.
sed -e 's/h2: dense(h1/n: batch_norm(h1)\n  h2: dense(n/' base.yaml > norm.yaml
sed -i 's|log_every|freeze: ["n/*"], log_every|' norm.yaml
expect 0 "warning: 'freeze' of 'train' names 'n/moving_mean', 'n/moving_variance', which the graph assigns in each step" \
  "$DFRUN" check norm.yaml
sed -i 's|"n/\*"|n/gamma, n/beta|' norm.yaml
expect 0 "frozen: 2 variables" "$DFRUN" check norm.yaml
if grep '^warning: .freeze' out; then fail "a warning of averages that no pattern names"; fi
# What the loss does not reach is meant to be so.
sed -e 's/^  loss: /  U: {op: Variable, shape: [], init: 0.0}\n  loss: /' base.yaml > unreached.yaml
expect 0 "no gradient for the trained variable 'U'" "$DFRUN" check unreached.yaml
sed -i 's|log_every|freeze: U, log_every|' unreached.yaml
expect 0 ": ok," "$DFRUN" check unreached.yaml
if grep '^warning: ' out; then fail "warned of what is frozen"; fi
echo "what is frozen stays as it is"
