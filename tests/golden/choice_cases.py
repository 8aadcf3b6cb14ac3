"""What depends on the values: the largest entries, unique slices, sparse tensors made dense."""
import numpy as np
import tensorflow as tf

from array_cases import ALL, iota
from golden import FLOATS, SIGNED, UNSIGNED, i32, i64, s32, tensor

REAL = FLOATS + SIGNED + UNSIGNED


def top_k_cases(w):
    row = [3, 1, 3, 2, 1, 3, 9, 4, 5, 6, 7, 3]
    for dtype in REAL:
        w.case("TopKV2", tensor([row[:5], row[5:10]], dtype), s32(3))
    for k in [0, 1, 2, 3, 7, 11, 12, 13, -1]:
        w.case("TopKV2", tensor(row, "int32"), s32(k), name=f"k {k}")
        w.case("TopKV2", tensor(row, "int32"), s32(k), name=f"k {k} unsorted", sorted=False)
    wide = np.random.default_rng(3).integers(0, 50, 40)
    for k in [2, 5, 17, 39]:
        w.case("TopKV2", tensor(wide, "int8"), s32(k), name=f"40 k {k}")
        w.case("TopKV2", tensor(wide, "int8"), s32(k), name=f"40 k {k} unsorted", sorted=False)
    w.case("TopKV2", iota((2, 1, 2, 1, 3)), s32(2), name="5-D")
    w.case("TopKV2", tensor([np.inf, -np.inf, 0.0, -0.0, 5]), s32(5), name="infinities and zeros")
    w.case("TopKV2", tensor([3, 1, np.nan]), s32(1), name="NaN")
    for kind in [np.int16, np.int32, np.int64]:
        for index in [tf.int16, tf.int32, tf.int64]:
            w.case("TopKV2", iota((2, 3)), np.array(2, kind), name=f"{kind.__name__} to {index.name}", index_type=index)
    for name, x, k in [("scalar", tensor(1), s32(0)), ("k a vector", iota((2, 3)), i32(1)), ("empty rows", iota((2, 0)), s32(0)),
                       ("no rows", iota((0, 3)), s32(2)), ("empty rows, k 1", iota((2, 0)), s32(1))]:
        w.case("TopKV2", x, k, name=name)


def in_top_k_cases(w):
    p = tensor([[0.1, 0.5, 0.5, 0.2], [0.4, 0.3, np.nan, 0.1], [np.inf, 0.3, 0.2, 0.1]])
    for k in [0, 1, 2, 3, 4, 9, -1]:
        w.case("InTopK", p, i32(1, 0, 1), name=f"k {k}", k=k)
        w.case("InTopKV2", p, i64(2, 3, 0), np.array(k, np.int64), name=f"k {k}")
    for name, targets in [("outside", i32(4, -1, 0)), ("few targets", i32(0, 1)), ("a matrix", i32(0, 1, 2).reshape(3, 1)),
                          ("int64", i64(3, 1, 3))]:
        w.case("InTopK", p, targets, name=name, k=2)
        w.case("InTopKV2", p, targets, targets.dtype.type(2), name=name)
    w.case("InTopK", p[0], i32(1), name="one row of rank 1", k=1)
    w.case("InTopK", np.ones((2, 0), np.float32), i32(0, 0), name="no classes", k=1)
    w.case("InTopK", np.ones((0, 3), np.float32), i32(), name="no rows", k=1)
    w.case("InTopKV2", p, i32(1, 0, 1), i32(2), name="k a vector")


def unique_cases(w):
    for dtype in REAL + ["bool", "string"]:
        x = tensor(["b", "a", "b", "", "a"], dtype) if dtype == "string" else tensor([3, 1, 3, 2, 1], dtype)
        w.case("Unique", x)
        w.case("UniqueWithCounts", x)
        w.case("UniqueV2", x, i64())
        w.case("UniqueWithCountsV2", np.stack([x, x[::-1]]), i64(1))
        if dtype != "bool":
            w.case("ListDiff", x, x[1:3])
    for op, axis in [("Unique", []), ("UniqueWithCounts", []), ("UniqueV2", [i64(0)]), ("UniqueWithCountsV2", [i32(-1)])]:
        w.case(op, tensor([np.nan, 1, np.nan, 0.0, -0.0, np.inf, np.inf]), *axis, name="NaN and zeros")
        w.case(op, tensor([5, 5], "int64"), *axis, name="int64 places", out_idx=tf.int64)
        w.case(op, iota((0,)), *axis, name="empty")
        w.case(op, iota(()), *axis, name="scalar")
    for op in ["Unique", "UniqueWithCounts"]:
        w.case(op, iota((2, 3)), name="matrix")
    x = tensor([[1, 2, 1], [3, 4, 3], [1, 2, 1]], "int32")
    for op in ["UniqueV2", "UniqueWithCountsV2"]:
        for axis in [(0,), (1,), (-1,), (-2,), (2,), (), (0, 1)]:
            w.case(op, x, i64(*axis), name=f"axis {list(axis)}")
        w.case(op, x, np.array(0, np.int64), name="axis a scalar")
        w.case(op, np.stack([x, x], 1).reshape(3, 1, 2, 3, 1), i64(2), name="5-D")
        w.case(op, iota((0, 2)), i64(0), name="no rows")
        w.case(op, iota((0, 2)), i64(1), name="empty columns")
        w.case(op, tensor([["a", "b"], ["a", "b"]], "string"), i32(0), name="strings")


def sparse_cases(w):
    nine = tensor(9)
    for dtype in ALL:
        w.case("SparseToDense", i32(1, 3), i32(5), iota((2,), dtype, 1), iota((1,), dtype, 7)[0] if dtype != "string" else np.array("x", object))
    two = tensor([1, 2])
    for name, indices, shape, values in [
            ("one value", i32(1, 3), i32(5), tensor(7)), ("scalar index", s32(2), i32(5), tensor(1)),
            ("matrix", i32(0, 1, 1, 0).reshape(2, 2), i32(2, 2), two), ("out of order", i32(3, 1), i32(5), two),
            ("repeated", i32(3, 3), i32(5), two), ("beyond", i32(5), i32(5), tensor(1)), ("negative", i32(-1), i32(5), tensor(1)),
            ("shallow", i32(0, 1).reshape(2, 1), i32(2, 2), two), ("many values", i32(1, 3), i32(5), iota((3,))),
            ("values of rank 2", i32(1), i32(5), iota((1, 1))), ("vector for a matrix", i32(1), i32(5, 5), iota((1,))),
            ("shape of rank 2", i32(1), i32(5).reshape(1, 1), iota((1,))), ("nothing", np.zeros((0, 2), np.int32), i32(2, 2), iota((0,))),
            ("indices of rank 3", np.zeros((2, 1, 1), np.int32), i32(2), two), ("scalar output", np.zeros((1, 0), np.int32), i32(), iota((1,))),
            ("int64", i64(0, 1, 2, 2, 0, 0).reshape(2, 3), i64(3, 3, 3), two), ("negative shape", i32(1), i32(-5), tensor(1)),
            ("5-D", i32(0, 0, 1, 0, 1, 1, 0, 0, 0, 0).reshape(2, 5), i32(2, 1, 2, 1, 2), two), ("empty", i32(), i32(0), iota((0,)))]:
        w.case("SparseToDense", indices, shape, values, nine, name=name)
        w.case("SparseToDense", indices, shape, values, nine, name=f"{name}, not validated", validate_indices=False)
    w.case("SparseToDense", i32(1), i32(5), iota((1,)), iota((1,)), name="default a vector")


def write(w):
    top_k_cases(w)
    in_top_k_cases(w)
    unique_cases(w)
    sparse_cases(w)
