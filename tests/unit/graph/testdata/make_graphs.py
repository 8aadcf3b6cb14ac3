#!/usr/bin/env python3
"""Makes the GraphDef fixtures beside this file with TensorFlow: `python3 make_graphs.py`. Only needed to change them."""

import os
import random

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2

v1 = tf.compat.v1
HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, graph_def, text=False):
    path = os.path.join(HERE, name)
    if text:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text_format.MessageToString(graph_def))
    else:
        with open(path, "wb") as out:
            out.write(graph_def.SerializeToString(deterministic=True))


def mlp():
    """A frozen multilayer perceptron for inference."""
    rng = np.random.RandomState(0)
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, rng.randn(4, 3).astype("f"), name="h/mul"), np.zeros(3, "f")), name="h")
        tf.nn.softmax(tf.matmul(h, rng.randn(3, 2).astype("f"), name="logits"), name="y")
    return graph.as_graph_def()


def tensors():
    """Each dtype as raw bytes, as typed values, and with its last value repeated."""
    values = {
        "float32": [1.5, -2.25, 3e38, float("inf")],
        "float64": [1.5, -2.25, 1e300, 4.0],
        "int32": [1, -2, 2**31 - 1, -(2**31)],
        "uint8": [0, 1, 128, 255],
        "int16": [1, -2, 32767, -32768],
        "int8": [1, -2, 127, -128],
        "complex64": [1 + 2j, -3j, 0.5, -1],
        "int64": [1, -2, 2**63 - 1, -(2**63)],
        "bool": [True, False, True, True],
        "bfloat16": [1.5, -2.0, 256.0, 0.125],
        "uint16": [0, 1, 40000, 65535],
        "complex128": [1 + 2j, -3j, 0.5, -1],
        "float16": [1.5, -2.0, 65504.0, 6e-8],
        "uint32": [0, 1, 3000000000, 2**32 - 1],
        "uint64": [0, 1, 2**63, 2**64 - 1],
    }
    graph_def = graph_pb2.GraphDef()

    def const(name, proto):
        node = graph_def.node.add(name=name, op="Const")
        node.attr["dtype"].type = proto.dtype
        node.attr["value"].tensor.CopyFrom(proto)

    for dtype, list_ in values.items():
        array = np.array(list_, dtype=tf.as_dtype(dtype).as_numpy_dtype).reshape(2, 2)
        const(dtype + "/content", tf.make_tensor_proto(array))
        typed = tf.make_tensor_proto(list_[0], dtype=dtype, shape=[])  # a scalar is written as a typed value
        for other in list_[1:]:
            typed.MergeFrom(tf.make_tensor_proto(other, dtype=dtype, shape=[]))
        typed.tensor_shape.CopyFrom(tf.TensorShape([2, 2]).as_proto())
        const(dtype + "/typed", typed)
        const(dtype + "/repeated", tf.make_tensor_proto(list_[1], dtype=dtype, shape=[2, 3]))
    const("string/typed", tf.make_tensor_proto(np.array([[b"a", b"\0b"], [b"", b"\xe4"]], dtype=object)))
    return graph_def


def loop():
    """while i < 10: i, x = i + 1, x * x + i; nodes in random order."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        _, out = v1.while_loop(
            lambda i, x: tf.less(i, 10.0), lambda i, x: (i + 1.0, x * x + i), [tf.constant(0.0), x], name="loop"
        )
        tf.identity(out, name="out")
    graph_def = graph.as_graph_def()
    nodes = list(graph_def.node)
    random.Random(0).shuffle(nodes)
    del graph_def.node[:]
    graph_def.node.extend(nodes)
    return graph_def


def variables():
    """Ref variables with initialisers, devices, colocation and control inputs."""
    v1.disable_resource_variables()
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:0"):
            w = v1.get_variable("w", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        with tf.device("/device:CPU:0"), v1.colocate_with(w.op):
            twice = tf.add(w, w, name="twice")
        with tf.control_dependencies([w.initializer, twice.op]):
            tf.no_op(name="done")
    return graph.as_graph_def()


def functions():
    """A call of a library function."""
    with tf.Graph().as_default() as graph:

        @tf.function
        def double(x):
            return x + x

        tf.identity(double(v1.placeholder(tf.float32, [3], name="x")), name="y")
    return graph.as_graph_def()


if __name__ == "__main__":
    write("mlp.pb", mlp())
    write("mlp.pbtxt", mlp(), text=True)
    write("tensors.pbtxt", tensors(), text=True)
    write("tensors.pb", tensors())
    write("loop.pb", loop())
    write("variables.pbtxt", variables(), text=True)
    write("functions.pb", functions())
