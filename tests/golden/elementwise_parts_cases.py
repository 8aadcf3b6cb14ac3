"""The bits of integers, the parts of complex numbers, the bytes of elements."""
import numpy as np
import tensorflow as tf

from elementwise_cases import INF, NAN, SHAPES, binary, numbers
from golden import COMPLEX, SIGNED, UNSIGNED, tensor

INTEGERS = SIGNED + UNSIGNED


def bit_cases(w):
    for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"]:
        binary(w, op, INTEGERS, special=False)
        for dtype in INTEGERS:
            info = np.iinfo(dtype)
            w.case(op, np.array([info.min, info.max, info.max], dtype), np.array([info.max, 1, info.max // 3], dtype),
                   name=dtype + " edges")
    for op in ["LeftShift", "RightShift"]:
        for dtype in INTEGERS:
            info = np.iinfo(dtype)
            x = np.array([1, 3, 100, info.min, info.max, info.max, 77, 5], dtype)
            beyond = [-3, -1] if dtype in SIGNED else [200, 9]
            w.case(op, x, np.array([0, 1, 2, 1, info.bits - 1, info.bits, *beyond]).astype(dtype), name=dtype)
        for a, b in SHAPES:
            w.case(op, numbers("int32", a, 3), np.abs(numbers("int32", b, 4)))
    for op in ["Invert", "PopulationCount"]:
        for dtype in INTEGERS:
            info = np.iinfo(dtype)
            w.case(op, np.array([0, 1, 77, info.min, info.max], dtype), name=dtype)
        for shape in [(), (0,), (2, 1, 2, 1, 2)]:
            w.case(op, numbers("int32", shape, 3))


def complex_cases(w):
    wide = {"complex64": tf.float32, "complex128": tf.float64}
    odd = np.array([complex(0, 0), complex(-0.0, 0), complex(-1, -0.0), complex(INF, 1), complex(1, -INF),
                    complex(NAN, 1), complex(-3, 4)])
    for op in ["Real", "Imag", "ComplexAbs", "Angle"]:
        ulps = 4 if op in ("ComplexAbs", "Angle") else 0
        for dtype in COMPLEX:
            w.case(op, numbers(dtype, (6,), 1), Tout=wide[dtype], ulps=ulps)
            w.case(op, tensor(odd, dtype), name=dtype + " special values", Tout=wide[dtype], ulps=ulps)
            for shape in [(), (0, 2), (2, 3), (2, 1, 2, 1, 2)]:
                w.case(op, numbers(dtype, shape, 2), Tout=wide[dtype], ulps=ulps)
    for dtype, tout in [("float32", tf.complex64), ("float64", tf.complex128)]:
        w.case("Complex", tensor([1, NAN, INF, -0.0], dtype), tensor([0, 1, NAN, -0.0], dtype), Tout=tout)
        for a, b in SHAPES:
            w.case("Complex", numbers(dtype, a, 3), numbers(dtype, b, 4), Tout=tout)


def bitcast_cases(w):
    x = tensor([[1, -2.5], [0, 3]], "float32")
    for dtype in ["int32", "uint32", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "int64", "float64",
                  "complex64"]:
        w.case("Bitcast", x, name="float32 to " + dtype, type=tf.as_dtype(dtype))
    bytes_ = np.arange(16, dtype=np.uint8)
    for dtype in ["int8", "int32", "complex128"]:
        w.case("Bitcast", bytes_.reshape(1, 16), name="16 bytes to " + dtype, type=tf.as_dtype(dtype))
        w.case("Bitcast", bytes_.reshape(4, 4), name="4 bytes to " + dtype, type=tf.as_dtype(dtype))
    w.case("Bitcast", np.zeros((0, 4), np.uint8), name="nothing", type=tf.float32)
    w.case("Bitcast", np.array(7, np.int64), name="scalar", type=tf.int32)
    w.case("Bitcast", np.array(7, np.int32), name="scalar to wider", type=tf.int64)
    w.case("Bitcast", np.arange(8, dtype=np.int16).reshape(1, 2, 1, 2, 2), name="5-D", type=tf.int32)


def nearness_cases(w):
    for dtype in ["float32", "float64"]:
        x = tensor([1, 1, 1, 0, INF, NAN, -2], dtype)
        y = tensor([1.000001, 1.1, 1, -1e-6, INF, NAN, 2], dtype)
        w.case("ApproximateEqual", x, y)
        w.case("ApproximateEqual", x, y, name=dtype + " coarse", tolerance=0.5)
        for shape in [(), (0, 3), (2, 1, 2, 1, 2)]:
            w.case("ApproximateEqual", numbers(dtype, shape, 1), numbers(dtype, shape, 1))
    w.case("ApproximateEqual", tensor([1, 2]), tensor(1), name="no broadcasting")
    w.case("ApproximateEqual", tensor([[1, 2]]), tensor([1, 2]), name="different ranks")


def write(w):
    bit_cases(w)
    complex_cases(w)
    bitcast_cases(w)
    nearness_cases(w)
