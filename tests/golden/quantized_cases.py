"""Quantised integers and training for them.

TensorFlow's layout pass gives some nodes of 8 bits to oneDNN, which scales and rounds in its own way; the cases keep to
forms that it leaves to the kernels that the ops' definitions describe."""
import numpy as np
import tensorflow as tf

from elementwise_cases import numbers
from golden import tensor

QUANTIZED = ["qint8", "quint8", "qint16", "quint16", "qint32"]
MODES = ["MIN_COMBINED", "MIN_FIRST", "SCALED"]


def f(*values):
    return tensor(values[0] if len(values) == 1 else values)


VALUES = f(-3, -2, -1.5, -1, -.5, -.25, 0, .3, .5, 1, 1.26, 2, 5)


def quantize(w):
    for dtype in QUANTIZED:
        for mode in MODES:
            for low, high in [(-1, 2), (-2, 2), (0, 4), (-3, 0), (1, 3), (-3, -1)]:
                w.case("QuantizeV2", VALUES, f(low), f(high), T=tf.as_dtype(dtype), mode=mode,
                       name=f"{dtype} {mode} {low} {high}", narrow_range=(dtype, mode) == ("quint8", "MIN_FIRST"))
            w.case("QuantizeV2", f([[.5], [-1]]), f(-1), f(1), T=tf.as_dtype(dtype), mode=mode, narrow_range=True,
                   name=f"{dtype} {mode} narrow")
        if dtype != "qint32":
            w.case("QuantizeV2", VALUES, f(-1), f(2), T=tf.as_dtype(dtype), mode="SCALED", narrow_range=True,
                   round_mode="HALF_TO_EVEN", name=f"{dtype} to even")
            for mode in ["MIN_COMBINED", "SCALED"]:
                w.case("QuantizeV2", f([[1, 2], [3, -4], [.5, .25]]), f([-1, -2]), f([2, 3]), T=tf.as_dtype(dtype), axis=1,
                       mode=mode, name=f"{dtype} {mode} axis 1")
                w.case("QuantizeV2", numbers("float32", (2, 3, 2), 1), f([-1, -2, -3]), f([2, 3, 4]), axis=1, mode=mode,
                       T=tf.as_dtype(dtype), name=f"{dtype} {mode} axis of 3")
    x = f([.1, .7])
    for name, low, high, attrs in [
            ("below", f(2), f(-1), {}), ("a vector", f([0]), f([1]), {}), ("an axis", f(0), f(1), dict(axis=0)),
            ("one end", f([0, 0]), f([1]), dict(axis=0)), ("no axis", f([0]), f([1]), dict(axis=1)),
            ("axis -2", f(0), f(1), dict(axis=-2)), ("equal", f(0), f(0), {}), ("narrow", f(0), f(1e-6), {}),
            ("wide", f(0), f(0.1), dict(ensure_minimum_range=0.5)), ("even", f(0), f(1), dict(round_mode="HALF_TO_EVEN"))]:
        w.case("QuantizeV2", x, low, high, T=tf.qint8, name=name, **attrs)
    w.case("QuantizeV2", f([-.034244534, 1, 15]), f(-.5863472), f(.00048484656), T=tf.qint32, name="an uneven range")
    w.case("QuantizeV2", f([1, 15, 19]), f(-.0030817194), f(15.4723215), T=tf.qint32, name="a range not around 0")
    w.case("QuantizeV2", f([]), f(0), f(1), T=tf.qint8, name="nothing")
    w.case("QuantizeV2", f(.3), f(0), f(1), T=tf.quint8, name="a scalar")


def dequantize(w):
    for dtype in QUANTIZED:
        info = np.iinfo(dtype.replace("q", ""))
        codes = tensor([info.min, info.min + 1, 0, 1, 100, info.max - 1, info.max], dtype)
        for mode in MODES:
            for low, high in [(-1, 2), (0, 4), (-3, -1), (2, 2), (1, -1)]:
                if dtype == "qint32" and mode == "SCALED":
                    continue  # oneDNN takes it and refuses
                w.case("Dequantize", codes, f(low), f(high), mode=mode, name=f"{dtype} {mode} {low} {high}", ulps=2)
            if mode != "MIN_FIRST":
                w.case("Dequantize", tensor([[0, 1], [100, 127]], dtype), f([-1, -2]), f([2, 3]), mode=mode, axis=1,
                       narrow_range=True, name=f"{dtype} {mode} axis 1", ulps=2)
        w.case("Dequantize", codes, f(-1), f(2), dtype=tf.bfloat16, name=f"{dtype} bfloat16", ulps=1)
        w.case("Dequantize", codes, f(-1), f(2), dtype=tf.bfloat16, mode="MIN_FIRST", name=f"{dtype} bfloat16 first")
    codes = tensor([1, 2], "qint8")
    w.case("Dequantize", codes, f([1, 2]), f(3), name="two ends")
    w.case("Dequantize", codes, f([1, 2, 3]), f([1, 2, 3]), axis=0, name="three ends")
    w.case("Dequantize", codes, f([1]), f([2]), axis=1, name="no axis")
    w.case("Dequantize", tensor([], "qint8"), f(1), f(2), name="nothing")


def arithmetic(w):
    def q(values, dtype="quint8"):
        return tensor(values, dtype)
    a, b = q([[1, 2, 3], [3, 4, 200]]), q([[5, 6], [7, 255], [0, 9]])
    for ends in [(-1, 2, 0, 3), (0, 2, 0, 3), (1, 2, -3, -1), (-5, .1, -.3, 7)]:
        w.case("QuantizedMatMul", a, b, *map(f, ends), name=f"{ends}", ulps=2)
        w.case("QuantizedMatMul", a, q(np.array([[5, 7, 0], [6, 255, 9]])), *map(f, ends), transpose_b=True, ulps=2,
               name=f"{ends} b transposed")
        w.case("QuantizedMatMul", b, b, *map(f, ends), transpose_a=True, name=f"{ends} a transposed", ulps=2)
    for name, x, y, ends in [("inner sizes", a, a, (0, 1, 0, 1)), ("empty range", a, b, (2, 1, 0, 1)),
                             ("no range", a, b, (1, 1, 0, 1)), ("a vector", a[0], b, (0, 1, 0, 1))]:
        w.case("QuantizedMatMul", x, y, *map(f, ends), name=name)
    w.case("QuantizedMatMul", a, b, f([0]), f(1), f(0), f(1), name="ends of a vector")
    for op in ["QuantizedRelu", "QuantizedRelu6"]:
        for low, high in [(-1, 1), (-10, 10), (0, 5), (1, 2), (-3, -2), (0, 0), (-1, 20)]:
            w.case(op, q([0, 60, 100, 127, 128, 200, 255]), f(low), f(high), out_type=tf.quint8, name=f"{low} {high}")
            w.case(op, q([-2**31, -100, 0, 100, 2**30, 2**31 - 1], "qint32"), f(low), f(high), out_type=tf.qint32,
                   name=f"qint32 {low} {high}")
        w.case(op, q([[1]]), f([0]), f(1), out_type=tf.quint8, name="ends of a vector")
    for dtype, values in [("quint8", [0, 3, 100, 127, 200, 255]), ("qint8", [-128, -20, 0, 3, 100, 127])]:
        x, bias = q(np.reshape(values, (2, 3)), dtype), q(values[1:4], dtype)
        # In the last 0 is an odd place of the result's range.
        for ends in [(-1, 1, -2, 2), (0, 6, -1, 1), (-3, -1, 0, 1), (-1, 2, .5, 4), (-100, 100, -.1, .1),
                     (2.211328, 3.5175169, -.4895321, .1567581)]:
            w.case("QuantizedBiasAdd", x, bias, *map(f, ends), out_type=tf.qint32, name=f"{dtype} {ends}", ulps=1)
        w.case("QuantizedBiasAdd", x, bias[:2], *map(f, (-1, 1, -2, 2)), out_type=tf.qint32, name=f"{dtype} sizes differ")
        w.case("QuantizedBiasAdd", x[:, :0], bias[:0], *map(f, (-1, 1, -2, 2)), out_type=tf.qint32, name=f"{dtype} no bias")
        w.case("QuantizedBiasAdd", x[:0], bias, *map(f, (-1, 1, -2, 2)), out_type=tf.qint32, name=f"{dtype} no rows")
        w.case("QuantizedBiasAdd", x[0], bias, *map(f, (-1, 1, -2, 2)), out_type=tf.qint32, name=f"{dtype} a vector")


def ranges(w):
    codes = tensor([-2**31, -2**30, -5, 0, 7, 2**20, 2**30, 2**31 - 1], "qint32")
    for dtype in [tf.quint8, tf.qint8]:
        for ends in [(-1, 1, -.5, .5), (-256, 256, -1, .5), (-1, 1, 0, 0), (0, 5, 0, 5), (-3, 1, -1, 0), (-1, 2, 0, .25),
                     (-1, 1, 1, 3), (-1, 1, -3, -1)]:
            w.case("Requantize", codes, *map(f, ends), out_type=dtype, name=f"{dtype.name} {ends}")
        w.case("Requantize", codes[:0], *map(f, (-1, 1, -1, 1)), out_type=dtype, name=f"{dtype.name} nothing")
        w.case("Requantize", codes, f([-1]), f(1), f(-1), f(1), out_type=dtype, name=f"{dtype.name} ends of a vector")
    for begin, end in [(0, 8), (3, 8), (0, 3), (4, 5), (3, 4), (1, 7)]:
        for ends in [(-1, 1), (0, 3), (-256, 256), (-3.2303925, -.25543374)]:
            w.case("RequantizationRange", codes[begin:end], *map(f, ends), name=f"{begin} {end} {ends}", ulps=2)
            w.case("QuantizeDownAndShrinkRange", codes[begin:end], *map(f, ends), out_type=tf.quint8, ulps=2,
                   name=f"{begin} {end} {ends}")
    w.case("RequantizationRange", codes, f([-1]), f(1), name="ends of a vector")
    # The highest code goes through float, one step too far.
    w.case("RequantizationRange", codes, f(-96), f(0), name="up to 0")
    w.case("RequantizationRange", codes, f(-965.6666), f(-.0012111926), name="up to nearly 0")


def fake(w):
    x = f(-10, -6, -3, -1, -.5, -.01, 0, .02, .5, 1, 3, 6, 9)
    dy = numbers("float32", (13,), 1)
    for bits in [2, 4, 8, 16, 1, 17]:
        for narrow in [False, True]:
            attrs = dict(num_bits=bits, narrow_range=narrow)
            for low, high in [(-6, 6), (-1.1, 3), (1, 5), (-5, -1)]:
                name = f"{bits} {narrow} {low} {high}"
                w.case("FakeQuantWithMinMaxArgs", x, min=float(low), max=float(high), name=name, **attrs)
                w.case("FakeQuantWithMinMaxArgsGradient", dy, x, min=float(low), max=float(high), name=name, **attrs)
                w.case("FakeQuantWithMinMaxVars", x, f(low), f(high), name=name, **attrs)
                w.case("FakeQuantWithMinMaxVarsGradient", dy, x, f(low), f(high), name=name, ulps=4, **attrs)
            rows, slopes = numbers("float32", (3, 4), 2, -4, 4), numbers("float32", (3, 4), 3)
            ends = f(-1, 0, 1, -3), f(1, 0, 3, -1)
            w.case("FakeQuantWithMinMaxVarsPerChannel", rows, *ends, name=f"{bits} {narrow}", **attrs)
            w.case("FakeQuantWithMinMaxVarsPerChannelGradient", slopes, rows, *ends, name=f"{bits} {narrow}", ulps=4, **attrs)
    for op in ["FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars"]:
        for low, high in [(2, 1), (1, 1), (0, 0)]:
            if op.endswith("Vars"):
                w.case(op, x, f(low), f(high), name=f"{low} {high}")
                w.case(op + "Gradient", dy, x, f(low), f(high), name=f"{low} {high}", ulps=4)
            else:
                w.case(op, x, min=float(low), max=float(high), name=f"{low} {high}")
                w.case(op + "Gradient", dy, x, min=float(low), max=float(high), name=f"{low} {high}")
    w.case("FakeQuantWithMinMaxVars", x, f([1]), f([2]), name="ends of a vector")
    w.case("FakeQuantWithMinMaxVarsGradient", dy[:3], x, f(1), f(2), name="sizes differ")
    w.case("FakeQuantWithMinMaxArgsGradient", dy[:3], x, name="sizes differ")
    for shape in [(4,), (2, 1, 4), (2, 1, 2, 4), (0, 4)]:
        given = numbers("float32", shape, 5, -4, 4)
        ends = f(-1, -2, -3, 0), f(1, 2, 1, 4)
        w.case("FakeQuantWithMinMaxVarsPerChannel", given, *ends)
        w.case("FakeQuantWithMinMaxVarsPerChannelGradient", numbers("float32", shape, 6), given, *ends, ulps=4)
    w.case("FakeQuantWithMinMaxVarsPerChannel", rows, f(-1, -2), f(1, 2, 3, 4), name="two ends")
    w.case("FakeQuantWithMinMaxVarsPerChannel", f(1), f([-1]), f([1]), name="a scalar")
    w.case("FakeQuantWithMinMaxVarsPerChannelGradient", rows, rows, f(-1, -2), f(1, 2, 3, 4), name="two ends")


def dequantize_ends(w):
    codes = tensor([1, 2], "qint8")
    w.case("Dequantize", codes, f([-1]), f([1]), name="ends a vector")
    w.case("Dequantize", codes, f(-1), f(1), axis=0, name="ends scalars along an axis")
    w.case("Dequantize", codes, f([-1, -2]), f([1, 2]), axis=0, mode="SCALED", dtype=tf.bfloat16, name="bfloat16 scaled along an axis")
    w.case("Dequantize", codes, f([-1, -2]), f([1, 2]), axis=0, dtype=tf.bfloat16, name="bfloat16 along an axis", ulps=1)


def write(w):
    quantize(w)
    dequantize(w)
    arithmetic(w)
    ranges(w)
    fake(w)
    dequantize_ends(w)
