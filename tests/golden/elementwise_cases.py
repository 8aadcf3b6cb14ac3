"""Element-wise ops: every dtype, special values, every way to broadcast."""
import numpy as np
import tensorflow as tf

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, tensor

NAN, INF = float("nan"), float("inf")
NUMBERS = FLOATS + COMPLEX + SIGNED + UNSIGNED
REAL = FLOATS + SIGNED + UNSIGNED
# Pairs of shapes: the same, scalars, rows, columns, both repeat, different ranks, empty, single elements, 5-D.
SHAPES = [((), ()), ((3,), ()), ((), (2, 2)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 1, 3), (4, 1)), ((0, 3), (1, 3)),
          ((1,), (1, 1)), ((2, 1, 2, 1, 2), (1, 2, 1, 2, 1)), ((2,), (3,))]


def numbers(dtype, shape, seed, low=-4.0, high=4.0):
    """Values of a dtype that a case can hold in few characters: quarters, or small integers."""
    rng = np.random.RandomState(seed)
    def draw():
        return np.round(rng.uniform(low, high, shape) * 4) / 4
    if dtype in COMPLEX:
        return tensor(draw() + 1j * draw(), dtype)
    if dtype in UNSIGNED:
        return tensor(np.abs(np.round(draw())), dtype)
    if dtype in SIGNED:
        return tensor(np.round(draw() * 3), dtype)
    return tensor(draw(), dtype)


def unary(w, op, dtypes, low=-4.0, high=4.0, special=(0.0, -0.0, INF, -INF, NAN), ulps=4):
    for dtype in dtypes:
        values = numbers(dtype, (7,), 1, low, high)
        if dtype in FLOATS:
            extra = np.array(list(special) + [low / 3 + high / 1.7, high / 3], dtype=np.float64)
            values = tensor(np.concatenate([values.astype(np.float64), extra]), dtype)
        w.case(op, values, ulps=ulps)
    w.case(op, numbers(dtypes[-1], (), 2, low, high), ulps=ulps)
    first = "float32" if "float32" in dtypes else dtypes[0]
    for shape in [(0,), (1,), (2, 1, 3), (19, 2), (1, 2, 1, 2, 2), (1, 0, 2)]:
        w.case(op, numbers(first, shape, 3, low, high), ulps=ulps)


def binary(w, op, dtypes, low=-4.0, high=4.0, nonzero=False, special=True, ulps=4):
    def pair(dtype, a, b, seed):
        y = numbers(dtype, b, seed + 1, low, high)
        return numbers(dtype, a, seed, low, high), np.where(y == 0, np.ones_like(y), y) if nonzero else y
    for i, dtype in enumerate(dtypes):
        w.case(op, *pair(dtype, (6,), (6,), 10), ulps=ulps)
        w.case(op, *pair(dtype, *SHAPES[3 + i % 3], 20), ulps=ulps)
    first = "float32" if "float32" in dtypes else dtypes[0]
    for a, b in SHAPES:
        w.case(op, *pair(first, a, b, 30), ulps=ulps)
    if special and first in FLOATS:
        x = tensor([1, -1, 0, INF, -INF, NAN, 2, -2.5, 7], first)
        y = tensor([0, 0, 0, 2, INF, 1, NAN, 3, -INF], first)
        w.case(op, x, y, name="special values", ulps=ulps)


def integer_edges(w, op, dtypes, pairs):
    for dtype in dtypes:
        info = np.iinfo(dtype)
        named = {"min": info.min, "max": info.max}
        x, y = zip(*[(named.get(a, a), named.get(b, b)) for a, b in pairs])
        w.case(op, np.array(x, dtype), np.array(y, dtype), name=dtype + " edges")


def unary_cases(w):
    for op in ["Neg", "Sign"]:
        unary(w, op, FLOATS + COMPLEX + SIGNED)
    unary(w, "Abs", FLOATS + SIGNED)
    unary(w, "Square", NUMBERS)
    for op in ["Floor", "Ceil", "Rint"]:
        unary(w, op, FLOATS)
    unary(w, "Round", FLOATS)  # of integers TensorFlow 2.21 gives 0
    for op in ["IsNan", "IsInf", "IsFinite"]:
        unary(w, op, FLOATS)
    unary(w, "LogicalNot", ["bool"])
    for op in ["Reciprocal", "Inv"]:
        unary(w, op, FLOATS + COMPLEX)
    for op in ["Sqrt", "Log"]:
        unary(w, op, FLOATS + COMPLEX, 0.25, 9)
    unary(w, "Rsqrt", FLOATS + COMPLEX, 0.25, 9, special=(INF, NAN))
    unary(w, "Exp", FLOATS + COMPLEX)
    unary(w, "Expm1", FLOATS + COMPLEX)
    unary(w, "Log1p", FLOATS + COMPLEX, -0.75, 9, special=(0.0, -1.0, INF, NAN))
    for op in ["Sigmoid", "Tanh"]:
        unary(w, op, FLOATS + COMPLEX, -2, 2)
    for op in ["Sin", "Cos", "Tan"]:
        unary(w, op, FLOATS + COMPLEX, special=(0.0, -0.0, NAN))
    for op in ["Asin", "Acos", "Atanh"]:
        unary(w, op, FLOATS + COMPLEX, -0.9, 0.9, special=(0.0, 1.0, -1.0, NAN))
    for op in ["Atan", "Asinh"]:
        unary(w, op, FLOATS + COMPLEX)
    unary(w, "Acosh", FLOATS + COMPLEX, 1, 8, special=(1.0, 0.5, INF, NAN))
    for op in ["Sinh", "Cosh"]:
        unary(w, op, FLOATS + COMPLEX, special=(0.0, INF, -INF, NAN))
    for op in ["Erf", "Erfc"]:
        unary(w, op, FLOATS, -2, 2, special=(0.0, -0.0, NAN))  # of infinity TensorFlow 2.21 gives NaN in float64
    unary(w, "Conj", COMPLEX)
    for op in ["Sin", "Cos"]:
        w.case(op, tensor([-65536, 65535.5, 70000, 1e6, -1e10, 3e38, 11, 710.5, 3.1415927, -1.5707964, 1e-20]),
               name="far", ulps=4)
    w.case("Erf", tensor([-9, -4.1, -3.9, 1e-20, 0.99999, 1, 1.00001, 2.5, 30]), name="far", ulps=4)
    w.case("LogicalNot", tensor([[1, 0, 1], [0, 0, 1]], "bool"), name="matrix")
    w.case("LogicalNot", tensor(False, "bool"), name="false")
    odd = np.array([complex(-0.0, 0.0), complex(INF, NAN), complex(1, -INF)])
    for dtype in COMPLEX:
        w.case("Conj", tensor(odd, dtype), name=dtype + " special values")
    for dtype in ["float32", "float64"]:
        w.case("Rint", tensor([0.5, 1.5, 2.5, -0.5, -1.5, 1e10, 0.49999997], dtype), name=dtype + " halves")
    w.case("Exp", tensor([-87, -20, -1e-4, 1e-7, 20, 88.5, 89, 200, -200], "float32"), name="far", ulps=4)
    w.case("Tanh", tensor([-20, -9, -1e-3, 1e-6, 0.6249, 0.6251, 9, 20], "float32"), name="far", ulps=4)
    w.case("Sigmoid", tensor([-80, -20, -1e-3, 1e-6, 20, 90], "float32"), name="far", ulps=4)
    w.case("Log", tensor([1e-37, 0.9999, 1.0001, 1e38, 0, -1], "float32"), name="far", ulps=4)


def binary_cases(w):
    binary(w, "Add", [d for d in NUMBERS if d not in ("uint16", "uint32", "uint64")])
    binary(w, "AddV2", NUMBERS)
    binary(w, "Sub", NUMBERS)
    binary(w, "Mul", NUMBERS)
    w.case("Add", tensor(["a", "b"], "string"), tensor("x", "string"))
    for op in ["Div", "RealDiv"]:
        binary(w, op, FLOATS + COMPLEX if op == "RealDiv" else NUMBERS, nonzero=op == "Div")
    binary(w, "FloorDiv", REAL, nonzero=True)
    binary(w, "FloorMod", REAL, nonzero=True)
    binary(w, "TruncateDiv", SIGNED + UNSIGNED, nonzero=True, special=False)
    binary(w, "Mod", ["float32", "float64", "int32", "int64"], nonzero=True)
    binary(w, "TruncateMod", ["float32", "float64", "int32", "int64"], nonzero=True)
    binary(w, "DivNoNan", ["float16", "float32", "float64"] + COMPLEX)
    binary(w, "SquaredDifference", FLOATS + COMPLEX + ["int32", "int64"])
    for op in ["Maximum", "Minimum"]:
        binary(w, op, REAL)
    for op in ["Less", "LessEqual", "Greater", "GreaterEqual"]:
        binary(w, op, REAL)
    for op in ["Equal", "NotEqual"]:
        binary(w, op, NUMBERS + ["bool"])
        w.case(op, tensor(["a", "b"], "string"), tensor(["a", "c"], "string"))
        w.case(op, tensor([1, 2]), tensor([1, 2, 3]), incompatible_shape_error=False)
    for op in ["LogicalAnd", "LogicalOr"]:
        binary(w, op, ["bool"])
    binary(w, "Pow", FLOATS, 0.25, 4)
    binary(w, "Pow", ["int32", "int64"], 0, 2, special=False)
    binary(w, "Atan2", FLOATS)
    binary(w, "Xlogy", ["float16", "float32", "float64"], 0, 4, special=False)
    binary(w, "Xdivy", ["float16", "float32", "float64"], 0.5, 4, special=False)
    for op in ["Add", "Sub", "Mul"]:
        integer_edges(w, op, ["int8", "int32", "int64"], [("max", 1), ("min", -1), ("max", "max"), ("min", "min")])
    for op in ["FloorDiv", "FloorMod", "TruncateDiv"]:
        integer_edges(w, op, SIGNED, [(7, -2), (-7, 2), (-7, -2), ("max", -1), ("min", 1), ("min", "max")])
        w.case(op, np.array([1, 2], np.int32), np.array([1, 0], np.int32))
    w.case("Pow", np.array([2, 3], np.int32), np.array([1, -1], np.int32))
    for op in ["SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]:
        for dtype in FLOATS + COMPLEX:
            w.case(op, numbers(dtype, (6,), 1, 0.25, 2), numbers(dtype, (6,), 2, 0.25, 2), ulps=4)
        for shape in [(), (0, 2), (2, 3), (2, 1, 2, 1, 3)]:
            w.case(op, numbers("float32", shape, 1, 0.25, 2), numbers("float32", shape, 2), ulps=4)


def rounded_steps(w):
    """16-bit floating point is rounded after every step, which shows where terms cancel or results jump."""
    for dtype in ["bfloat16", "float16"]:
        x, y = tensor([63.5, -61.75, 50, 7], dtype), tensor([-6.34375, 6.1875, 9.9375, 0.3], dtype)
        for op in ["FloorDiv", "TruncateDiv"]:
            w.case(op, x, y, name=dtype + " near integers")
        y, dy = tensor([0.98, -0.99, 0.5, 1.0625], dtype), tensor([1.5, -0.7, 3, -3.65625], dtype)
        for op in ["SigmoidGrad", "TanhGrad", "RsqrtGrad", "ReciprocalGrad", "SqrtGrad"]:
            w.case(op, y, dy, name=dtype + " near 1", ulps=4)


def choice_cases(w):
    c = tensor([[1, 0, 1], [0, 0, 1]], "bool")
    for dtype in NUMBERS + ["bool"]:
        x = numbers("float32", (2, 3), 1)
        w.case("Select", c, tensor(x, dtype if dtype not in UNSIGNED else "int64").astype(tf.as_dtype(dtype).as_numpy_dtype),
               numbers(dtype, (2, 3), 2) if dtype != "bool" else ~c)
        w.case("SelectV2", c[0], numbers(dtype, (2, 3), 1) if dtype != "bool" else c, numbers(dtype, (2, 1), 2) if dtype != "bool" else c[:, :1])
    t, e = numbers("float32", (2, 3), 3), numbers("float32", (2, 3), 4)
    w.case("Select", tensor(True, "bool"), t, e)
    w.case("Select", tensor([True, False], "bool"), t, e, name="rows")
    w.case("Select", tensor([True, False, True], "bool"), t, e, name="bad rows")
    w.case("Select", c, t, e[:1], name="different shapes")
    w.case("SelectV2", tensor(False, "bool"), t, e)
    w.case("SelectV2", c[:, :1], t[0], e, name="all repeat")
    w.case("SelectV2", c, t, numbers("float32", (4,), 1), name="no broadcast")
    w.case("SelectV2", tensor([True, False], "bool"), tensor(["a", "b"], "string"), tensor("c", "string"))
    for dtype in FLOATS + ["int32", "int64", "uint8"]:
        x = numbers(dtype, (2, 3), 5)
        w.case("ClipByValue", x, tensor(1, dtype), tensor(3, dtype))
    x = numbers("float32", (2, 3), 5)
    w.case("ClipByValue", x, numbers("float32", (2, 3), 6, -2, 0), numbers("float32", (2, 3), 7, 0, 2), name="bounds a tensor")
    w.case("ClipByValue", numbers("float32", (0,), 5), tensor(-1), tensor(1), name="empty")
    w.case("ClipByValue", x, tensor([-1, 0], "float32"), tensor(1), name="bad bound")
    for dtype in NUMBERS:
        w.case("AddN", [numbers(dtype, (2, 3), s) for s in range(3)], ulps=4)
    w.case("AddN", [t])
    w.case("AddN", [numbers("float32", (), s) for s in range(9)], ulps=4)
    w.case("AddN", [t, e[:1]], name="different shapes")


def cast_cases(w):
    everything = NUMBERS + ["bool"]
    for source in everything:
        x = numbers(source, (5,), 1) if source != "bool" else tensor([1, 0, 1], "bool")
        for target in everything:
            if source in COMPLEX and target not in COMPLEX + ["float32", "float64"]:
                continue
            w.case("Cast", x, name=f"{source} to {target}", DstT=tf.as_dtype(target))
    x = tensor([2.5, -2.5, 300, -300, 70000, -1, 1e6], "float32")
    for target in ["int8", "uint8", "int16", "int32", "int64"]:
        w.case("Cast", x, name="far to " + target, DstT=tf.as_dtype(target))
    w.case("Cast", tensor([NAN, INF, -INF, 1e10, -1e10]), name="beyond int32", DstT=tf.int32)
    w.case("Cast", tensor([1.00001, 3.14159, -2.99999]), name="truncated", DstT=tf.bfloat16, Truncate=True)
    w.case("Cast", tensor([1e-8, 65519, 65520, 1e-5, NAN, -INF]), name="to half", DstT=tf.float16)


def edge_cases(w):
    for dtype in ["float32", "float64"]:
        x = tensor([1, 1, 2, -3, INF, NAN, 0.5], dtype)
        for tolerance in [0.0, 1.0]:
            w.case("ApproximateEqual", x, tensor([1, 2, 4, -3, INF, NAN, -0.5], dtype), name=f"{dtype} within {tolerance}",
                   tolerance=tolerance)
    for dtype in FLOATS:
        y, dy = tensor([0, INF, -INF, NAN, 2, -0.0], dtype), tensor([0, 0, -0.0, 0, 0, -0.0], dtype)
        for op in ["SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]:
            w.case(op, y, dy, name=dtype + " no gradient", ulps=1)
    for op in ["SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]:
        w.case(op, numbers("float32", (2, 3), 1), numbers("float32", (3,), 2), name="no broadcasting")
    x = numbers("float32", (3,), 5)
    w.case("ClipByValue", x, tensor([-1]), tensor(1), name="a bound of one element")
    w.case("ClipByValue", x, tensor([-1, 0, 1]), tensor(2), name="one bound a scalar")
    far = np.array([1.00001, 3.14159265358979, -2.9999999, 100.2337, 65519.9, 1e-5])
    for source, target in [("float64", "float32"), ("float64", "float16"), ("float64", "bfloat16"), ("float32", "float16"),
                           ("float32", "float64"), ("float16", "bfloat16"), ("bfloat16", "float16"), ("int32", "bfloat16"),
                           ("complex128", "complex64"), ("complex128", "float32"), ("complex64", "float16"), ("float32", "int32")]:
        w.case("Cast", tensor(far, source), name=f"{source} cut to {target}", DstT=tf.as_dtype(target), Truncate=True)


def write(w):
    unary_cases(w)
    binary_cases(w)
    rounded_steps(w)
    choice_cases(w)
    cast_cases(w)
    edge_cases(w)
