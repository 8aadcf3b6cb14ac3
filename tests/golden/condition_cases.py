"""What conditionals need beside their primitives."""
import numpy as np
import tensorflow as tf

from golden import tensor


def conditions(w):
    for dtype in ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]:
        for value in [0, 1]:
            w.case("ToBool", tensor(value, dtype))
    for value in [-0.5, float("nan"), float("inf"), -0.0]:
        w.case("ToBool", tensor(value, "float32"), name=f"float32 {value}")
    for value in ["", "x", "false"]:
        w.case("ToBool", tensor(value, "string"), name=f"string '{value}'")
    for shape in [(1,), (0,), (2, 3), (2, 0, 3), (1, 1, 1, 1, 1)]:
        for dtype in ["float32", "bool", "string", "complex64", "uint16"]:
            w.case("ToBool", tensor(np.zeros(shape), dtype) if dtype != "string" else tensor(np.full(shape, ""), dtype))
    w.case("ToBool", tensor(1, "complex64"), name="complex scalar")
    w.case("ToBool", tensor(1, "uint16"), name="uint16 scalar")


def parameters(w):
    for dtype in ["float32", "int64", "bool", "string", "bfloat16", "complex128"]:
        for shape in [[0], [2, 0], [0, 0, 3]]:
            w.case("FakeParam", dtype=tf.as_dtype(dtype), shape=tf.TensorShape(shape), name=f"{dtype} {shape}")
    w.case("FakeParam", dtype=tf.float32, shape=tf.TensorShape([None, 3]), name="unknown size")


def write(w):
    conditions(w)
    parameters(w)
