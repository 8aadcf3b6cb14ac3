"""Data movement: shapes, slices, joins, gathers."""
import numpy as np
import tensorflow as tf

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, i32, i64, s32, tensor

ALL = FLOATS + COMPLEX + SIGNED + UNSIGNED + ["bool", "string"]


def iota(shape, dtype="float32", start=0):
    n = int(np.prod(shape))
    if dtype == "string":
        return np.array([f"s{i}" for i in range(n)], object).reshape(shape)
    if dtype == "bool":
        return (np.arange(n) % 3 == 0).reshape(shape)
    return tensor(np.arange(start, start + n).reshape(shape), dtype)


def shape_cases(w):
    for shape in [(), (3,), (2, 0), (1, 2, 3, 4, 5)]:
        x = iota(shape)
        w.case("Rank", x)
        w.case("Shape", x)
        w.case("Shape", x, out_type=tf.int64)
        w.case("Size", x)
        w.case("Size", x, out_type=tf.int64)
        w.case("ZerosLike", x)
        w.case("OnesLike", x)
    w.case("ShapeN", [iota((2, 3)), iota(()), iota((0,))])
    w.case("ShapeN", [iota((2, 3)), iota((1,))], out_type=tf.int64)
    for dtype in ALL:
        w.case("Identity", iota((2, 2), dtype))
        w.case("Reshape", iota((2, 3), dtype), i32(3, -1))
        w.case("ZerosLike", iota((2, 3), dtype))
        if dtype != "string":
            w.case("OnesLike", iota((2, 3), dtype))
        w.case("Fill", i32(2, 2), iota((1,), dtype)[0] if dtype != "string" else np.array("x", object))
    for op in ["StopGradient", "PreventGradient"]:
        w.case(op, iota((2,)))
    x = iota((2, 3, 2))
    for dims in [i32(12), i32(3, 4), i32(-1), i32(2, -1, 1, 2), i64(4, 3), i32(5, -1), i32(-1, -1), i32(-2, 6), i32(12, 2),
                 i32(0, -1), i32()]:
        w.case("Reshape", x, dims, name=f"to {list(dims)}")
    w.case("Reshape", iota((0, 3)), i32(3, 0), name="empty")
    w.case("Reshape", iota((0, 3)), i32(-1, 3), name="empty rows")
    w.case("Reshape", iota((1,)), i32(), name="to a scalar")
    for axis in [0, 1, 2, -1, -3, 3, -4]:
        w.case("ExpandDims", iota((2, 3)), s32(axis), name=f"at {axis}")
    w.case("ExpandDims", iota(()), i32(0))
    y = iota((1, 2, 1, 3, 1))
    for axes in [[], [0], [0, 2], [-1, 0], [1], [5], [-6]]:
        w.case("Squeeze", y, name=f"axes {axes}", squeeze_dims=axes)
    w.case("Squeeze", iota((1, 1)))
    w.case("Squeeze", iota((0, 1)))
    for dims in [i32(), i32(3), i64(2, 2), i32(0, 2), i32(-1, 2)]:
        w.case("Fill", dims, tensor(7.5), name=f"shape {list(dims)}")
    w.case("Fill", i32(2), tensor([1, 2]), name="a vector")
    for dtype in FLOATS + ["int32", "int64", "int16", "uint32"]:
        w.case("Range", tensor(1, dtype), tensor(9, dtype), tensor(3, dtype))
    for a, b, d in [(0, 5, 1), (5, 0, -2), (3, 3, 1), (0, 5, 0), (0, 5, -1), (5, 0, 1), (-3, 4, 2)]:
        w.case("Range", s32(a), s32(b), s32(d), name=f"{a} {b} {d}")
    w.case("Range", tensor(0), tensor(1), tensor(0.1), name="tenths", ulps=2)
    for dtype in ["float32", "float64"]:
        w.case("LinSpace", tensor(0, dtype), tensor(2, dtype), s32(5), ulps=2)
    for n in [1, 2, 7, 0, -1]:
        w.case("LinSpace", tensor(1), tensor(-3), s32(n), name=f"{n} points", ulps=2)


def layout_cases(w):
    for dtype in ALL:
        w.case("Transpose", iota((2, 3), dtype), i32(1, 0))
        w.case("Tile", iota((1, 2), dtype), i32(2, 2))
        w.case("BroadcastTo", iota((2, 1), dtype), i32(2, 2, 3))
    x = iota((2, 3, 2, 2))
    for perm in [(3, 2, 1, 0), (0, 2, 1, 3), (1, 0, 2, 3), (0, 1, 3, 2), (0, 1, 2, 3), (2, 3, 0, 1)]:
        w.case("Transpose", x, i32(*perm), name=f"perm {list(perm)}")
    w.case("Transpose", iota((1, 2, 1, 3, 2)), i64(4, 2, 3, 1, 0), name="5-D")
    w.case("Transpose", iota(()), i32(), name="scalar")
    w.case("Transpose", iota((0, 2)), i32(1, 0), name="empty")
    w.case("Transpose", iota((35, 4)), i32(1, 0), name="beyond a square")
    for perm in [(0,), (0, 0), (0, 2), (0, 1, 2)]:
        w.case("Transpose", iota((2, 3)), i32(*perm), name=f"bad perm {list(perm)}")
    for p in [i32(2, 0, 1), i64(0), i32(), i32(0, 0), i32(0, 2), i32(-1, 0)]:
        w.case("InvertPermutation", p, name=str(list(p)))
    for m in [(1, 1), (2, 3), (0, 1), (3, 1)]:
        w.case("Tile", iota((2, 3)), i32(*m), name=f"by {list(m)}")
    w.case("Tile", iota(()), i32(), name="scalar")
    w.case("Tile", iota((2, 1, 2)), i64(1, 3, 2), name="3-D")
    w.case("Tile", iota((2, 3)), i32(2), name="few")
    w.case("Tile", iota((2, 3)), i32(2, -1), name="negative")
    for shape in [(3,), (2, 3), (4, 2, 3), (0, 2, 3), (2, 4), (3, 3), (6,)]:
        w.case("BroadcastTo", iota((2, 3)), i32(*shape), name=f"to {list(shape)}")
    w.case("BroadcastTo", iota(()), i64(2, 2), name="scalar")
    pairs = [((), ()), ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (2, 3)), ((1, 1), (1, 1)), ((4, 1, 3), (2, 1)),
             ((1, 2), (2,)), ((2, 3), ()), ((0, 2), (1, 2)), ((2,), (3,)), ((1, 3, 1), (1, 1, 3))]
    for a, b in pairs:
        w.case("BroadcastGradientArgs", i32(*a), i32(*b), name=f"{list(a)} {list(b)}")
        w.case("BroadcastArgs", i64(*a), i64(*b), name=f"{list(a)} {list(b)}")


def join_cases(w):
    for dtype in ALL:
        a, b = iota((2, 2), dtype), iota((1, 2), dtype)
        w.case("ConcatV2", [a, b], s32(0))
        w.case("Pack", [a, a])
        w.case("Split", s32(1), iota((2, 4), dtype), num_split=2)
        w.case("Unpack", a, num=2)
    x, y = iota((2, 3, 2)), iota((2, 1, 2), start=50)
    for axis in [1, -2]:
        w.case("ConcatV2", [x, y, x], s32(axis), name=f"axis {axis}")
        w.case("Concat", s32(axis), [x, y], name=f"axis {axis}")
    for axis in [0, 2, 3, -4]:
        w.case("ConcatV2", [x, x], s32(axis), name=f"equal parts, axis {axis}")
    w.case("ConcatV2", [x, y], s32(0), name="do not fit")
    w.case("ConcatV2", [iota((0, 2)), iota((2, 2))], np.array(0, np.int64), name="with nothing")
    w.case("Concat", s32(0), [iota((2,)), iota((3,))])
    w.case("Concat", s32(1), [iota((2,)), iota((3,))], name="bad axis")
    w.case("ConcatOffset", s32(1), [i32(2, 3, 5), i32(2, 7, 5), i32(2, 9, 5)])
    w.case("ConcatOffset", s32(-1), [i32(2, 3), i32(2, 7)])
    w.case("ConcatOffset", s32(0), [i32(2, 3), i32(2, 7)], name="do not fit")
    w.case("ConcatOffset", s32(2), [i32(2, 3), i32(2, 7)], name="bad axis")
    for axis in [0, 1, 2, -1, -3, 3]:
        w.case("Pack", [iota((2, 3)), iota((2, 3), start=10)], name=f"axis {axis}", axis=axis)
    w.case("Pack", [iota(()), iota(())], name="scalars")
    w.case("Pack", [iota((2,)), iota((3,))], name="do not fit")
    for axis, num in [(0, 2), (1, 3), (-1, 2), (0, 3), (3, 2)]:
        w.case("Unpack", x, name=f"axis {axis} num {num}", axis=axis, num=num)
    for axis, n in [(0, 2), (1, 3), (-1, 2), (1, 2), (3, 2), (0, 1)]:
        w.case("Split", s32(axis), x, name=f"axis {axis} into {n}", num_split=n)
    for sizes in [(1, 2, 3), (1, -1, 2), (6, 0, 0), (2, 2, 1), (-1, -1, 2), (7, -1, 0), (-2, 5, 3)]:
        w.case("SplitV", iota((6, 2)), i32(*sizes), s32(0), name=f"sizes {list(sizes)}", num_split=3)
    w.case("SplitV", iota((2, 3)), i64(1, 2), s32(-1), num_split=2)
    w.case("SplitV", iota((2, 3)), i64(1, 2), s32(2), name="bad axis", num_split=2)
    w.case("SplitV", iota((2, 3)), i64(3), s32(1), name="one", num_split=1)


def slice_cases(w):
    for dtype in ALL:
        w.case("Slice", iota((3, 3), dtype), i32(1, 0), i32(2, 2))
        w.case("StridedSlice", iota((3, 3), dtype), i32(0, 2), i32(3, 0), i32(2, -1))
        if dtype not in ("bool", "string"):
            w.case("StridedSliceGrad", i32(3, 3), i32(0, 2), i32(3, 0), i32(2, -1), iota((2, 2), dtype, 1))
        w.case("Pad", iota((2, 2), dtype), np.array([[1, 0], [0, 2]], np.int32)) if dtype != "string" else None
        w.case("PadV2", iota((2,), dtype), np.array([[1, 2]], np.int32), iota((2,), dtype)[1]) if dtype != "string" else None
    x = iota((3, 4, 2))
    for begin, size in [((0, 0, 0), (3, 4, 2)), ((1, 1, 1), (1, 2, 1)), ((0, 1, 0), (-1, -1, -1)), ((3, 0, 0), (0, 4, 2)),
                        ((1, 0, 0), (3, 1, 1)), ((-1, 0, 0), (1, 1, 1)), ((0, 0, 0), (1, 1, -2)), ((0, 0), (1, 1))]:
        w.case("Slice", x, i32(*begin), i32(*size), name=f"{list(begin)} {list(size)}")
    w.case("Slice", iota((2, 1, 2, 1, 3)), i64(1, 0, 0, 0, 1), i64(1, 1, 2, 1, 2), name="5-D")
    w.case("Slice", iota(()), i32(), i32(), name="scalar")

    def strided(begin, end, strides, name, **masks):
        w.case("StridedSlice", x, i32(*begin), i32(*end), i32(*strides), name=name, **masks)
        shape = np.shape(x)
        sliced = tf.raw_ops.StridedSlice  # the gradient has dy of the slice's shape
        try:
            dy = sliced(input=x, begin=i32(*begin), end=i32(*end), strides=i32(*strides), **masks).numpy()
        except (ValueError, tf.errors.InvalidArgumentError):
            return
        w.case("StridedSliceGrad", i32(*shape), i32(*begin), i32(*end), i32(*strides), dy + 1, name=name, **masks)

    strided((0,), (2,), (1,), "x[0:2]")
    strided((0, 1), (3, 4), (2, 2), "x[0:3:2,1:4:2]")
    strided((-1,), (-4,), (-1,), "x[-1:-4:-1]")
    strided((0, 0, 0), (0, 0, 0), (1, 1, 1), "x[:,:,:]", begin_mask=7, end_mask=7)
    strided((1, 0, 0), (2, 0, 1), (1, 1, 1), "x[1,...,0]", shrink_axis_mask=5, ellipsis_mask=2)
    strided((0, 0, 0), (0, 0, 2), (1, 1, 1), "x[newaxis,...,0:2]", new_axis_mask=1, ellipsis_mask=2)
    strided((0, 0), (0, 0), (1, 1), "x[...,newaxis]", new_axis_mask=2, ellipsis_mask=1)
    strided((2, 0), (0, 0), (-1, 1), "x[2:0:-1,:]", begin_mask=2, end_mask=2)
    strided((0, 3), (0, 0), (1, -3), "x[:,3::-3]", begin_mask=1, end_mask=3)
    strided((-2, 1), (-1, 2), (1, 1), "x[-2,1]", shrink_axis_mask=3)
    strided((5,), (9,), (1,), "x[5:9]")
    strided((-100,), (100,), (1,), "x[-100:100]")
    strided((2,), (1,), (1,), "x[2:1]")
    strided((3,), (4,), (1,), "x[3]", shrink_axis_mask=1)
    strided((-4,), (4,), (1,), "x[-4]", shrink_axis_mask=1)
    strided((0,), (1,), (0,), "stride 0")
    strided((0,), (1,), (-1,), "index with a negative stride", shrink_axis_mask=1)
    strided((0, 0, 0, 0), (1, 1, 1, 1), (1, 1, 1, 1), "too many")
    strided((0, 0), (1, 1), (1, 1), "two ellipses", ellipsis_mask=3)
    strided((0, 1), (2,), (1, 1), "uneven")
    w.case("StridedSliceGrad", i32(3, 4), i32(0), i32(2), i32(1), iota((3, 4)), name="dy does not fit")
    for paddings in [[[0, 0], [0, 0]], [[1, 2], [3, 0]], [[0, 0], [0, 1]], [[-1, 0], [0, 0]], [[1, 1]]]:
        p = np.array(paddings, np.int32)
        w.case("Pad", iota((2, 3)), p, name=f"{paddings}")
        w.case("PadV2", iota((2, 3)), p, tensor(9), name=f"{paddings}")
    w.case("Pad", iota((0, 2)), np.array([[1, 1], [0, 0]], np.int64), name="nothing")
    w.case("Pad", iota((1, 2, 1, 2, 1)), np.array([[0, 1]] * 5, np.int32), name="5-D")


def index_cases(w):
    for dtype in ALL:
        w.case("Gather", iota((3, 2), dtype), i32(2, 0))
        w.case("GatherV2", iota((2, 3), dtype), i32(2, 0), s32(1))
        w.case("GatherNd", iota((2, 3), dtype), np.array([[1, 2], [0, 0]], np.int32))
        if dtype not in ("bool", "string"):
            w.case("ScatterNd", np.array([[1], [3], [1]], np.int32), iota((3, 2), dtype, 1), i32(4, 2))
            w.case("UnsortedSegmentSum", iota((4, 2), dtype, 1), i32(1, 0, 1, -1), s32(3))
        if dtype != "string":
            w.case("OneHot", i32(1, 0, 5), s32(3), iota((2,), dtype, 1)[0], iota((2,), dtype, 1)[1])
    x = iota((3, 4, 2))
    w.case("Gather", x, np.array([[0, 2], [1, 1]], np.int64))
    w.case("Gather", x, s32(1), name="one row")
    for bad in [3, -1]:
        w.case("Gather", x, i32(0, bad), name=f"index {bad}")
        w.case("GatherV2", x, i32(0, bad), s32(0), name=f"index {bad}")
    w.case("Gather", iota(()), i32(0), name="scalar")
    w.case("Gather", x, i32(), name="no index")
    for axis in [0, 1, 2, -1, -3, 3]:
        w.case("GatherV2", x, np.array([[0, 1], [1, 0]], np.int32), s32(axis), name=f"axis {axis}")
    batched = np.array([[0, 2], [1, 1], [3, 0]], np.int32)
    w.case("GatherV2", x, batched, s32(1), name="batched", batch_dims=1)
    w.case("GatherV2", x, batched, s32(1), name="batched from the end", batch_dims=-1)
    w.case("GatherV2", x, batched, s32(0), name="batch beyond the axis", batch_dims=1)
    w.case("GatherV2", x, batched[:2], s32(1), name="batches differ", batch_dims=1)
    w.case("GatherNd", x, np.array([[[1], [0]]], np.int64), name="rows")
    w.case("GatherNd", x, np.array([[2, 3, 1], [0, 0, 0]], np.int32), name="elements")
    w.case("GatherNd", x, np.zeros((2, 0), np.int32), name="everything twice")
    w.case("GatherNd", x, np.array([[3, 0]], np.int32), name="outside")
    for policy in ("DEFAULT", "ERROR", "IGNORE"):
        bad = np.array([[0], [5], [2], [-1]], np.int32)
        w.case("GatherNd", iota((3, 2)), bad, bad_indices_policy=policy, name=policy)
        w.case("ScatterNd", bad, iota((4, 2), start=1), i32(3, 2), bad_indices_policy=policy, name=policy)
    w.case("GatherNd", x, np.array([[0, 0, 0, 0]], np.int32), name="too deep")
    u = iota((2, 2))
    w.case("ScatterNd", np.array([[0, 1], [1, 0]], np.int32), iota((2, 3)), i32(2, 2, 3), name="deep")
    w.case("ScatterNd", np.array([[0], [4]], np.int32), u, i32(4, 2), name="outside")
    w.case("ScatterNd", np.array([[0], [-1]], np.int32), u, i32(4, 2), name="negative")
    w.case("ScatterNd", np.array([[0], [1]], np.int32), iota((2, 3)), i32(4, 2), name="updates do not fit")
    w.case("ScatterNd", np.zeros((0, 1), np.int64), iota((0, 2)), i64(2, 2), name="nothing")
    d = iota((2, 3))
    w.case("UnsortedSegmentSum", d, np.array([[0, 1, 1], [0, 2, 0]], np.int64), s32(3), name="elements")
    w.case("UnsortedSegmentSum", d, i32(0, 5), s32(3), name="outside")
    w.case("UnsortedSegmentSum", d, i32(0, 1, 2), s32(3), name="do not fit")
    w.case("UnsortedSegmentSum", d, i32(0, 0), s32(-1), name="negative count")
    w.case("UnsortedSegmentSum", iota((0, 3)), i32(), s32(2), name="nothing")
    for axis in [-1, 0, 1, 2, 3, -2]:
        w.case("OneHot", np.array([[0, 2], [1, -1]], np.int64), s32(3), tensor(1), tensor(0), name=f"axis {axis}", axis=axis)
    w.case("OneHot", s32(1), s32(3), tensor(5), tensor(2), name="scalar")
    w.case("OneHot", i32(0), s32(0), tensor(5), tensor(2), name="depth 0")
    w.case("OneHot", i32(0), s32(-1), tensor(5), tensor(2), name="negative depth")
    w.case("OneHot", np.array([1, 255], np.uint8), s32(2), tensor(5), tensor(2), name="uint8")
    w.case("DynamicStitch", [i32(0, 2), i32(1, 3)], [iota((2, 2)), iota((2, 2), start=10)])
    w.case("DynamicStitch", [s32(1), np.array([[0, 2]], np.int32)], [iota((2,)), iota((1, 2, 2), start=5)], name="mixed")
    w.case("DynamicStitch", [i32(0, 1), i32(1)], [iota((2,)), iota((1,), start=10)], name="the last wins")
    w.case("DynamicStitch", [i32(0, -1)], [iota((2,))], name="negative")
    w.case("DynamicStitch", [i32(0, 1)], [iota((3,))], name="do not fit")
    w.case("DynamicStitch", [i32()], [iota((0, 2))], name="nothing")
    for dtype in ["float32", "int64", "string"]:
        w.case("DynamicPartition", iota((4, 2), dtype), i32(1, 0, 1, 2), num_partitions=3)
    w.case("DynamicPartition", iota((2, 2)), np.array([[0, 1], [1, 0]], np.int32), name="elements", num_partitions=2)
    w.case("DynamicPartition", iota((3,)), i32(0, 0, 0), name="empty partition", num_partitions=2)
    w.case("DynamicPartition", iota((3,)), i32(0, 2, 0), name="outside", num_partitions=2)
    w.case("DynamicPartition", iota((3,)), i32(0, 1), name="do not fit", num_partitions=2)
    for dtype in FLOATS + COMPLEX + SIGNED + UNSIGNED + ["bool"]:
        w.case("Where", tensor([[0, 1, 0], [2, 0, 3]], dtype))
    for shape in [(0,), (1,), (2, 1, 2)]:
        w.case("Where", iota(shape, "bool"), name=f"bool {list(shape)}")
    for dtype in ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16"]:
        w.case("Unique", tensor([3, 1, 3, 2, 1], dtype))
        w.case("ListDiff", tensor([5, 1, 2, 3, 1], dtype), tensor([1, 7], dtype))
    w.case("Unique", tensor(["b", "a", "b"], "string"), out_idx=tf.int64)
    w.case("Unique", iota((2, 2)), name="matrix")
    w.case("Unique", iota((0,)))
    w.case("ListDiff", tensor(["b", "a", "b"], "string"), tensor(["b"], "string"), out_idx=tf.int64)


def edge_cases(w):
    """Nothing to move, and a vector of one where a scalar must stand."""
    x = iota((3, 4), start=1)
    for begin, end, masks in [((-1,), (0,), dict(begin_mask=1, end_mask=1, shrink_axis_mask=1)),
                              ((1, -2), (0, 0), dict(begin_mask=3, shrink_axis_mask=2)),
                              ((0, 4), (0, 0), dict(begin_mask=2, shrink_axis_mask=2))]:
        w.case("StridedSlice", x, i32(*begin), i32(*end), i32(*[1] * len(begin)), name=f"index {list(begin)} with an open begin",
               **masks)
    for shape, dims in [((0, 3), (-1, 0)), ((0, 3), (0, -1)), ((2, 0, 3), (0, -1, 2)), ((2, 0, 3), (0, -1, 4)), ((2, 0, 3), (-1, 0, 0)),
                        ((2, 0, 3), (-1, 5)), ((0, 0, 3), (-1, 0)), ((2, 3), (-1, 0)), ((2, 0), (-1, 0, -1))]:
        w.case("Reshape", iota(shape), i32(*dims), name=f"nothing of {list(shape)} to {list(dims)}")
    w.case("Gather", iota((0, 0)), i32(0), name="any index into nothing")
    w.case("Gather", iota((0, 2)), i32(0), name="index into no rows")
    for shape, axis in [((2, 0), 0), ((0, 2), 1), ((0, 0), 0), ((2, 0, 3), 1)]:
        w.case("GatherV2", iota(shape), i32(9), s32(axis), name=f"index 9 into {list(shape)} along {axis}")
    w.case("GatherNd", iota((2, 0)), np.array([[0]], np.int32), name="empty rows")
    w.case("GatherNd", iota((0,)), np.zeros((2, 0), np.int32), name="all of nothing")
    w.case("GatherNd", iota((0,)), np.zeros((0, 1), np.int32), name="nothing of nothing")
    w.case("ScatterNd", np.array([[0]], np.int32), iota((1, 0)), i32(3, 0), name="empty rows")
    w.case("TensorScatterUpdate", iota((3, 0)), np.array([[0]], np.int32), iota((1, 0)), name="empty rows")
    w.case("TensorScatterAdd", iota((3, 0)), np.zeros((0, 1), np.int32), iota((0, 0)), name="no empty rows")
    for shape in [(0,), (0, 3), (2, 0)]:
        w.case("Reverse", iota(shape), np.array([True] * len(shape)), name=f"nothing of {list(shape)}")
    one = np.array([1], np.int32)
    w.case("OneHot", one, one, tensor(1), tensor(0), name="depth a vector")
    w.case("OneHot", one, s32(2), tensor([1]), tensor(0), name="value a vector")
    w.case("PadV2", x, np.array([[0, 1], [0, 0]], np.int32), tensor([1]), name="constant a vector")
    w.case("Range", s32(0), one, s32(1), name="limit a vector")
    w.case("Split", one, x, name="axis a vector", num_split=2)
    w.case("SplitV", x, i32(1, 3), one, name="axis a vector", num_split=2)
    w.case("ExpandDims", x, one, name="axis a vector")
    w.case("ConcatV2", [x, x], one, name="axis a vector")
    w.case("ConcatOffset", one, [i32(3, 4), i32(3, 4)], name="axis a vector")
    w.case("ArgMax", x, one, name="axis a vector", output_type=tf.int64)
    w.case("Cumsum", x, one, name="axis a vector")


def write(w):
    shape_cases(w)
    layout_cases(w)
    join_cases(w)
    slice_cases(w)
    index_cases(w)
    edge_cases(w)
