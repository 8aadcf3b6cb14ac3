"""Reductions of rows by segment ids: sorted, in any order, of rows picked by index, and the gradients of these."""
import numpy as np

from elementwise_cases import INF, NUMBERS, REAL, numbers
from golden import FLOATS, i32, i64, s32, tensor

IDS = i32(0, 0, 1, 3, 3)
SORTED = {"SegmentSum": NUMBERS, "SegmentMean": NUMBERS, "SegmentProd": NUMBERS, "SegmentMax": REAL, "SegmentMin": REAL}
UNSORTED = {"UnsortedSegmentSum": NUMBERS, "UnsortedSegmentProd": NUMBERS, "UnsortedSegmentMax": REAL,
            "UnsortedSegmentMin": REAL}


def sorted_cases(w, op, dtypes):
    for dtype in dtypes:
        w.case(op, numbers(dtype, (5, 2), 1, 0.5, 4), IDS, ulps=8)
    x = numbers("float32", (5, 2), 2, 0.5, 4)
    w.case(op, x, i64(0, 0, 1, 3, 3), name="int64 ids", ulps=8)
    w.case(op, x[:, 0], IDS, name="a vector", ulps=8)
    w.case(op, x, i32(4, 4, 4, 4, 4), name="one segment late", ulps=8)
    w.case(op, numbers("float32", (2, 1, 2, 1, 2), 3, 0.5, 4), i32(0, 1), name="5-D", ulps=8)
    w.case(op, numbers("float32", (3, 0), 3), i32(0, 1, 1), name="empty rows")
    w.case(op, numbers("float32", (0, 2), 3), i32(), name="no rows")
    w.case(op, x, i32(0, 0, 2, 1, 3), name="not sorted")
    w.case(op, x, i32(-1, 0, 0, 1, 1), name="negative")
    w.case(op, x, i32(0, 0, 1), name="too few ids")
    w.case(op, x, i32(0, 0, 1, 1, 1, 1), name="too many ids")
    w.case(op, x, i32(0, 0, 1, 1, 1).reshape(5, 1), name="ids of rank 2")
    w.case(op, tensor(1), i32(0), name="scalar data")
    w.case(op, numbers("float32", (70,), 4, 0.5, 1.5), np.arange(70, dtype=np.int32) // 33, name="long", ulps=32)


def unsorted_cases(w, op, dtypes):
    ids = i32(2, 0, -1, 2, 0)
    for dtype in dtypes:
        w.case(op, numbers(dtype, (5, 2), 1, 0.5, 4), ids, s32(4), ulps=8)
    x = numbers("float32", (5, 2), 2, 0.5, 4)
    w.case(op, x, ids.astype(np.int64), np.array(3, np.int64), name="int64", ulps=8)
    w.case(op, x, i32(2, 0, 1, 2, 0, 1, 1, 1, 0, 2).reshape(5, 2), s32(3), name="ids of elements", ulps=8)
    w.case(op, x, s32(1), s32(2), name="one id", ulps=8)
    w.case(op, numbers("float32", (2, 1, 2, 1, 2), 3, 0.5, 4), i32(1, 0), s32(2), name="5-D", ulps=8)
    w.case(op, x, i32(-1, -1, -1, -1, -1), s32(2), name="all dropped")
    w.case(op, x[:0], i32(), s32(2), name="no rows")
    w.case(op, numbers("float32", (5, 0), 3), ids, s32(3), name="empty rows")
    w.case(op, x[:0], i32(), s32(0), name="no segments")
    w.case(op, x, ids, s32(2), name="outside")
    w.case(op, x, ids, s32(-1), name="negative number")
    w.case(op, x, i32(0, 1), s32(2), name="do not fit")
    w.case(op, x[:, 0], i32(0, 1, 0, 1, 0).reshape(5, 1), s32(2), name="ids of higher rank")
    w.case(op, x, ids, i32(3, 3), name="number not a scalar")


def sparse_cases(w, op, dtypes, extra):
    indices, ids = i32(3, 0, 3, 1, 0), i32(0, 0, 1, 1, 2)
    for dtype in dtypes:
        w.case(op, numbers(dtype, (4, 2), 1, 0.5, 4), indices, ids, *extra, ulps=8)
    x = numbers("float32", (4, 2), 2, 0.5, 4)
    w.case(op, x, indices.astype(np.int64), ids.astype(np.int64), *extra, name="int64", ulps=8)
    w.case(op, x[:, 0], indices, ids, *extra, name="a vector", ulps=8)
    w.case(op, x, indices, i32(1, 1, 1, 3, 3), *extra, name="gaps", ulps=8)
    w.case(op, x, i32(), i32(), *extra, name="no picks")
    w.case(op, numbers("float32", (2, 1, 2, 1, 2), 3, 0.5, 4), i32(1, 1, 0), i32(0, 1, 1), *extra, name="5-D", ulps=8)
    w.case(op, x, i32(4, 0, 3, 1, 0), ids, *extra, name="index outside")
    w.case(op, x, i32(-1, 0, 3, 1, 0), ids, *extra, name="negative index")
    w.case(op, x, indices, i32(0, 0, 2, 1, 2), *extra, name="not sorted")
    w.case(op, x, indices, i32(-1, 0, 1, 1, 2), *extra, name="negative id")
    w.case(op, x, indices, i32(0, 0), *extra, name="too few ids")
    w.case(op, x, indices.reshape(5, 1), ids, *extra, name="indices of rank 2")
    if extra:
        w.case(op, x, indices, ids, s32(2), name="too few segments")
        w.case(op, x, indices, ids, s32(-1), name="negative number")
        w.case(op, x, indices, ids, i32(3, 3), name="number not a scalar")


def sparse_grad_cases(w, op):
    indices, ids = i32(3, 0, 3, 1, 0), i32(0, 0, 1, 1, 2)
    for dtype in FLOATS:
        w.case(op, numbers(dtype, (3, 2), 1, 0.5, 4), indices, ids, s32(5), ulps=8)
    g = numbers("float32", (3, 2), 2, 0.5, 4)
    w.case(op, g, indices.astype(np.int64), ids.astype(np.int64), s32(4), name="int64", ulps=8)
    w.case(op, g[:, 0], indices, ids, s32(4), name="a vector", ulps=8)
    w.case(op, numbers("float32", (2, 1, 2, 1, 2), 3, 0.5, 4), i32(1, 1, 0), i32(0, 1, 1), s32(2), name="5-D", ulps=8)
    w.case(op, g, indices, ids, s32(3), name="index outside")
    w.case(op, g, i32(-1, 0, 3, 1, 0), ids, s32(4), name="negative index")
    w.case(op, g, indices, i32(0, 0, 1, 1, 3), s32(4), name="id outside")
    w.case(op, g, indices, i32(0, 0), s32(4), name="too few ids")
    w.case(op, g, indices, ids, i32(4, 4), name="number not a scalar")


def empty_cases(w):
    """Nothing is added up, so that ids and indices may be any."""
    for op in UNSORTED:
        w.case(op, numbers("float32", (2, 0), 3), i32(5, 6), s32(3), name="ids outside of empty rows")
        w.case(op, numbers("float32", (2,), 3), i32(5, 0), s32(0), name="ids outside of nothing")
    for norm in ["Sum", "Mean", "SqrtN"]:
        for op in [f"SparseSegment{norm}Grad", f"SparseSegment{norm}GradV2"]:
            w.case(op, numbers("float32", (2, 2), 3), i32(3, 1), i32(0, 9), s32(0), name="no rows")
            w.case(op, numbers("float32", (2, 2), 3), i32(), i32(), s32(-1), name="a negative number of rows")


def write(w):
    for op, dtypes in SORTED.items():
        sorted_cases(w, op, dtypes)
    for op, dtypes in UNSORTED.items():
        unsorted_cases(w, op, dtypes)
    for dtype in ["float16", "bfloat16", "float32", "float64"]:
        for op in ["UnsortedSegmentMax", "UnsortedSegmentMin"]:
            w.case(op, tensor([1, INF, -INF, 2], dtype), i32(0, 0, 1, 3), s32(4), name=dtype + " infinities")
    for norm in ["Sum", "Mean", "SqrtN"]:
        sparse_cases(w, f"SparseSegment{norm}", REAL if norm == "Sum" else FLOATS, [])
        sparse_cases(w, f"SparseSegment{norm}WithNumSegments", REAL if norm == "Sum" else FLOATS, [s32(5)])
        sparse_grad_cases(w, f"SparseSegment{norm}Grad")
        sparse_grad_cases(w, f"SparseSegment{norm}GradV2")
    w.case("SegmentMean", np.array([100, 100, -9], np.int8), i32(0, 0, 2), name="wraps")
    w.case("SegmentSum", np.array([2**31 - 1, 1, 5], np.int32), i32(0, 0, 2), name="wraps")
    w.case("UnsortedSegmentSum", numbers("float32", (3, 2), 1), np.array([1, 0, 1], np.int16), s32(2), name="int16 ids")
    empty_cases(w)
