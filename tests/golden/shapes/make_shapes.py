#!/usr/bin/env python3
"""Writes nodes whose inputs are known in part, and what TensorFlow infers of their outputs: `python3 make_shapes.py`.

shapes.pb has a node of each op, under the op's name, with the attrs and the sizes of one of its golden cases. Its inputs
are Placeholders of which ranks and sizes are hidden, constants, and vectors of which some elements are known, through the
ops that TensorFlow looks through. expected.txt has a line for each output of which TensorFlow knows something: name,
dtype, shape. Needs TensorFlow (tensorflow-cpu 2.21).
"""
import importlib
import os
import random
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.python.framework import op_def_library, op_def_registry, tensor_util, versions

import golden

TRIES = 40  # of hiding something of a case, for an op
# What TensorFlow infers of these need not hold of what they give: a size that has no value yet it takes as not given
# (MatrixDiag), an axis as the one along which sizes fit (SplitV), an operand of no known shape as one that is not
# repeated (SoftmaxCrossEntropyWithLogits), sizes of the image for those of its gradient (ResizeBilinearGrad), a scalar
# for a vector (ParseExampleV2), and spare outputs as empty (FusedBatchNormGrad).
WRONG = {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "MatrixDiagV2", "MatrixDiagV3",
         "ParseExampleV2", "ResizeBilinearGrad", "SoftmaxCrossEntropyWithLogits", "SplitV"}


class Cases(golden.Writer):
    """The cases of a family by op, as they are given: inputs and attrs."""

    def __init__(self):
        super().__init__()
        self.by_op = {}

    def case(self, op, *inputs, name=None, ulps=0, error=None, outputs=None, undefined=(), spare=(), **attrs):
        self.by_op.setdefault(op, []).append((inputs, attrs))


def attr(kind, value):
    return op_def_library.value_to_attr_value(value, kind, "attr")


class Partial:
    """One node and its inputs, all under its name, with what `rng` hides of them hidden."""

    def __init__(self, op, inputs, attrs, rng):
        self.op, self.rng = op, rng
        self.graph = graph_pb2.GraphDef()
        self.graph.versions.producer = versions.GRAPH_DEF_VERSION
        definition = op_def_registry.get(op)
        names, values = [], dict(attrs)
        for arg, given in zip(definition.input_arg, inputs):
            many = given if isinstance(given, list) else [given]
            made = [self._input(value, arg.is_ref) for value in many]
            names += [name for name, _ in made]
            if arg.number_attr:
                values[arg.number_attr] = len(many)
            if arg.type_list_attr:
                values[arg.type_list_attr] = [dtype for _, dtype in made]
            elif arg.type_attr and made:
                values[arg.type_attr] = made[0][1]
        kinds = {a.name: a.type for a in definition.attr}
        self._node(op, names, name=op, **{k: attr(kinds[k], v) for k, v in values.items() if k in kinds})

    def _node(self, op, inputs=(), name=None, **attrs):
        node = self.graph.node.add(op=op, name=name or f"{self.op}/{len(self.graph.node)}", input=inputs)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(value)
        return node.name

    def _hide(self, shape):
        if self.rng.random() < 0.2:
            return tf.TensorShape(None)
        return tf.TensorShape([None if self.rng.random() < 0.4 else size for size in shape])

    def _source(self, op, dtype, shape):
        return self._node(op, dtype=attr("type", dtype), shape=attr("shape", shape))

    def _constant(self, value, dtype):
        proto = tensor_util.make_tensor_proto(value, dtype)
        return self._node("Const", dtype=attr("type", dtype), value=attr_value_pb2.AttrValue(tensor=proto))

    def _vector(self, value, dtype):
        """An integer vector of which some elements are known."""
        kind = attr("type", dtype)
        if self.rng.random() < 0.5 and np.all(value >= 0):
            like = self._source("Placeholder", tf.float32, tf.TensorShape(self._hide(value).dims or [None] * len(value)))
            return self._node("Shape", [like], T=attr("type", tf.float32), out_type=kind)
        parts = [self._constant(v, dtype) if self.rng.random() < 0.6 else self._source("Placeholder", dtype, tf.TensorShape([]))
                 for v in value]
        return self._node("Pack", parts, T=kind, N=attr("int", len(parts)))

    def _input(self, value, is_ref):
        if isinstance(value, golden.Table):
            return self._node(value.op, key_dtype=attr("type", value.key_dtype),
                              value_dtype=attr("type", value.value_dtype)), tf.resource
        if isinstance(value, golden.Variable):
            name = self._source("VariableV2" if is_ref else "VarHandleOp", value.dtype, self._hide(value.shape))
            return name, value.dtype if is_ref else tf.resource
        value = np.asarray(value)
        dtype = golden._dtype(value)
        if dtype in (tf.int32, tf.int64) and value.size <= 16 and self.rng.random() < 0.7:
            if value.ndim == 1 and value.size > 0 and self.rng.random() < 0.5:
                return self._vector(value, dtype), dtype
            return self._constant(value, dtype), dtype
        return self._source("Placeholder", dtype, self._hide(value.shape)), dtype


def inferred(op, partial):
    """The outputs of the node as TensorFlow infers them; None where it refuses the node."""
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(partial.graph, name="")
            return [(t.dtype, t.shape) for t in graph.get_operation_by_name(op).outputs]
        except (ValueError, tf.errors.OpError):
            return None


def text(shape):
    return "[" + ",".join("?" if size is None else str(size) for size in shape.as_list()) + "]"


def interest(outputs):
    """How much of the outputs is known and how much is not: the less of the two."""
    sizes = [size for _, shape in outputs for size in ([None] if shape.rank is None else shape.as_list())]
    return min(sizes.count(None), len(sizes) - sizes.count(None))


def best(op, cases):
    found = None
    for i in range(TRIES):
        rng = random.Random(f"{op} {i}")
        inputs, attrs = rng.choice(cases)
        try:
            partial = Partial(op, inputs, attrs, rng)
        except (ValueError, TypeError):
            continue  # the case is of attrs that are none
        outputs = inferred(op, partial)
        if outputs and (found is None or interest(outputs) > interest(found[1])):
            found = partial, outputs
    return found


def main():
    cases = Cases()
    for name in sorted(os.listdir(os.path.join(HERE, ".."))):
        if name.endswith("_cases.py"):
            importlib.import_module(name[:-len(".py")]).write(cases)
    whole, lines = graph_pb2.GraphDef(), [f"# Written by make_shapes.py with TensorFlow {tf.__version__}.\n"]
    whole.versions.producer = versions.GRAPH_DEF_VERSION
    for op in sorted(cases.by_op):
        if op in WRONG or op_def_registry.get(op) is None:
            continue
        found = best(op, cases.by_op[op])
        if found is None or interest(found[1]) == 0:
            continue
        whole.node.extend(found[0].graph.node)
        lines += [f"{op}:{port} {dtype.base_dtype.name} {text(shape)}\n" for port, (dtype, shape) in enumerate(found[1])
                  if shape.rank is not None]
    with open(os.path.join(HERE, "shapes.pb"), "wb") as out:
        out.write(whole.SerializeToString(deterministic=True))
    with open(os.path.join(HERE, "expected.txt"), "w", encoding="utf-8") as out:
        out.writelines(lines)
    print(len(whole.node), "nodes,", len(lines) - 1, "outputs")


if __name__ == "__main__":
    main()
