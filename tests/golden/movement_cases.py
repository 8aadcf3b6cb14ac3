"""Data movement once more: the ops that array_cases.py has few cases of, and slices changed by index."""
import numpy as np
import tensorflow as tf

from array_cases import ALL, iota
from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, i32, i64, run, s32, tensor

NUMBERS = FLOATS + COMPLEX + SIGNED + UNSIGNED
SHAPES = [(), (1,), (0,), (3,), (2, 0), (1, 1), (2, 3), (2, 1, 3), (0, 0, 0), (1, 2, 3, 1, 2), (1, 1, 1, 1, 1, 1)]


def coordinates(*rows):
    return np.array(rows, np.int32)


def identity_cases(w):
    for dtype in ALL:
        for op in ["StopGradient", "PreventGradient"]:
            w.case(op, iota((2,), dtype))
        w.case("EnsureShape", iota((2, 1), dtype), shape=tf.TensorShape([2, None]))
        w.case("PlaceholderWithDefault", iota((1, 2), dtype), shape=tf.TensorShape([None, 2]))
    for dtype in ALL:
        w.case("IdentityN", [iota((2, 1), dtype), iota((), "int32"), iota((0, 2), dtype)], name=dtype)
    for shape in [[2, 3], [None, 3], [None, None], [3, 3], [2, None, None], [None], []]:
        w.case("EnsureShape", iota((2, 3)), shape=tf.TensorShape(shape), name=f"{shape}")
        w.case("PlaceholderWithDefault", iota((2, 3)), shape=tf.TensorShape(shape), name=f"{shape}")
    for shape in SHAPES:
        x = iota(shape)
        for op in ["StopGradient", "PreventGradient", "Rank", "Size", "Shape"]:
            w.case(op, x)
        for kind in [tf.int32, tf.int64]:
            w.case("ShapeN", [x, iota((4,)), iota((1, 0))], name=f"{list(shape)} {kind.name}", out_type=kind)
    for dtype in ["string", "bool", "complex64", "bfloat16"]:
        for op in ["Rank", "Size", "Shape"]:
            w.case(op, iota((2, 3), dtype))
    for dtype in ALL:
        w.case("ExpandDims", iota((2,), dtype), s32(-1))
        w.case("Squeeze", iota((1, 2, 1), dtype))
    for axis in [np.array([[0]], np.int32), i32(0, 1), i32(), np.array(1, np.int64)]:
        w.case("ExpandDims", iota((2, 3)), axis, name=f"axis of shape {list(axis.shape)}")
    w.case("ExpandDims", iota((2, 1, 1, 1, 2)), s32(3), name="5-D")
    w.case("Squeeze", iota((2, 1)), name="twice the same", squeeze_dims=[1, 1])
    w.case("Squeeze", iota(()), name="scalar", squeeze_dims=[])
    w.case("Squeeze", iota(()), name="scalar, axis 0", squeeze_dims=[0])


def join_cases(w):
    for dtype in ALL:
        w.case("Concat", s32(0), [iota((1, 2), dtype), iota((2, 2), dtype)])
        w.case("DynamicStitch", [i32(2, 0), i32(1)], [iota((2, 1), dtype), iota((1, 1), dtype)])
        w.case("ParallelDynamicStitch", [i32(2, 0), i32(1)], [iota((2, 1), dtype), iota((1, 1), dtype)])
        w.case("DynamicPartition", iota((3,), dtype), i32(1, 0, 1), num_partitions=2)
    for parts, axis in [(((2, 3), (2, 1)), 1), (((2, 3), (2, 1)), -1), (((2, 3), (2, 1)), 0), (((2, 3), (0, 3)), 0), (((2, 3), (0,)), 0),
                        (((), ()), 0), (((0,), (0,)), 0), (((1, 2, 1, 1, 2), (1, 1, 1, 1, 2)), -4), (((2,), (2, 2)), 0)]:
        values = [iota(p) for p in parts]
        w.case("Concat", s32(axis), values, name=f"{[list(p) for p in parts]} at {axis}")
        w.case("ConcatV2", values, np.array(axis, np.int64), name=f"{[list(p) for p in parts]} at {axis}")
    for axis, shapes in [(0, [(2,), (3,)]), (-2, [(2, 3), (7, 3), (1, 3)]), (1, [(4, 0, 2), (4, 5, 2)]), (-3, [(1, 2), (1, 2)]),
                         (0, [(1, 2), (1,)]), (0, [(), ()]), (2, [(1, 1, 1, 1, 1), (1, 1, 9, 1, 1)])]:
        w.case("ConcatOffset", s32(axis), [i32(*s) for s in shapes], name=f"{axis} {shapes}")
        w.case("ConcatOffset", s32(axis), [i64(*s) for s in shapes], name=f"{axis} {shapes} int64")
    for p in [(0,), (1, 0), (3, 1, 0, 2), (4, 3, 2, 1, 0), (0, 0), (0, 3), (-1, 0), (1,)]:
        w.case("InvertPermutation", i64(*p), name=f"int64 {list(p)}")
    w.case("InvertPermutation", i32(0).reshape(1, 1), name="matrix")
    for start, stop, num in [(0, 1, 1), (5, 5, 3), (1, 0, 4), (-1e30, 1e30, 3), (0, 1, 11), (2, np.inf, 3)]:
        for dtype in ["float32", "float64"]:
            w.case("LinSpace", tensor(start, dtype), tensor(stop, dtype), np.array(num, np.int64), name=f"{dtype} {start} {stop} {num}", ulps=2)
    w.case("LinSpace", iota((1,)), tensor(1), s32(3), name="start a vector")
    for op in ["DynamicStitch", "ParallelDynamicStitch"]:
        w.case(op, [i32(0, 3)], [tensor([1, 2])], name="rows between")
        w.case(op, [s32(0), i32(1, 2).reshape(1, 2)], [iota((2, 1, 2)), iota((1, 2, 2, 1, 2), start=9)], name="5-D")
        w.case(op, [i32(0), i32(1)], [iota((1, 2)), iota((1, 3))], name="rows differ")
        w.case(op, [i32(), i32()], [iota((0, 3)), iota((0, 3))], name="no rows")
    for name, x, p, n in [("scalar", tensor(3), s32(1), 2), ("one partition", iota((2, 2)), i32(0, 0), 1), ("empty", iota((0, 2)), i32(), 2),
                          ("negative", iota((2,)), i32(0, -1), 2), ("5-D", iota((2, 1, 1, 2, 1)), i32(1, 0).reshape(2, 1), 2),
                          ("longer", iota((2,)), i32(0, 1, 1), 2)]:
        w.case("DynamicPartition", x, p, name=name, num_partitions=n)


def permutation_cases(w):
    for dtype in ALL:
        w.case("ConjugateTranspose", iota((2, 3), dtype), i32(1, 0))
    z = tensor([[1 + 2j, 3 - 4j, 5j], [-1j, 2, 7 + 1j]], "complex64")
    for perm in [(1, 0), (0, 1), (-1, -2), (0, 0), (0,), (0, 2)]:
        w.case("ConjugateTranspose", z, i64(*perm), name=f"perm {list(perm)}")
        w.case("Transpose", z, i64(*perm), name=f"complex, perm {list(perm)}")
    w.case("ConjugateTranspose", z.reshape(1, 2, 1, 3, 1), i32(4, 3, 2, 1, 0), name="5-D")
    for row in [2, 3, 4]:  # rows that are moved as one element
        w.case("Transpose", iota((3, 2, row), "uint8"), i32(1, 0, 2), name=f"short rows of {row}")
    w.case("Transpose", iota((17, 9), "int16"), i32(1, 0), name="17x9")
    w.case("Transpose", iota((9, 19), "int64"), i32(1, 0), name="9x19")
    w.case("Transpose", iota((2, 9, 3, 9), "uint8"), i32(3, 2, 0, 1), name="uint8 to the front")
    for dtype in ALL:
        w.case("Roll", iota((2, 3), dtype), s32(1), s32(1))
    x = iota((3, 4))
    for shift, axis in [((1,), (0,)), ((-1,), (1,)), ((5, -6), (0, 1)), ((1, 2), (1, 1)), ((2**31 - 1, -2**31), (0, 1)), ((), ()), ((0,), (-2,)),
                        ((1,), (2,)), ((1,), (-3,)), ((1, 2), (0,))]:
        w.case("Roll", x, i32(*shift), i64(*axis), name=f"{list(shift)} {list(axis)}")
    w.case("Roll", x, i32(1), s32(0), name="a vector and a number")
    w.case("Roll", iota(()), s32(1), s32(0), name="scalar")
    w.case("Roll", iota((0, 2)), s32(1), s32(0), name="empty")
    w.case("Roll", iota((2, 1, 3, 1, 2)), i64(1, 1, 1), i64(0, 2, 4), name="5-D")


def scatter_cases(w):
    rows, twice = coordinates([2], [0]), coordinates([1], [1])
    for dtype in ALL:
        w.case("TensorScatterUpdate", iota((3, 2), dtype), rows, iota((2, 2), dtype, 5))
    for dtype in NUMBERS:
        for op in ["TensorScatterAdd", "TensorScatterSub"]:
            w.case(op, iota((3, 2), dtype), twice, iota((2, 2), dtype, 5))
    for dtype in FLOATS + SIGNED + UNSIGNED:
        for op in ["TensorScatterMax", "TensorScatterMin"]:
            w.case(op, iota((3, 2), dtype, 2), twice, tensor([[1, 9], [5, 3]], dtype))
    x = iota((2, 3))
    for op in ["TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax", "TensorScatterMin"]:
        for name, indices, updates in [
                ("rows twice", twice, iota((2, 3), start=1)), ("elements", coordinates([0, 1], [1, 2]), tensor([50, -60])),
                ("outside", coordinates([2]), iota((1, 3))), ("negative", coordinates([-1]), iota((1, 3))),
                ("short updates", coordinates([0]), iota((1, 2))), ("nothing", np.zeros((0, 1), np.int32), iota((0, 3))),
                ("no coordinates", np.zeros((1, 0), np.int32), iota((1, 2, 3))), ("scalar index", s32(0), iota((3,))),
                ("index vector", i32(0), iota((3,))), ("too deep", coordinates([0, 0, 0]), iota((1,))),
                ("indices of rank 3", coordinates([[0], [1]]), iota((1, 2, 3), start=4)), ("int64", i64(1).reshape(1, 1), iota((1, 3), start=3))]:
            w.case(op, x, indices, updates, name=name)
        w.case(op, tensor(1), np.zeros((1, 0), np.int32), tensor([1]), name="scalar")
        w.case(op, iota((0, 2)), np.zeros((0, 1), np.int32), iota((0, 2)), name="empty")
        w.case(op, iota((1, 2, 1, 2, 2)), coordinates([0, 1, 0]), iota((1, 2, 2), start=5), name="5-D")
        w.case(op, tensor([np.nan, 1, -0.0]), coordinates([0], [1], [2]), tensor([1, np.nan, 0.0]), name="NaN")
        w.case(op, tensor([250, 3], "uint8"), coordinates([0], [1]), tensor([10, 5], "uint8"), name="wraps")
    w.case("ScatterNd", coordinates([1], [0], [1]), tensor(["a", "b", "c"], "string"), i32(3), name="strings")
    w.case("ScatterNd", coordinates([1], [1]), np.array([True, True]), i32(3), name="bool")
    w.case("ScatterNd", i32(0), tensor([9, 8]), i32(3, 2), name="index vector")
    w.case("ScatterNd", np.zeros((1, 0), np.int32), iota((1, 2)), i32(2), name="no coordinates")
    w.case("ScatterNd", np.zeros((0, 1), np.int32), iota((0,)), i32(0), name="into nothing")
    w.case("ScatterNd", coordinates([0]), iota((1,)), i32(0), name="outside of nothing")
    w.case("ScatterNd", coordinates([0, 1, 0]), iota((1, 1, 2)), i32(1, 2, 1, 1, 2), name="5-D")


def pick_cases(w):
    w.case("GatherNd", tensor(3), np.zeros((2, 0), np.int32), name="scalar")
    w.case("GatherNd", iota((0, 2)), np.zeros((1, 1), np.int32), name="of nothing")
    w.case("GatherNd", iota((0, 2)), np.zeros((0, 1), np.int32), name="nothing of nothing")
    w.case("GatherNd", iota((1, 2, 1, 2, 2)), coordinates([0, 1, 0, 1]), name="5-D")
    w.case("GatherNd", iota((2, 3), "string"), np.array([[1, 2]], np.int16), name="int16, strings")
    for name, x, i, axis, more in [("int16", (2, 3), np.array(1, np.int16), 1, {}), ("no index", (2, 3), i32(), 1, {}),
                                   ("of no columns", (2, 0), i32(1), 0, {}), ("of nothing", (0, 2), i32(0), 0, {}), ("none of nothing", (0, 2), i32(), 0, {}),
                                   ("5-D", (1, 2, 1, 3, 2), i32(2, 0), -2, {}), ("two batches", (2, 2, 3), i32(0, 2, 1, 1).reshape(2, 2, 1), 2, dict(batch_dims=2)),
                                   ("batch and later axis", (2, 2, 3), i32(0, 2, 1, 1).reshape(2, 2), 2, dict(batch_dims=1)),
                                   ("all batch", (2, 3), i32(2, 0), 1, dict(batch_dims=1)), ("batch beyond indices", (2, 3), i32(2, 0), 1, dict(batch_dims=2)),
                                   ("batch below", (2, 3), i32(2, 0), 1, dict(batch_dims=-2))]:
        w.case("GatherV2", iota(x), i, s32(axis), name=name, **more)
    w.case("GatherV2", iota((2, 3)), i32(0), i32(0), name="axis a vector")
    w.case("GatherV2", tensor(1), i32(0), s32(0), name="scalar params")
    w.case("Where", np.array(True), name="scalar")
    w.case("Where", tensor([np.nan, 0, -0.0]), name="NaN and zeros")
    w.case("Where", iota((1, 2, 1, 2, 2), "bool"), name="5-D")


def removed_cases(w):
    """TopK is gone from newer graphs; TopKV2 says what it does."""
    for dtype in ["float32", "float64", "bfloat16", "int32", "uint8", "int64"]:
        for k in [0, 2, 3]:
            x = tensor([[3, 1, 3], [2, 5, 4]], dtype)
            w.case("TopK", x, outputs=run("TopKV2", [x, s32(k)], {})[0], name=f"{dtype} {k}", k=k)
    w.case("TopK", iota((2, 3)), outputs="error", name="k 4", k=4)
    w.case("TopK", tensor(1), outputs="error", name="scalar", k=0)


def write(w):
    identity_cases(w)
    join_cases(w)
    permutation_cases(w)
    scatter_cases(w)
    pick_cases(w)
    removed_cases(w)
