"""Reductions over one, several, all and no dimensions."""
import numpy as np
import tensorflow as tf

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, i32, tensor
from elementwise_cases import INF, NAN, NUMBERS, REAL, numbers


AXES = [i32(), i32(0), i32(1), i32(-1), i32(0, 1), i32(0, 2), i32(1, 2), i32(0, 1, 2)]


def positive(dtype, shape, seed):
    x = numbers(dtype, shape, seed, 0.5, 4)
    return x


def reduction(w, op, dtypes, ulps=0):
    for dtype in dtypes:
        w.case(op, positive(dtype, (2, 3, 4), 1), i32(1), ulps=ulps)
        w.case(op, positive(dtype, (3, 5), 2), i32(0, 1), keep_dims=True, ulps=ulps)
    for axes in AXES:
        w.case(op, positive("float32", (2, 3, 4), 3), axes, name=f"axes {list(axes)}", ulps=ulps)
    x = positive("float32", (2, 1, 3, 2, 2), 4)
    w.case(op, x, i32(0, 2, 4), name="alternating", ulps=ulps)
    w.case(op, x, np.array([1, 3], np.int64), name="int64 axes", keep_dims=True, ulps=ulps)
    w.case(op, positive("float32", (3,), 4), np.array(0, np.int32), name="scalar axis", ulps=ulps)
    w.case(op, positive("float32", (), 4), i32(), name="scalar", ulps=ulps)
    w.case(op, positive("float32", (0, 3), 4), i32(0), name="of nothing")
    w.case(op, positive("float32", (0, 3), 4), i32(1), name="nothing")
    w.case(op, positive("float32", (2, 3), 4), i32(2), name="bad axis")
    w.case(op, positive("float32", (2, 3), 4), i32(0, -2), name="axis twice")
    w.case(op, tensor([[1, NAN], [INF, -INF]]), i32(1), name="special values")
    w.case(op, positive("float32", (300,), 5), i32(0), name="long row", ulps=ulps)
    w.case(op, positive("float32", (70, 3), 5), i32(0), name="long column", ulps=ulps)


def bincount_cases(w):
    values, size = i32(1, 2, 2, 9, 0), np.array(4, np.int32)
    for dtype in ["int32", "int64", "float32", "float64"]:
        none, weights = np.array([], dtype), numbers(dtype, (5,), 1)
        w.case("Bincount", values, size, none, name=dtype)
        w.case("Bincount", values, size, weights, name=dtype + " weights")
        for tidx in [np.int32, np.int64]:
            w.case("DenseBincount", values.astype(tidx), tidx(4), none, name=f"{dtype} {tidx.__name__}")
            w.case("DenseBincount", values.astype(tidx), tidx(4), weights, name=f"{dtype} {tidx.__name__} weights")
    none = tensor([])
    for op in ["Bincount", "DenseBincount"]:
        w.case(op, i32(), size, none, name="nothing")
        w.case(op, values, np.array(0, np.int32), none, name="no bins")
        w.case(op, np.array(1, np.int32), size, none, name="scalar")
        w.case(op, i32(1, -2), size, none, name="negative")
        w.case(op, values, np.array(-1, np.int32), none, name="negative size")
        w.case(op, values, i32(4), none, name="size not a scalar")
        w.case(op, values, size, tensor([1, 2]), name="too few weights")
    matrix = i32(1, 2, 2, 0, 3, 3).reshape(2, 3)
    w.case("Bincount", matrix, size, numbers("float32", (2, 3), 1), name="matrix")
    for binary in [False, True]:
        w.case("DenseBincount", matrix, size, none, name=f"matrix {binary}", binary_output=binary)
        w.case("DenseBincount", matrix, size, numbers("float32", (2, 3), 1), name=f"weighted matrix {binary}",
               binary_output=binary)
    w.case("DenseBincount", matrix[:0], size, none, name="no rows")
    w.case("DenseBincount", matrix.reshape(1, 2, 3), size, none, name="rank 3")


def write(w):
    reduction(w, "Sum", NUMBERS, ulps=16)
    reduction(w, "Mean", NUMBERS, ulps=16)
    for dtype in FLOATS + COMPLEX + SIGNED + UNSIGNED:
        w.case("Prod", numbers(dtype, (2, 3), 1, 0.5, 2), i32(1), ulps=16)
    reduction(w, "Prod", [], ulps=64)
    for op in ["Max", "Min"]:
        reduction(w, op, REAL)
    reduction(w, "EuclideanNorm", NUMBERS, ulps=16)
    for dtype, values in [("int8", [100, 100]), ("uint8", [200, 200]), ("int32", [60000, 3])]:
        w.case("EuclideanNorm", np.array(values, dtype), i32(0), name=dtype + " wraps")
    bincount_cases(w)
    b = tensor([[[1, 0], [1, 1]], [[0, 0], [1, 1]]], "bool")
    for op in ["All", "Any"]:
        for axes in [i32(), i32(0), i32(1), i32(2), i32(0, 2), i32(-1, 0), i32(0, 1, 2)]:
            w.case(op, b, axes, name=f"axes {list(axes)}")
        w.case(op, b, i32(1), name="kept", keep_dims=True)
        w.case(op, tensor(np.zeros((0, 2)), "bool"), i32(0), name="of nothing")
        w.case(op, b, i32(3), name="bad axis")
    for dtype in FLOATS:
        for shape in [(), (3,), (2, 3), (0,), (40,)]:
            w.case("L2Loss", numbers(dtype, shape, 1), ulps=16)
    for op in ["ArgMax", "ArgMin"]:
        for dtype in REAL + ["bool"]:
            x = numbers(dtype, (3, 5), 2) if dtype != "bool" else tensor([[0, 1, 1], [1, 0, 0]], "bool")
            w.case(op, x, np.array(1, np.int32))
        x = numbers("float32", (2, 3, 4), 3)
        for axis in [0, 1, 2, -1, 3, -4]:
            w.case(op, x, np.array(axis, np.int32), name=f"axis {axis}", output_type=tf.int32)
        w.case(op, numbers("float32", (0, 3), 3), np.array(1, np.int32), name="no rows")
        w.case(op, numbers("float32", (3, 0), 3), np.array(1, np.int32), name="empty axis")
        w.case(op, tensor([[1, 3, 3], [2, 2, 2]]), np.array(1, np.int64), name="ties")
        w.case(op, tensor([[NAN, 1, 2], [1, NAN, 0], [NAN, NAN, NAN], [INF, -INF, 1], [-INF, -INF, -INF]]),
               np.array(1, np.int32), name="special values")
        w.case(op, tensor([[NAN, 1, 2], [1, NAN, 0], [2, 1, NAN]]), np.array(0, np.int32), name="special columns")
        long = numbers("float32", (2, 200), 7)
        long[0, 0] = long[1, 150] = NAN
        w.case(op, long, np.array(1, np.int32), name="long rows")
        w.case(op, numbers("float32", (2, 1, 3, 1, 2), 7), np.array(2, np.int32), name="5-D")
        w.case(op, numbers("float32", (2, 3, 0), 7), np.array(1, np.int32), name="no columns")
        w.case(op, numbers("float32", (), 3), np.array(0, np.int32), name="scalar")
    for op in ["Cumsum", "Cumprod"]:
        for dtype in NUMBERS:
            w.case(op, numbers(dtype, (2, 4), 1, 0.5, 2), np.array(1, np.int32), ulps=8)
        x = numbers("float32", (2, 3, 2), 2, 0.5, 2)
        for axis in [0, 1, -1, 3]:
            for exclusive in [False, True]:
                w.case(op, x, np.array(axis, np.int32), name=f"axis {axis} {exclusive}", exclusive=exclusive,
                       reverse=not exclusive, ulps=8)
        w.case(op, x, np.array(1, np.int64), name="both", exclusive=True, reverse=True, ulps=8)
        w.case(op, numbers("float32", (0, 2), 2), np.array(0, np.int32), name="empty")
    linear_recurrences(w)


def recurrence(slope, offset, axis, exclusive, reverse):
    """By its definition, along an axis."""
    a, b = (np.moveaxis(v, axis, 0)[::-1 if reverse else 1] for v in (slope, offset))
    out, state = np.zeros_like(a), np.zeros_like(a[:1].sum(0))
    for i in range(len(a)):
        before, state = state, a[i] * state + b[i]
        out[i] = before if exclusive else state
    return np.moveaxis(out[::-1] if reverse else out, 0, axis)


def linear_recurrences(w):
    """An op of dfrun's own."""
    op = "LinearRecurrence"

    def case(slope, offset, axis, name, exclusive=False, reverse=False, **more):
        wide = np.complex128 if slope.dtype.kind == "c" else np.float64
        out = recurrence(slope.astype(wide), offset.astype(wide), int(axis), exclusive, reverse).astype(slope.dtype)
        w.case(op, slope, offset, axis, outputs=[out], name=name, exclusive=exclusive, reverse=reverse, ulps=16, **more)
    for dtype in FLOATS + COMPLEX:
        case(numbers(dtype, (2, 4), 1), numbers(dtype, (2, 4), 2), np.array(1, np.int32), dtype)
    x, y = numbers("float32", (2, 3, 2), 3), numbers("float32", (2, 3, 2), 4)
    for axis in [0, 1, -1]:
        for exclusive in [False, True]:
            for reverse in [False, True]:
                case(x, y, np.array(axis, np.int64), f"axis {axis} {exclusive} {reverse}", exclusive, reverse)
    case(x * 0, y, np.array(1, np.int32), "slopes of zero")
    case(numbers("float64", (3000,), 5, -1, 1), numbers("float64", (3000,), 6), np.array(0, np.int32), "long")
    case(numbers("float32", (0, 2), 2), numbers("float32", (0, 2), 2), np.array(1, np.int32), "empty")
    w.case(op, x, y, np.array(3, np.int32), outputs="error", name="bad axis")
    w.case(op, x, y[:1], np.array(0, np.int32), outputs="error", name="sizes differ")
    w.case(op, x, y, i32(0), outputs="error", name="axes")
