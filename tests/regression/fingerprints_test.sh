#!/usr/bin/env bash
# Fingerprints of variables: numpy's of what the checkpoints hold, in metrics.jsonl and state.bin the same on 1, 2 and 4
# ranks and after --resume; a restored value that has another is refused.
#   fingerprints_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > fingerprint.py <<'P'
# The definition of src/checkpoint/FORMAT.md.
import json, struct
import numpy as np


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9
    z = (z ^ z >> 27) * 0x94D049BB133111EB
    return z ^ z >> 31


def factor(n):
    return mix((n + 1) * 0x9E3779B97F4A7C15) | 1


def fingerprint(words):
    i = np.arange(len(words), dtype=np.uint64)
    w = words.astype(np.uint32) ^ 0x9E3779B9
    w = (w ^ w >> 16) * 0x7FEB352D
    w = (w ^ w >> 15).astype(np.uint64)
    return int(np.sum(w * factor(i % 256) * factor(256 + i // 256), dtype=np.uint64))


def hash_of(text):
    h = np.array([len(text)], np.uint64)
    for at in range(0, len(text), 8):
        h = mix(h ^ int.from_bytes(text[at : at + 8], "little"))
    return h


def saved(step):
    """Of each variable in a checkpoint: the fingerprint in the manifest, and that of its bytes."""
    found = {}
    for shard in json.load(open(step + "/manifest.json"))["shards"]:
        data = open(step + "/" + shard["file"], "rb").read()
        for v in shard["variables"]:
            word = {"DT_FLOAT": "u4", "DT_INT64": "u4", "DT_DOUBLE": "u4", "DT_BOOL": "u1", "DT_BFLOAT16": "u2"}
            if v["dtype"] == "DT_STRING":
                import h5py

                texts = h5py.File(step + "/" + shard["file"])[v["name"] + ":0"][()]
                words = np.concatenate([hash_of(bytes(t)) for t in texts]).view("u4")
            else:
                size = {"DT_FLOAT": 4, "DT_INT64": 8, "DT_DOUBLE": 8, "DT_BOOL": 1, "DT_BFLOAT16": 2}[v["dtype"]]
                count = int(np.prod([int(d) for d in v["shape"]], dtype=np.int64)) * size
                at = int(v["offset"])
                words = np.frombuffer(data[at : at + count], word[v["dtype"]])
            found[v["name"]] = (int(v["fingerprint"], 16), fingerprint(words))
    return found


def logged(path):
    """The records of a state.bin: by step, the fingerprints by variable."""
    data = open(path, "rb").read()
    assert data[:8] == b"DFSTATE1", data[:8]
    (count,) = struct.unpack_from("<I", data, 8)
    at, names = 12, []
    for _ in range(count):
        (size,) = struct.unpack_from("<I", data, at)
        names.append(data[at + 4 : at + 4 + size].decode())
        at += 4 + size
    assert struct.unpack_from("<I", data, at)[0] == crc32c(data[:at])
    assert names == sorted(names)
    at += 4
    size = 8 + 8 * count
    records = {}
    while at < len(data):
        assert struct.unpack_from("<I", data, at + size)[0] == crc32c(data[at : at + size])
        step, *values = struct.unpack_from(f"<q{count}Q", data, at)
        records[step] = dict(zip(names, values))
        at += size + 4
    return records
P
cat > check.py <<'P'
import json, sys
from fingerprint import *

run, steps, *saves = sys.argv[1:]
records = logged(run + "/state.bin")
lines = [json.loads(line) for line in open(run + "/metrics.jsonl")]
lines = {line["step"]: line for line in lines if "state" in line}
assert list(records) == list(lines) == [int(s) for s in steps.split(",")], (list(records), list(lines))
for step, record in records.items():
    assert list(lines[step])[-1] == "state", lines[step]
    state = sum(int(mix(hash_of(name.encode()) ^ value)[0]) for name, value in record.items()) % 2**64
    assert lines[step]["state"] == "%016x" % state, (step, lines[step])
    assert step == 0 or len({str(r) for r in records.values()}) == len(records), "the states of two steps are equal"
for step in saves:
    found = saved(f"{run}/checkpoints/step-{step}")
    variables = records[int(step)]
    assert variables.keys() <= found.keys(), (list(variables), list(found))
    for name, (in_manifest, of_bytes) in found.items():
        assert in_manifest == of_bytes, (step, name)
        assert variables.get(name, of_bytes) == of_bytes, (step, name, "is not what the step left")
P
check() { /usr/bin/python3 check.py "$@" || fail "the fingerprints of $1"; }

# A training with slots, averages, a position, on parameter servers and with copies of the variables.
ln -s "$SOURCE/configs/lib" lib
ln -s "$SOURCE/configs/data" data
cat > train.yaml <<'Y'
dfrun: 1
include: [lib/nn.yaml]
params: {by: ps, steps: 12, optimizer: adam}
inputs:
  batch: {hdf5: data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 64, shuffle: true}
graph:
  h1:     dense(batch/image, units=24, activation=Relu)
  logits: dense(h1, units=10)
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
train: {loss: loss, optimizer: "${optimizer}", learning_rate: 0.01, steps: "${steps}", replicas: 4, log_every: 3,
        data_parallel: "${by}"}
checkpoint: {every: 6, keep: 0}
Y
for by in ps allreduce; do
  for np in 1 2 4; do
    ranks $np "$DFRUN" train.yaml --set by=$by --output $by$np > log 2>&1 || { cat log; fail "$by on $np ranks"; }
    check $by$np 3,6,9,12 6 12
    cmp $by$np/state.bin ${by}1/state.bin || fail "$by: other states on $np ranks than on one"
    diff <(metric_lines $by$np) <(metric_lines ${by}1) || fail "$by: other lines on $np ranks than on one"
  done
done
grep -q '/Adam\|beta1_power\|/m"' ps1/checkpoints/step-12/manifest.json || fail "no slots: $(cat ps1/checkpoints/step-12/manifest.json)"

# A run that goes on, on another number of ranks, and from an older checkpoint with records to cut off.
ranks 2 "$DFRUN" train.yaml --set steps=6 --output part > log 2>&1 || { cat log; fail "the first part"; }
expect 0 "resuming at step 6" "$DFRUN" train.yaml --output part --resume
cmp part/state.bin ps1/state.bin || fail "other states after --resume"
ranks 4 "$DFRUN" train.yaml --output part --resume=6 > log 2>&1 || { cat log; fail "from an older step"; }
cmp part/state.bin ps1/state.bin || fail "other states after --resume=6"
diff <(metric_lines part) <(metric_lines ps1) || fail "other lines after --resume=6"

# Without: the same bits, and no trace of fingerprints but in checkpoints; a resumed run does not keep later states.
sed '$a fingerprint: false' train.yaml > without.yaml
expect 0 "step 12/12" "$DFRUN" without.yaml --output without
if grep -q state without/metrics.jsonl || [ -e without/state.bin ]; then fail "fingerprints that nobody wants"; fi
diff <(metric_lines without) <(metric_lines ps1 | sed 's/, "state": "[0-9a-f]*"//') || fail "other losses without"
expect 0 "resuming at step 6" "$DFRUN" without.yaml --output part --resume=6
/usr/bin/python3 -c 'from fingerprint import *; assert list(logged("part/state.bin")) == [3, 6]' || fail "states of steps to come"
sed '$a fingerprint: 3' train.yaml > no.yaml
expect 65 "no.yaml:13:14: 'fingerprint' must be true or false" "$DFRUN" check no.yaml

# Variables of all kinds in a run, updated on one side of a conditional and in a loop.
cat > kinds.yaml <<'Y'
dfrun: 1
params: {where: ""}
functions:
  count: {args: [v, i], graph: {update: "AssignAdd(v, 1.0)"}, returns: {next: "AddV2(i, 1, ^update)"}}
graph:
  f:     {op: Variable, shape: [3, 300], init: "RandomUniform(minval=-1, maxval=1)", device: "${where}"}
  d:     {op: Variable, shape: [], init: 0.25, dtype: float64, device: "${where}"}
  n:     {op: Variable, shape: [2], init: 5, dtype: int64}
  b:     {op: Variable, shape: [4], init: true, dtype: bool}
  h:     {op: Variable, shape: [70], init: 1.5, dtype: bfloat16}
  words: {op: Const, value: ["'a rather long text'", "''"], dtype: string}
  s:     {op: Variable, shape: [2], init: words, dtype: string}
  v:     {op: Variable, shape: [], init: 0.0, device: "${where}"}
  times: AssignAdd(n, [1, 2])
  pred:  Equal(FloorMod(Sum(times), 2), 0)
  side:  Cond(pred, AssignAdd(d, 1.0), Identity(d))
  loop:  {op: While, vars: {i: 0}, cond: i < 5, body: {i: "count(v, i)"}}
  halve: AssignSub(f, f * 0.5)
run: {steps: 4, fetch: [side, loop], targets: [halve]}
checkpoint: {every: 1, keep: 0}
Y
for np in 1 2; do
  where=$([ $np = 1 ] || echo "/job:worker/task:1")
  ranks $np "$DFRUN" kinds.yaml --set where="$where" --output kinds$np > log 2>&1 || { cat log; fail "kinds on $np ranks"; }
  check kinds$np 1,2,3,4 1 2 3 4
done
cmp kinds1/state.bin kinds2/state.bin || fail "other states of a run on 2 ranks"

# A run without a variable has none.
printf 'dfrun: 1\ngraph:\n  x: RandomUniform(shape=[2])\nrun: {steps: 2, fetch: [x]}\n' > none.yaml
expect 0 "step 2/2" "$DFRUN" none.yaml --output none
if [ -e none/state.bin ] || grep -q state none/metrics.jsonl; then fail "a state of no variables"; fi

# A flipped bit with all checksums made anew.
cat > flip.py <<'P'
import json, sys
from fingerprint import crc32c

step = sys.argv[1]
path = step + "/manifest.json"
text = open(path, "rb").read()
body = text[: text.rindex(b' "checksum"')]
shard = json.loads(text)["shards"][0]
data = bytearray(open(step + "/" + shard["file"], "rb").read())
v = next(v for v in shard["variables"] if v["name"] == "logits/W")
at, size = int(v["offset"]), 24 * 10 * 4
data[at + 100] ^= 1
open(step + "/" + shard["file"], "wb").write(data)
for old, new in ((v["crc32c"], crc32c(data[at : at + size])), (shard["crc32c"], crc32c(data))):
    assert body.count(b'"crc32c": %d' % old) == 1
    body = body.replace(b'"crc32c": %d' % old, b'"crc32c": %d' % new)
open(path, "wb").write(body + b' "checksum": "crc32c:%08x"\n}\n' % crc32c(body))
P
/usr/bin/python3 flip.py ps1/checkpoints/step-12 || fail "a flipped bit"
cp ps1/metrics.jsonl before
expect 65 "variable 'logits/W' of" "$DFRUN" train.yaml --output ps1 --resume --set steps=15
grep -q "has the fingerprint [0-9a-f]*, but [0-9a-f]* was saved" out || { cat out; fail "no word of the fingerprint"; }
cmp before ps1/metrics.jsonl || fail "metrics.jsonl was changed"
expect 0 "resuming at step 6" "$DFRUN" train.yaml --output ps1 --resume=6
check ps1 3,6,9,12 6 12
echo "the fingerprints are numpy's, on every number of ranks"
