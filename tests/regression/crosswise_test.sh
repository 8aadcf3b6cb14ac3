#!/usr/bin/env bash
# check and the run warn of a column [b, 1] that meets a vector [b] crosswise on its way to the loss, and of nothing
# that the spec asks for.
#   crosswise_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - << 'END'
import h5py
import numpy as np
with h5py.File("d.h5", "w") as f:
    f["x"] = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
    f["z"] = np.arange(64, dtype=np.float32).reshape(16, 4) / 32
    f["y"] = (np.arange(16) % 3).astype(np.float32)
    f["column"] = (np.arange(16) % 3).astype(np.float32).reshape(16, 1)
    f["adjacency"] = np.ones((8, 8), np.float32)
END
# uses NAME LINE...: whether a line names the node.
uses() {
  local name=$1
  shift
  printf '%s\n' "$@" | grep -qE "(^|[^A-Za-z0-9_/])$name([^A-Za-z0-9_:]|\$)"
}
# spec LINE...: the loss and what it is made of.
spec() {
  {
    cat << 'END'
dfrun: 1
include: [lib/nn.yaml]
inputs:
  batch: {hdf5: d.h5, tensors: {x: ~, z: ~, y: ~, column: ~}, batch: 8}
  fixed: {hdf5: d.h5, tensors: {adjacency: ~}, batch: all}
graph:
END
    # Variables that the lines do not name would not be trained.
    uses W "$@" && echo '  W: {op: Variable, shape: [4, 3], init: "RandomUniform(minval=0, maxval=1)"}'
    uses w "$@" && echo '  w: {op: Variable, shape: [], init: 0.5}'
    uses logit "$@" && echo '  logit: dense(batch/x, units=1)'
    printf '  %s\n' "$@"
    echo "train: {loss: loss, learning_rate: 0.0001, steps: 1}"
  } > cross.yaml
}
crosses() {
  spec "$@"
  expect 0 'become [8,8]: each value of one meets all of the other' "$DFRUN" check cross.yaml
  grep -q '^warning: .*cross.yaml:[0-9]*:[0-9]*: ' out || { cat out; fail "no place: $*"; }
}
keeps() {
  spec "$@"
  "$DFRUN" check cross.yaml > log 2>&1 || { cat log; fail "check: $*"; }
  if grep -F 'each value of one' log; then fail "false alarm: $*"; fi
}

crosses "loss: Mean(Square(logit - batch/y))"
crosses "loss: Mean(SquaredDifference(batch/y, logit))"
crosses "loss: Mean(Mean(Abs(logit - batch/y), 0))"
crosses "loss: Sum(Square(logit - batch/y)) / 8.0"
crosses "loss: Mean(Square(batch/column * w - batch/y)) + 0.01 * L2Loss(w)"
crosses "p: Sigmoid(logit)" "loss: Neg(Mean(batch/y * Log(p) + (1.0 - batch/y) * Log(1.0 - p)))"
crosses "loss: Mean(Relu(logit) - logit * batch/y + Log1p(Exp(-Abs(logit))))"
crosses "p: Squeeze(logit, axis=[1])" "loss: Mean(Square(p - batch/column))"
crosses "loss: Mean(SelectV2(batch/y > 0.5, logit, 0.0))"
crosses "mask: Cast(batch/y > 0.5, DstT=float32)" "loss: Mean(Square(logit - batch/column) * mask)"

keeps "loss: Mean(Square(logit - batch/column))"
keeps "loss: Mean(Square(Squeeze(logit, axis=[1]) - batch/y))"
keeps "loss: Mean(Square(logit - ExpandDims(batch/y, 1)))"
keeps "loss: Mean(Square(Reshape(logit, [8, 1]) - batch/y))"
keeps "loss: Mean(Square(StridedSlice(batch/x, [0, 0], [8, 1], [1, 1]) * w - batch/y))"
keeps "loss: Mean(Square(Sum(MatMul(batch/x, W), 1, keepdims=true) - batch/y))"
# A Siamese net: distances of all pairs, and those of each pair.
keeps "a: MatMul(batch/x, W)" "b: MatMul(batch/z, W)" \
  "squares: Sum(Square(a), 1, keepdims=true) + Sum(Square(b), 1) - 2.0 * MatMul(a, b, transpose_b=true)" \
  "same: Cast(Equal(ExpandDims(batch/y, 1), batch/y), DstT=float32)" \
  "loss: Mean(same * squares + (1.0 - same) * Relu(1.0 - squares))"
keeps "a: dense(batch/x, units=1)" "b: dense(batch/z, units=1)" "d: Squeeze(Abs(a - b), axis=[1])" \
  "loss: Mean(batch/y * d + (1.0 - batch/y) * Relu(1.0 - d))"
# An in-batch softmax, with the frequencies of the items taken off.
keeps "a: MatMul(batch/x, W)" "b: MatMul(batch/z, W)" "scores: MatMul(a, b, transpose_b=true) - Log(batch/y + 1.0)" \
  "loss: Mean(SparseSoftmaxCrossEntropyWithLogits(scores, Range(0, 8, 1)))"
keeps "scores: logit + Reshape(dense(batch/z, units=1), [-1])" \
  "loss: Mean(SparseSoftmaxCrossEntropyWithLogits(scores, Range(0, 8, 1)))"
# A net over a fixed graph: attention over neighbours, degrees, and a penalty of unlike neighbours.
keeps "h: MatMul(batch/x, W)" "from: Reshape(dense(h, units=1), [-1])" "e: LeakyRelu(dense(h, units=1) + from)" \
  "near: Softmax(e + Log(fixed/adjacency))" "loss: Mean(Square(MatMul(near, h)))"
keeps "h: MatMul(batch/x, W)" "degree: Rsqrt(Sum(fixed/adjacency, 1, keepdims=true))" \
  "loss: Mean(Square(MatMul(degree * fixed/adjacency * Rsqrt(Sum(fixed/adjacency, 1)), h)))"
keeps "s: dense(batch/x, units=1)" "loss: Mean(fixed/adjacency * Square(s - batch/y))"
# A loss over all pairs of a batch's scores.
keeps "loss: Mean(Softplus(logit - Squeeze(logit, axis=[1])))"
# A vector of all units' biases is no sample's.
keeps "b: {op: Variable, shape: [3], init: zeros}" "loss: Mean(Square(MatMul(batch/x, W) + b))"

# The run says it too.
spec "loss: Mean(Square(logit - batch/y))"
expect 0 "and 'batch/y' [8] become [8,8]" "$DFRUN" cross.yaml --output run
echo "values that meet crosswise are warned of"
