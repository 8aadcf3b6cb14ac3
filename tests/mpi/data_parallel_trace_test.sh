#!/usr/bin/env bash
# What travels in a step of a training by copies, as its trace on 2 ranks says: gradients and no variable, and the first
# buckets while the backward pass goes on.
#   data_parallel_trace_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

cp "$SOURCE/configs/data/digits.h5" "$SOURCE/configs/lib/nn.yaml" "$WORK/"
cat > "$WORK/net.yaml" <<'END'
dfrun: 1
name: net
include: [nn.yaml]
inputs:
  batch: {hdf5: digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 256, shuffle: true}
graph:
  l1: dense(batch/image, units=256, activation=Relu)
  l2: dense(l1, units=256, activation=Relu)
  l3: dense(l2, units=256, activation=Relu)
  l4: dense(l3, units=256, activation=Relu)
  logits: dense(l4, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
END
cat > "$WORK/check.py" <<'CHECK'
"""check.py TRACE...: what the traces of both ranks say of each step."""
import collections
import json
import re
import sys

GRADIENT_BYTES = 4 * (64 * 256 + 256 + 3 * (256 * 256 + 256) + 256 * 10 + 10)
VARIABLES = {f"{layer}/{part}" for layer in ("l1", "l2", "l3", "l4", "logits") for part in ("W", "b")}
FIRST_LAYER = re.compile(r"replica_\d/gradients/l1/MatMul_grad/")
BUCKET = "train/bucket_0/"
sent = collections.Counter()
travelling = set()
begun = came = steps_seen = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    messages = [e for e in events if e["cat"] in ("send", "receive")]
    for e in messages:
        tensor = re.sub(r"(:\d+)?/_\d+$", "", e["name"].split(" ", 1)[1])
        if tensor in VARIABLES: travelling.add(tensor)
        if e["cat"] == "send": sent[e["args"]["step"]] += e["args"]["bytes"]
    for step in {e["args"]["step"] for e in messages}:
        of_step = [e for e in events if e["args"].get("step") == step]
        backward_end = max(e["ts"] + e["dur"] for e in of_step if FIRST_LAYER.search(e["name"]))
        buckets = [e for e in of_step if e in messages and BUCKET in e["name"]]
        steps_seen += 1
        begun += any(e["cat"] == "send" and e["ts"] < backward_end for e in buckets)
        came += any(e["cat"] == "receive" and e["ts"] + e["dur"] < backward_end for e in buckets)
print("variables", len(travelling))
print("gradients", all(2 * GRADIENT_BYTES <= n <= 2 * GRADIENT_BYTES + 256 for n in sent.values()) and bool(sent))
print("begun", steps_seen > 0 and begun == steps_seen)
print("came", came > 0)
print(f"of {steps_seen} steps {begun} sent and {came} received the first bucket before the backward pass ended;",
      f"{sorted(sent.values())} bytes in steps of {GRADIENT_BYTES} bytes of gradients")
CHECK
# look NAME KEYS: trains on 2 ranks and says what travelled.
look() {
  cp "$WORK/net.yaml" "$WORK/$1.yaml"
  echo "train: {loss: loss, optimizer: momentum, learning_rate: 0.01, steps: 8, log_every: 1, replicas: 2, $2}" \
      >> "$WORK/$1.yaml"
  train 2 "$WORK/$1.yaml" "$WORK/$1" --threads 1 --trace 8 > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$1"; }
  python3 "$WORK/check.py" "$WORK/$1"/trace/*.json > "$WORK/seen"
}

look ps "data_parallel: ps"
grep -qx 'variables 10' "$WORK/seen" || { cat "$WORK/seen"; fail "on parameter servers variables do not travel"; }
look allreduce "data_parallel: allreduce, bucket_bytes: 32768"
for line in 'variables 0' 'gradients True' 'begun True' 'came True'; do
  grep -qx "$line" "$WORK/seen" || { cat "$WORK/seen"; fail "not '$line'"; }
done
tail -n 1 "$WORK/seen"
