#!/usr/bin/env bash
# check and the run warn of a loss that changes with `replicas`, where the graph shows it, and of no mean over samples.
#   loss_forms_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - << 'END'
import h5py
import numpy as np
with h5py.File("d.h5", "w") as f:
    f["x"] = np.arange(64, dtype=np.float32).reshape(16, 4)
    f["m"] = (np.arange(64).reshape(16, 4) % 3 > 0).astype(np.float32)
    f["label"] = (np.arange(16) % 3).astype(np.int64)
END
# spec REPLICAS LINE...: the loss and what it is made of, with the variables that it needs.
spec() {
  local replicas=$1
  shift
  local lines
  lines=$(printf '%s\n' "$@")
  {
    cat << 'END'
dfrun: 1
inputs:
  batch: {hdf5: d.h5, tensors: {x: ~, m: ~, label: ~}, batch: 8}
  whole: {hdf5: d.h5, tensors: {m: ~}, batch: all}
graph:
END
    if grep -qwE 'V|e' <<< "$lines"; then
      echo '  V: {op: Variable, shape: [4], init: ones}'
      echo '  e: batch/x * V'
    fi
    if grep -qwE 'W|logits|each' <<< "$lines"; then
      echo '  W: {op: Variable, shape: [4, 3], init: ones}'
      echo '  logits: MatMul(batch/x, W)'
      echo '  each: SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)'
    fi
    printf '  %s\n' "$@"
    echo "train: {loss: loss, learning_rate: 0.0001, steps: 1, replicas: $replicas}"
  } > loss.yaml
}
changes() {
  local text=$1
  shift
  spec 2 "$@"
  expect 0 "$text" "$DFRUN" check loss.yaml
  grep -F "$text" out | grep -q '^warning: loss.yaml:[0-9]*:[0-9]*: ' || { cat out; fail "no place: $*"; }
  spec 1 "$@"
  if "$DFRUN" check loss.yaml | grep warning; then fail "one replica: $*"; fi
}
keeps() {
  spec 2 "$@"
  "$DFRUN" check loss.yaml > log 2>&1 || { cat log; fail "check: $*"; }
  if grep warning log; then fail "false alarm: $*"; fi
}

ratio='the loss divides by a value that is computed of the whole batch'
changes "$ratio" "loss: Sum(e * batch/m) / Sum(batch/m)"
changes "$ratio" "loss: DivNoNan(Sum(e * batch/m), Sum(batch/m))"
changes "$ratio" "loss: Sum(e * batch/m) / Maximum(Sum(batch/m), 1.0)"
changes "$ratio" "loss: Sum(e * batch/m) / (Sum(batch/m) + 0.001)"
changes "$ratio" "loss: Mean(e * batch/m) / Mean(batch/m)"
changes "$ratio" "loss: Sum(e * batch/m) * Reciprocal(Sum(batch/m))"
changes "$ratio" "count: Sum(Cast(NotEqual(batch/label, 0), DstT=float32))" \
  "kept: each * Cast(NotEqual(batch/label, 0), DstT=float32)" "loss: Sum(kept) / count + 0.01 * Sum(W * W)"
changes "$ratio" "per: Sum(e * batch/m, 0) / Sum(batch/m, 0)" "loss: Mean(per)"
changes 'the loss is a sum over samples' "loss: Sum(each)"
changes 'the loss is a sum over samples' "loss: Sum(e) / 64.0 + Mean(each)"
changes 'the loss is a sum over samples' "loss: L2Loss(e)"
changes 'no mean over samples, but another function' "loss: Sqrt(Mean(Square(e)))"
changes 'no mean over samples, but another function' "loss: Max(e)"
changes 'no mean over samples, but another function' "loss: Mean(e) * Mean(each)"

keeps "loss: Mean(each)"
keeps "loss: Mean(Mean(e * batch/m, 1))"
keeps "loss: Mean(each) + 0.01 * Sum(W * W) + 0.1 * L2Loss(V)"
keeps "loss: Mean(each) / Sqrt(Sum(W * W))"
keeps "loss: Sum(each) / Cast(Size(each), DstT=float32)"
keeps "loss: Sum(each) / Sum(OnesLike(each))"
keeps "loss: Mean(Sum(e * batch/m, 1) / Maximum(Sum(batch/m, 1), 1.0))"
keeps "loss: Mean(Square((e - Mean(e, 0)) / Sqrt(Mean(Square(e), 0) + 1.0)))"
keeps "loss: Mean(each) * Mean(whole/m)"
keeps "loss: Mean(each) / Sum(whole/m)"
keeps "loss: Mean(Reshape(logits, [-1]))"
keeps "loss: Mean(Transpose(e, perm=[1, 0]))"
keeps "loss: Neg(Mean(Log(Softmax(logits))))"

# The run says it too, and its losses show it.
spec 2 "loss: Sum(e * batch/m) / Sum(batch/m)"
expect 0 "$ratio" "$DFRUN" loss.yaml --output two
spec 1 "loss: Sum(e * batch/m) / Sum(batch/m)"
"$DFRUN" loss.yaml --output one > log 2>&1
! cmp -s <(metric_lines one) <(metric_lines two) ||
  fail "the losses are equal"
echo "losses that change with replicas are warned of"
