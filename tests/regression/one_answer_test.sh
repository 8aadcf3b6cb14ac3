#!/usr/bin/env bash
# A net with dropout and batch normalisation gives one answer wherever it is asked after its training: in the
# evaluation of the training, `dfrun eval`, `dfrun predict`, and as a frozen graph, of its best checkpoint, on any ranks.
#   one_answer_test.sh SOURCE_DIR DFRUN [TIMES]
SOURCE=$1 DFRUN=$2 TIMES=${3:-1}
source "$SOURCE/tests/regression/lib.sh"

ln -s "$SOURCE/configs" configs
cat > net.yaml << 'END'
dfrun: 1
seed: 5
include: [configs/lib/nn.yaml]
inputs:
  batch: {hdf5: configs/data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 64, shuffle: true}
  test: {hdf5: configs/data/digits.h5, tensors: {image: /test/image, label: /test/label}, batch: 40}
graph:
  h1: dense(batch/image, units=32)
  norm: batch_norm(h1, decay=0.8)
  drop: dropout(Relu(norm), rate=0.4)
  logits: dense(drop, units=10)
  class: ArgMax(logits, 1)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  right: Sum(Cast(Equal(class, batch/label), DstT=float32))
  seen: Sum(Cast(GreaterEqual(class, Cast(0, DstT=int64)), DstT=float32))
train: {loss: loss, optimizer: momentum, learning_rate: 0.2, steps: 40, replicas: 4, log_every: 5}
eval: {every: 5, feed: {batch: test}, metrics: [{sum: right, over: seen}]}
checkpoint: {every: 20, best: {metric: eval/right, mode: max}}
END

for time in $(seq "$TIMES"); do
  for np in 1 2 4; do
    rm -rf run ./*.h5 ./*.pb
    ranks "$np" "$DFRUN" net.yaml --output run > log 2>&1 || { cat log; fail "the training on $np ranks"; }
    metric_lines run > lines
    [ -e first.lines ] || cp lines first.lines
    cmp lines first.lines || fail "other metrics on $np ranks, time $time"
    ranks "$np" "$DFRUN" eval net.yaml --restore run@best --fetch logits --out eval.h5 > log 2>&1 ||
      { cat log; fail "eval on $np ranks"; }
    ranks "$np" "$DFRUN" predict net.yaml --restore run@best --fetch logits --fetch class --out predict.h5 > log 2>&1 ||
      { cat log; fail "predict on $np ranks"; }
    "$DFRUN" graph net.yaml --pb --portable --frozen --restore run@best --fetch logits --out frozen.pb > log 2>&1 ||
      { cat log; fail "the frozen graph"; }
    "$DFRUN" eval frozen.pb --feed batch/image=configs/data/digits.h5:/test/image --fetch logits --out frozen.h5 \
      > log 2>&1 || { cat log; fail "eval of the frozen graph"; }
    sha256sum predict.h5 frozen.pb > sums
    [ -e first.sums ] || cp sums first.sums
    cmp sums first.sums || fail "other bytes on $np ranks, time $time"
    /usr/bin/python3 - << 'END' || fail "there is more than one answer on $np ranks"
import json

import h5py
import numpy

logits = {name: h5py.File(name + ".h5")["logits"][()] for name in ("eval", "predict", "frozen")}
classes = h5py.File("predict.h5")["class"][()]
label = h5py.File("configs/data/digits.h5")["test/label"][()]
assert logits["eval"].tobytes() == logits["predict"].tobytes()
# The frozen graph gets all rows at once: kernels may order sums by the size of a product.
assert numpy.allclose(logits["frozen"], logits["predict"], rtol=1e-5, atol=1e-5)
assert (logits["frozen"].argmax(1) == classes).mean() > 0.999
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
best = max(line["eval/right"] for line in lines if "eval/right" in line)
assert best > 0.8, best
share = numpy.float32((classes == label).sum()) / numpy.float32(len(label))
assert numpy.float32(best) == share, (best, share)
END
  done
done
echo "one answer on 1, 2 and 4 ranks"
