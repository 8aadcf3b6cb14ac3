#!/usr/bin/env bash
# dfrun eval SPEC computes what the spec's evaluation does, whatever is fetched; feeds are files, literals and inputs.
set -euo pipefail
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - <<'END'
import h5py
import numpy as np
with h5py.File("d.h5", "w") as f:
    f["train/x"] = np.arange(48, dtype=np.float32).reshape(16, 3)
    f["test/x"] = np.full((10, 3), 2, np.float32)
    f["mine"] = np.ones((5, 3), np.float32)
    f["doubles"] = np.full((5, 3), 0.1)
    f["numbers"] = np.arange(6).reshape(2, 3) * 100
END
cat > m.yaml <<'END'
dfrun: 1
name: m
inputs:
  batch: {hdf5: d.h5, tensors: {x: /train/x}, batch: 4}
  test: {hdf5: d.h5, tensors: {x: /test/x}, batch: all}
graph:
  share: {op: PlaceholderWithDefault, inputs: [0.5], shape: []}
  W: {op: Variable, shape: [3, 1], init: zeros}
  s: batch/x * share
  loss: Mean(Square(MatMul(s, W) - 1))
train: {loss: loss, optimizer: sgd, learning_rate: 0.01, steps: 4}
eval: {feed: {batch: test, share: 3.0}, metrics: [loss]}
checkpoint: {every: 2}
END
expect 0 's: float32[10,3] 6 6 6' "$DFRUN" eval m.yaml --fetch s
expect 0 's: float32[10,3] 0 0 0' "$DFRUN" eval m.yaml --fetch s --feed share=0
expect 0 's: float32[16,3] 0 3 6' "$DFRUN" eval m.yaml --fetch s --feed batch=batch
expect 0 's: float32[5,3] 3 3 3' "$DFRUN" eval m.yaml --fetch s --feed batch/x=d.h5:/mine
expect 0 's: float32[10,3] 6 6 6' "$DFRUN" eval m.yaml --fetch s --feed batch/x=test/x
expect 0 's: float32[1,3] 3 6 9' "$DFRUN" eval m.yaml --fetch s --feed 'batch/x=[[1, 2, 3]]'
expect 64 "'batch/x' is [?,3]" "$DFRUN" eval m.yaml --fetch s --feed 'batch/x=[[1, 2]]'
expect 64 "'tst' is none of batch, test" "$DFRUN" eval m.yaml --fetch s --feed batch=tst
expect 64 "is fed twice" "$DFRUN" eval m.yaml --fetch s --feed share=1 --feed share=2
# Values are converted to the node's dtype as inputs are, and refused with their place where they do not fit.
expect 0 's: float32[5,3] 0.3 ' "$DFRUN" eval m.yaml --fetch s --feed batch/x=d.h5:/doubles
expect 0 's: float32[2,3] 0 300 600' "$DFRUN" eval m.yaml --fetch s --feed batch/x=d.h5:/numbers
cat > bytes.yaml <<'END'
dfrun: 1
graph:
  b: {op: Placeholder, dtype: uint8, shape: [-1, 3]}
  n: {op: Variable, shape: [2, 3], init: zeros, dtype: int64, trainable: false}
  sum: Sum(Cast(b, DstT=int64) + n)
END
expect 64 "--feed b=d.h5:/numbers: 'b' is uint8, and element [1,0] of the value, 300, is no uint8" \
  "$DFRUN" eval bytes.yaml --fetch sum --feed b=d.h5:/numbers
expect 64 '300' "$DFRUN" eval bytes.yaml --fetch sum --feed 'b=[[1, 2, 300]]'
expect 0 'sum: int64[] 1500' "$DFRUN" eval bytes.yaml --fetch sum --feed 'b=[[0, 0, 0]]' --assign n=d.h5:/numbers
expect 64 "is no float32" "$DFRUN" eval m.yaml --fetch s --feed 'share="a"'
expect 0 'the variables have their initial values' "$DFRUN" eval m.yaml
expect 0 'loss: float32[] 1' "$DFRUN" eval m.yaml
if "$DFRUN" eval m.yaml --fetch s 2>&1 | grep 'initial values' >/dev/null; then fail 's needs no variable'; fi

"$DFRUN" m.yaml > log
expect 0 'loss: float32[] ' "$DFRUN" eval m.yaml --restore m.run
cp "$WORK/out" newest
expect 0 'loss: float32[] ' "$DFRUN" eval m.yaml --restore m.run/checkpoints/step-4
cmp newest "$WORK/out" || fail 'a run directory is not its newest checkpoint'
if grep -q 'initial values' newest; then fail 'restored values are not initial ones'; fi
mkdir -p none/checkpoints
expect 65 'no committed checkpoint' "$DFRUN" eval m.yaml --restore none

# A metric of `eval:` may need a placeholder that --feed alone gives: the training leaves it out, and says so.
sed -e 's/^  W:/  w: {op: Placeholder, dtype: float32, shape: []}\n  weighted: loss * w\n  W:/' \
  -e 's/metrics: .*/metrics: [loss, weighted]}/' m.yaml > w.yaml
expect 0 "warning: w.yaml:8:11: node 'w' (op Placeholder): the metric 'weighted' needs it" "$DFRUN" check w.yaml
expect 0 '`dfrun eval --feed w=VALUE` computes it' "$DFRUN" w.yaml --output w.run
grep -qF 'eval/loss' w.run/metrics.jsonl || fail 'the other metric is measured'
if grep -qF weighted w.run/metrics.jsonl; then fail 'what has no value is measured'; fi
expect 0 'weighted: float32[] 3' "$DFRUN" eval w.yaml --feed w=3
expect 0 'weighted: float32[] 3' "$DFRUN" eval w.yaml --feed w=3 --fetch weighted
expect 64 "the placeholder 'w' (float32[]) has no value: give --feed w=" "$DFRUN" eval w.yaml --fetch weighted
sed 's/metrics: .*/metrics: [weighted]}/' w.yaml > alone.yaml
expect 0 "the metric 'weighted' needs it" "$DFRUN" alone.yaml --output alone.run
sed 's/loss: loss/loss: weighted/' w.yaml > trained.yaml
expect 65 "'w' (op Placeholder) has no value in the step" "$DFRUN" check trained.yaml

# An export is fed by the names of the spec, batches of any size.
"$DFRUN" graph m.yaml --pb --portable --out m.pb
expect 0 'batch/x = Placeholder() {dtype=float32, shape=[?,3]}' "$DFRUN" graph m.pb
expect 0 's: float32[5,3] 0.5' "$DFRUN" eval m.pb --feed batch/x=d.h5:/mine --fetch s
"$DFRUN" eval m.pb --init init --feed batch/x=d.h5:/mine --target train --finally train
