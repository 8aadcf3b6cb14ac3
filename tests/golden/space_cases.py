"""Blocks of space in the depth and in the batch, and patches of images."""
import numpy as np

from array_cases import ALL, iota
from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, i32, i64
from reverse_cases import pairs

NUMBERS = FLOATS + SIGNED + UNSIGNED


def depth_cases(w):
    for dtype in ALL:
        w.case("SpaceToDepth", iota((1, 2, 2, 1), dtype), block_size=2)
        w.case("DepthToSpace", iota((1, 1, 1, 4), dtype), block_size=2)
    for shape, block in [((1, 4, 4, 1), 2), ((1, 2, 4, 3), 2), ((2, 3, 6, 2), 3), ((0, 4, 4, 3), 2), ((1, 0, 2, 1), 2),
                         ((1, 3, 4, 1), 2), ((1, 4, 3, 1), 2), ((4, 4, 1), 2), ((1, 2, 2, 2, 1), 2), ((1, 4, 4, 1), 4)]:
        w.case("SpaceToDepth", iota(shape), name=f"{list(shape)} by {block}", block_size=block)
    for shape, block in [((1, 2, 2, 4), 2), ((2, 1, 2, 8), 2), ((1, 2, 1, 9), 3), ((0, 2, 2, 4), 2), ((1, 0, 2, 4), 2),
                         ((1, 2, 2, 3), 2), ((2, 2, 4), 2), ((1, 1, 1, 1, 4), 2), ((1, 1, 2, 16), 4), ((1, 1, 1, 12), 2)]:
        w.case("DepthToSpace", iota(shape), name=f"{list(shape)} by {block}", block_size=block)


def batch_cases(w):
    for dtype in NUMBERS:
        w.case("SpaceToBatchND", iota((1, 3), dtype, 1), i32(2), pairs(0, 1))
        w.case("BatchToSpaceND", iota((2, 2), dtype, 1), i32(2), pairs(1, 0))
        w.case("SpaceToBatch", iota((1, 2, 2, 1), dtype, 1), pairs(0, 0, 0, 0), block_size=2)
        w.case("BatchToSpace", iota((4, 1, 1, 1), dtype, 1), pairs(0, 0, 0, 0), block_size=2)
    x = iota((2, 4, 3, 2), start=1)
    for block, p in [((2, 3), (0, 0, 0, 0)), ((2, 2), (1, 1, 0, 1)), ((2, 2), (0, 0, 0, 0)), ((3, 2), (3, 2, 2, 1)), ((1, 1), (0, 0, 0, 0)),
                     ((1, 3), (1, 0, 3, 3)), ((4,), (0, 0)), ((), ()), ((2, 3, 2), (0,) * 6), ((0, 1), (0,) * 4), ((-2, 1), (0,) * 4),
                     ((2, 3), (-1, 1, 0, 0)), ((2, 3), (0, 0)), ((2, 2, 2, 2), (0,) * 8), ((7, 1), (1, 2, 0, 0))]:
        w.case("SpaceToBatchND", x, i32(*block), pairs(*p), name=f"{list(block)} {list(p)}")
    b = iota((6, 2, 3, 2), start=1)
    for block, p in [((2, 3), (0, 0, 0, 0)), ((2, 3), (1, 0, 2, 3)), ((3, 2), (0, 0, 0, 0)), ((1, 1), (1, 0, 0, 2)), ((6,), (5, 6)),
                     ((6,), (6, 6)), ((6,), (7, 6)), ((6,), (13, 0)), ((), ()), ((4,), (0, 0)), ((0,), (0, 0)), ((2,), (-1, 0)),
                     ((2, 3), (0, 0)), ((1, 2, 3), (0, 0, 1, 1, 1, 0)), ((2, 3, 1, 1), (0,) * 8)]:
        w.case("BatchToSpaceND", b, i32(*block), pairs(*p), name=f"{list(block)} {list(p)}")
    w.case("SpaceToBatchND", iota((1, 2, 2, 2, 3), start=1), i64(2, 1, 2), pairs(0, 0, 1, 0, 1, 1, dtype=np.int64), name="5-D, int64")
    w.case("BatchToSpaceND", iota((4, 2, 1, 2, 3), start=1), i64(2, 1, 2), pairs(1, 0, 0, 0, 0, 1, dtype=np.int64), name="5-D, int64")
    w.case("SpaceToBatchND", iota((0, 2)), i32(2), pairs(0, 0), name="no batch")
    w.case("SpaceToBatchND", iota((1, 0)), i32(2), pairs(1, 1), name="only padding")
    w.case("BatchToSpaceND", iota((0, 2)), i32(2), pairs(0, 0), name="no batch")
    for name, shape, p, block in [("pad", (1, 2, 4, 1), (1, 1, 0, 0), 2), ("by 3", (1, 3, 3, 1), (0, 0, 0, 3), 3),
                                  ("not a multiple", (1, 3, 3, 1), (0, 0, 0, 0), 2), ("rank 3", (1, 2, 2), (0, 0, 0, 0), 2),
                                  ("rank 5", (1, 2, 2, 1, 1), (0, 0, 0, 0), 2), ("one padding", (1, 2, 2, 1), (0, 0), 2),
                                  ("negative", (1, 2, 2, 1), (-1, 1, 0, 0), 2), ("empty", (0, 2, 2, 1), (0, 0, 0, 0), 2)]:
        w.case("SpaceToBatch", iota(shape, start=1), pairs(*p), name=name, block_size=block)
    for name, shape, p, block in [("crop", (4, 2, 2, 1), (1, 0, 0, 2), 2), ("by 3", (9, 1, 1, 2), (0, 0, 1, 1), 3),
                                  ("not a multiple", (6, 1, 1, 1), (0, 0, 0, 0), 2), ("rank 3", (4, 2, 2), (0, 0, 0, 0), 2),
                                  ("all cropped", (4, 1, 1, 1), (1, 1, 0, 0), 2), ("too much", (4, 1, 1, 1), (2, 1, 0, 0), 2),
                                  ("one crop", (4, 1, 1, 1), (0, 0), 2), ("negative", (4, 2, 2, 1), (-1, 1, 0, 0), 2)]:
        w.case("BatchToSpace", iota(shape, start=1), pairs(*p), name=name, block_size=block)


def patch_cases(w):
    def case(shape, ksizes, strides, rates, padding, name=None, dtype="float32"):
        w.case("ExtractImagePatches", iota(shape, dtype, 1), name=name, ksizes=ksizes, strides=strides, rates=rates, padding=padding)

    one = [1, 1, 1, 1]
    for dtype in NUMBERS + COMPLEX:
        case((1, 3, 2, 1), [1, 2, 2, 1], one, one, "VALID", dtype=dtype)
    x = (1, 5, 5, 1)
    for padding in ["SAME", "VALID"]:
        case(x, [1, 3, 3, 1], [1, 2, 2, 1], one, padding, f"3x3 by 2 {padding}")
        case(x, [1, 2, 2, 1], [1, 3, 3, 1], [1, 2, 2, 1], padding, f"dilated {padding}")
        case((2, 3, 4, 2), [1, 2, 1, 1], [1, 1, 2, 1], [1, 1, 3, 1], padding, f"uneven {padding}")
        case(x, [1, 6, 3, 1], [1, 2, 2, 1], one, padding, f"larger than the image {padding}")
        case((0, 3, 3, 2), [1, 2, 2, 1], one, one, padding, f"no images {padding}")
        case((1, 0, 3, 2), [1, 2, 2, 1], one, one, padding, f"no rows {padding}")
        case((1, 3, 3, 0), [1, 2, 2, 1], one, one, padding, f"no depth {padding}")
        case((1, 3, 3, 1), [1, 1, 1, 1], [1, 5, 5, 1], one, padding, f"long strides {padding}")
    case(x, [1, 3, 3, 1], [1, 2, 0, 1], one, "VALID", "stride 0")
    case(x, [1, -3, 3, 1], one, one, "VALID", "negative size")
    case(x, [1, 3, 3, 1], one, [1, 0, 1, 1], "VALID", "rate 0")
    case((5, 5, 1), [1, 3, 3, 1], one, one, "VALID", "rank 3")
    case((1, 5, 5, 1, 1), [1, 3, 3, 1], one, one, "VALID", "rank 5")


def write(w):
    depth_cases(w)
    batch_cases(w)
    patch_cases(w)
