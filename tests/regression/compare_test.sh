#!/usr/bin/env bash
# `dfrun compare` finds the first step, the metric and the variable in which two runs differ, and nothing in equal ones.
#   compare_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > mlp.yaml <<Y
dfrun: 1
params: {lr: 0.1}
include: [lib/nn.yaml]
inputs:
  batch: {hdf5: $SOURCE/configs/data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 64, shuffle: true}
  test: {hdf5: $SOURCE/configs/data/digits.h5, tensors: {image: /test/image, label: /test/label}, batch: all}
graph:
  h1: dense(batch/image, units=16, activation=Relu)
  logits: dense(h1, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  accuracy: Mean(Cast(Equal(ArgMax(logits, 1), batch/label), DstT=float32))
train: {loss: loss, optimizer: momentum, learning_rate: "\${lr}", momentum: 0.9, steps: 200, replicas: 2, log_every: 10}
eval: {every: 50, feed: {batch: test}, metrics: [accuracy]}
checkpoint: {every: 100}
Y
train() {
  local run=$1
  shift
  "$@" > log 2>&1 || { cat log >&2; fail "the job $run"; }
}
train a "$DFRUN" mlp.yaml --output a --trace 2

# Equal: the same again, on other ranks, and resumed.
train same "$DFRUN" mlp.yaml --output same --trace 3
train two ranks 2 "$DFRUN" mlp.yaml --output two
train resumed "$DFRUN" mlp.yaml --output resumed --steps 150
train resumed "$DFRUN" mlp.yaml --output resumed --resume
state a > before
for run in a same two resumed; do
  expect 0 "result   equal" "$DFRUN" compare a $run
  expect 0 "result   equal" "$DFRUN" compare $run a
done
state a > after
cmp before after || fail "dfrun compare changed something"
"$DFRUN" compare a two > out
grep -q '^metrics  equal in all bits, in the 20 logged steps that both have$' out || { cat out; fail "the metrics"; }
grep -Eq '^ +ranks +A +1 +B +2$' out || { cat out; fail "the ranks"; }
"$DFRUN" compare a same > out
grep -Eq '^ +MatMul|^ +[A-Za-z_]*MatMul' out || { cat out; fail "times by op"; }

# A param: the spec's line with its origins, and metrics from the first step on.
train b "$DFRUN" mlp.yaml --output b --set lr=0.2
expect 1 "result   different" "$DFRUN" compare a b
grep -Eq '^spec +1 line differs$' out || { cat out; fail "the number of lines"; }
grep -Eq '^ +params.lr: +A +0\.1 +# mlp.yaml:2$' out || { cat out; fail "the line of a"; }
grep -Eq '^ +B +0\.2 +# --set$' out || { cat out; fail "the line of b"; }
# A seed.
train seed "$DFRUN" mlp.yaml --output seed --set seed=1
expect 1 "differ from step 10 on" "$DFRUN" compare a seed
/usr/bin/python3 - <<'P' || { cat out; fail "the largest difference"; }
import json, re

def read(run):
    values = {}
    for line in open(run + "/metrics.jsonl"):
        line = json.loads(line)
        values.update({(line["step"], name): value for name, value in line.items()
                       if name in ("loss", "eval/accuracy")})
    return values

a, b = read("a"), read("seed")
(step, name), most = max(((key, abs(a[key] - b[key])) for key in a), key=lambda item: item[1])
text = open("out").read()
found = re.search(r"largest difference: (\S+), (\S+) of step (\d+): (\S+) and (\S+)", text)
assert abs(float(found[1]) - most) <= 1e-5 * most, (found[0], most)
assert (int(found[3]), found[2]) == (step, name), (found[0], step, name)
assert (float(found[4]), float(found[5])) == (a[step, name], b[step, name])
P

# One bit of one weight from step 137 on is seen from the next logged step on.
cat > plant.py <<'P'
"""Writes state.bin beside the metrics of both runs, of which the second has another h1/W from step 137 on; with `loss`
the last bit of its loss too."""
import json, struct, sys

POLYNOMIAL = 0x82F63B78


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def sealed(data):
    return data + struct.pack("<I", crc32c(data))


def next_float(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0] ^ 1
    return float("%.9g" % struct.unpack("<f", struct.pack("<I", bits))[0])


def write(run, is_other, with_loss):
    names = ["h1/W", "h1/b", "logits/W"]
    state = sealed(b"DFSTATE1" + struct.pack("<I", len(names)) +
                   b"".join(struct.pack("<I", len(name)) + name.encode() for name in names))
    lines = []
    for line in open(run + "/metrics.jsonl"):
        line = json.loads(line)
        step = line["step"]
        if "loss" in line:
            of = [step * 1000 + i for i in range(len(names))]
            if is_other and step >= 137:
                of[0] ^= 1 << 40
                if with_loss:
                    line["loss"] = next_float(line["loss"])
            state += sealed(struct.pack("<q", step) + struct.pack("<3Q", *of))
        line.pop("state", None)
        lines.append(json.dumps(line) + "\n")
    open(run + "/state.bin", "wb").write(state)
    open(run + "/metrics.jsonl", "w").writelines(lines)


write(sys.argv[1], False, False)
write(sys.argv[2], True, len(sys.argv) > 3)
P
cp -r a left
cp -r a right
/usr/bin/python3 plant.py left right
expect 1 "the variables differ from step 140 on: h1/W" "$DFRUN" compare left right
grep -q '^metrics  equal in all bits' out || { cat out; fail "the metrics are equal"; }
expect 0 "equal fingerprints of all variables, in the 20 steps that both have" "$DFRUN" compare left left
cp -r a left2
cp -r a right2
/usr/bin/python3 plant.py left2 right2 loss
expect 1 "the variables differ from step 140 on: h1/W" "$DFRUN" compare left2 right2
grep -q '^metrics  differ from step 140 on$' out || { cat out; fail "the step of the metrics"; }
grep -Eq '^ +loss +A +[0-9.e-]+ +B +[0-9.e-]+$' out || { cat out; fail "the metric"; }

# One bit of one number of a variable that a training turns in step 137.
cat > bit.yaml <<'Y'
dfrun: 1
params: {flip: 0}
graph:
  W:     {op: Variable, shape: [12], init: "RandomNormal(stddev=0.5)"}
  scale: {op: Variable, shape: [4], init: ones, trainable: false}
  step:  {op: Variable, shape: [], dtype: int32, init: 0, trainable: false}
  bit:   Cast(Equal(AssignAdd(step, 1), 137), DstT=int32) * ${flip} * OneHot(2, 4, 1, 0)
  made:  Assign(scale, Bitcast(BitwiseXor(Bitcast(scale, type=int32), bit), type=float32))
  loss:  Mean(Square(W - 3.0) * Mean(made))
train: {loss: loss, learning_rate: 0.01, steps: 200, log_every: 10}
Y
train unturned "$DFRUN" bit.yaml --output unturned
train turned "$DFRUN" bit.yaml --output turned --set flip=1
expect 1 "the variables differ from step 140 on: scale" "$DFRUN" compare unturned turned

# Files that are cut short, or missing; a run that is longer.
truncate -s -5 right/state.bin
truncate -s -5 right/metrics.jsonl
expect 1 "the variables differ from step 140 on: h1/W" "$DFRUN" compare left right
grep -Eq '^ +eval/accuracy +A +[0-9.]+ +B +-$' out || { cat out; fail "the line that was cut short"; }
rm right/state.bin
expect 1 "B has no state.bin" "$DFRUN" compare left right
cp -r a short
head -n 12 a/metrics.jsonl > short/metrics.jsonl
expect 1 "only A has step" "$DFRUN" compare a short
expect 1 "only B has step" "$DFRUN" compare short a
echo damaged > left/state.bin
cp a/metrics.jsonl right
expect 65 "state.bin" "$DFRUN" compare left left2
mkdir empty
expect 66 "'empty' is no run directory" "$DFRUN" compare a empty
expect 66 "'absent' is no run directory" "$DFRUN" compare absent a
expect 64 "" "$DFRUN" compare a
echo "differences are found"
