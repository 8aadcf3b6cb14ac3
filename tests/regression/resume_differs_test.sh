#!/usr/bin/env bash
# A job that is resumed with another spec says in one line what differs, and what cannot go on is refused in one line,
# however many checkpoints there are.
#   resume_differs_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

seq 1 40 | awk '{ print $1 / 40 "," $1 % 2 }' > a.csv
cp a.csv b.csv
seq 1 60 | awk '{ print $1 / 60 "," $1 % 3 }' > c.csv
cat > base.yaml <<'Y'
dfrun: 1
name: base
seed: 3
inputs:
  data: {csv: a.csv, tensors: {x: 0, y: 1}, batch: 8, shuffle: true}
graph:
  W:    {op: Variable, shape: [3], init: ones}
  noise: RandomUniform(shape=[8])
  loss: Mean(Square(data/x * Sum(W) - data/y)) + Mean(noise)
train: {loss: loss, optimizer: momentum, learning_rate: 0.1, steps: 4, log_every: 1}
checkpoint: {every: 1, keep: 0}
Y
expect 0 "step 4/4" "$DFRUN" base.yaml --output base

# resumed LINE EXPRESSION...: the spec with its steps and what else `sed` changes is resumed, and the line is the one
# about what differs; "": there is none.
resumed() {
  local line=$1
  shift
  rm -rf run
  cp -r base run
  sed -e 's/steps: 4/steps: 6/' "${@/#/-e}" base.yaml > other.yaml
  expect 0 "resuming at step 4" "$DFRUN" other.yaml --output run --resume
  local lines=0
  lines=$(grep -c 'differ: ' out) || true
  if [ -z "$line" ]; then
    [ "$lines" = 0 ] || { cat out; fail "a line about a job that is the same: $*"; }
  else
    [ "$lines" = 1 ] || { cat out; fail "$lines lines about what differs: $*"; }
    grep -qF -- "warning: the checkpoint run/checkpoints/step-4 and this job differ: $line" out ||
      { cat out; fail "not '$line'"; }
  fi
}
# refused TEXT EXPRESSION...: it is refused in one line that holds the text.
refused() {
  local text=$1
  shift
  rm -rf run
  cp -r base run
  sed -e 's/steps: 4/steps: 6/' "${@/#/-e}" base.yaml > other.yaml
  expect 65 "$text" "$DFRUN" other.yaml --output run --resume
  [ "$(grep -c 'checkpoint' out)" = 1 ] || { cat out; fail "more than one line: $*"; }
  diff -r base run || fail "a refused job changed its run directory: $*"
}

resumed "" 's/log_every: 1/log_every: 2/' 's/every: 1, keep: 0/every: 2/' 's/name: base/name: other/'
resumed "train.learning_rate is 0.01 and was 0.1" 's/rate: 0.1/rate: 0.01/'
resumed "train.learning_rate is cosine(0.1 to 0 in 6) and was 0.1" \
  's/rate: 0.1/rate: {schedule: cosine, initial: 0.1, steps: 6}/'
resumed "seed is 4 and was 3" 's/seed: 3/seed: 4/'
resumed "inputs.data.batch is 4 and was 8" 's/batch: 8/batch: 4/' 's/noise: .*/noise: RandomUniform(shape=[8])/'
resumed "inputs.data.shuffle is false and was true" 's/shuffle: true/shuffle: false/'
resumed "inputs.data.files is b.csv and was a.csv" 's/a.csv/b.csv/'
resumed "train.momentum is 0.5 and was 0.9" 's/optimizer: momentum/optimizer: momentum, momentum: 0.5/'
resumed "train.clip_norm is 1 and was none" 's/log_every/clip_norm: 1, log_every/'
resumed "train.optimizer is sgd and was momentum; it also has 'W/Momentum', which is left out" \
  's/optimizer: momentum/optimizer: sgd/'
resumed "seed is 4 and was 3, train.learning_rate is 0.01 and was 0.1" 's/seed: 3/seed: 4/' 's/rate: 0.1/rate: 0.01/'
resumed "the graph has other nodes, or other attrs" 's/Mean(Square/Sum(Square/'
resumed "train.replicas is 2 and was 1; it has no state of 'replica_0/noise' and 'replica_1/noise', which begins anew; it also has 'noise/position', which is left out" \
  's/log_every/replicas: 2, log_every/'
# What is new begins anew: an input, a random op, a queue.
resumed "the graph has other nodes, or other attrs; it has no 'more/position', which is 0" \
  's/^graph:/  more: {csv: c.csv, tensors: {x: 0}, batch: 8}\ngraph:/' 's/loss: Mean.*/loss: Mean(Square(data\/x * Sum(W) - data\/y)) + Mean(noise) + Mean(more\/x)/'
grep -q '"name": "more", "samples": "60"' run/checkpoints/step-6/manifest.json || fail "the new input is not kept"
resumed "the graph has other nodes, or other attrs; it has no state of 'other', which begins anew" \
  's/+ Mean(noise)/+ Mean(noise) + Mean(other)/' 's/^  noise:/  other: RandomUniform(shape=[8])\n  noise:/'

refused "has no variable 'V' and 'V/Momentum' of this spec (the graph has other nodes, or other attrs): bring the spec" \
  's/^  noise/  V: {op: Variable, shape: [], init: ones}\n  noise/' 's/Sum(W)/(Sum(W) + V)/'
refused "has no variable 'V' and 'V/Momentum' of this spec; it has 'W' and 'W/Momentum', which the spec does not" \
  's/W:    /V:    /' 's/Sum(W)/Sum(V)/'
refused "variable 'W' is float32[3] in the checkpoint run/checkpoints/step-4, but float32[2] in this spec" \
  's/shape: \[3\]/shape: [2]/'
refused "train.optimizer is adam and was momentum" 's/optimizer: momentum/optimizer: adam/'
refused "; nor do older ones fit, 3 in all" 's/optimizer: momentum/optimizer: adam/'
refused "file c.csv has 60 samples, and a.csv had 40" 's/a.csv/c.csv/'

# A checkpoint that names an input and lacks its position is damaged, not one of a job without the input.
rm -rf run
cp -r base run
for step in 1 2 3 4; do
  /usr/bin/python3 - run/checkpoints/step-$step/manifest.json <<'P'
import sys
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
text = open(sys.argv[1], "rb").read()
body = text[: text.rindex(b' "checksum"')].replace(b'"data/position"', b'"data/positiom"')
open(sys.argv[1], "wb").write(body + b' "checksum": "crc32c:%08x"\n}\n' % crc32c(body))
P
done
sed -i 's/steps: 4/steps: 6/' base.yaml
expect 65 "step-4 is damaged: it lacks the position 'data/position'" "$DFRUN" base.yaml --output run --resume
echo "what differs is said in one line"
