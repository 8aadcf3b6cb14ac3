"""Reversals and mirrored borders."""
import numpy as np

from array_cases import ALL, iota
from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, i32, i64, tensor


def bools(*values):
    return np.array(values, bool)


def pairs(*values, dtype=np.int32):
    return np.array(values, dtype).reshape(-1, 2)


def reverse_cases(w):
    for dtype in ALL:
        w.case("Reverse", iota((2, 3), dtype), bools(False, True))
        w.case("ReverseV2", iota((2, 3), dtype), i32(0))
        w.case("ReverseSequence", iota((2, 4), dtype), i64(3, 2), seq_dim=1)
    x = iota((2, 3, 2))
    for dims in [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1), (1, 0), (1, 0, 0, 1)]:
        w.case("Reverse", x, bools(*dims), name=f"dims {list(dims)}")
    w.case("Reverse", iota(()), bools(), name="scalar")
    w.case("Reverse", iota((1, 2, 1, 3, 2)), bools(1, 1, 0, 0, 1), name="5-D")
    w.case("Reverse", iota((3, 0)), bools(1, 1), name="empty")
    for axes in [(), (0,), (1,), (-1,), (0, 2), (2, 1, 0), (0, -3), (3,), (-4,), (1, 1)]:
        w.case("ReverseV2", x, i32(*axes), name=f"axes {list(axes)}")
    w.case("ReverseV2", x, i64(1, -1), name="int64 axes")
    w.case("ReverseV2", iota(()), i32(), name="scalar")
    w.case("ReverseV2", iota(()), i32(3), name="scalar, any axis")
    w.case("ReverseV2", iota((2, 0, 3)), i32(0, 1), name="empty")
    w.case("ReverseV2", iota((2, 1, 2, 1, 3)), i32(4, 0), name="5-D")
    w.case("ReverseV2", iota((17,)), i32(0), name="vector")
    w.case("ReverseV2", x, np.array([[0]], np.int32), name="axes of rank 2")


def sequence_cases(w):
    x = iota((3, 4, 2))
    for name, lengths, dims in [("rows", (0, 4, 2), dict(seq_dim=1)), ("seq first", (1, 3, 2, 0), dict(seq_dim=0, batch_dim=1)),
                                ("inner batch", (3, 2), dict(seq_dim=0, batch_dim=2)),
                                ("inner seq", (1, 2, 2, 0), dict(seq_dim=2, batch_dim=1)),
                                ("same dims", (1, 1, 1), dict(seq_dim=0, batch_dim=0)),
                                ("negative seq_dim", (1, 1, 1), dict(seq_dim=-1)),
                                ("negative batch_dim", (1, 1), dict(seq_dim=0, batch_dim=-1)),
                                ("seq_dim beyond", (1, 1, 1), dict(seq_dim=3)),
                                ("too long", (1, 5, 1), dict(seq_dim=1)), ("negative length", (1, -1, 1), dict(seq_dim=1)),
                                ("few lengths", (1, 1), dict(seq_dim=1))]:
        w.case("ReverseSequence", x, i64(*lengths), name=name, **dims)
    w.case("ReverseSequence", x, i32(1, 2, 3), seq_dim=1, name="int32 lengths")
    w.case("ReverseSequence", iota((2, 1, 2, 3, 2)), i32(3, 2), seq_dim=3, batch_dim=2, name="5-D")
    w.case("ReverseSequence", iota((0, 3)), i64(), seq_dim=1, name="empty")
    w.case("ReverseSequence", iota((2, 3)), i64(1, 2).reshape(1, 2), seq_dim=1, name="lengths of rank 2")


def mirror_cases(w):
    for mode in ["REFLECT", "SYMMETRIC"]:
        for dtype in ALL:
            w.case("MirrorPad", iota((3,), dtype), pairs(1, 2), name=f"{dtype} {mode}", mode=mode)
        for dtype in FLOATS + COMPLEX + SIGNED + UNSIGNED:
            w.case("MirrorPadGrad", iota((2, 6), dtype, 1), pairs(0, 0, 2, 1), name=f"{dtype} {mode}", mode=mode, ulps=4)
        for p in [(0, 0, 0, 0), (1, 1, 2, 2), (1, 0, 0, 2), (2, 1, 2, 3), (3, 0, 0, 0), (0, 0, 0, 4), (-1, 0, 0, 0), (1, 1)]:
            w.case("MirrorPad", iota((2, 3)), pairs(*p), name=f"{list(p)} {mode}", mode=mode)
        w.case("MirrorPad", iota(()), pairs(), name=f"scalar {mode}", mode=mode)
        w.case("MirrorPad", iota((2, 2, 2, 2, 2)), pairs(0, 1, 1, 0, 0, 0, 0, 0, 1, 1), name=f"5-D {mode}", mode=mode)
        w.case("MirrorPad", iota((2, 3)), pairs(1, 1, 1, 1, dtype=np.int64), name=f"int64 {mode}", mode=mode)
        w.case("MirrorPad", iota((2, 0)), pairs(1, 1, 0, 0), name=f"empty {mode}", mode=mode)
        w.case("MirrorPad", iota((2, 3)), pairs(1, 1, 1, 1)[:, :1], name=f"paddings [2,1] {mode}", mode=mode)
        for p in [(0, 0, 0, 0), (1, 1, 2, 1), (2, 1, 0, 0), (0, 0, 3, 3), (3, 0, 1, 1), (-1, 0, 0, 0), (1, 1)]:
            w.case("MirrorPadGrad", iota((5, 7), start=1), pairs(*p), name=f"{list(p)} {mode}", mode=mode, ulps=4)
        w.case("MirrorPadGrad", iota((3, 3, 2, 4, 2), "float64"), pairs(1, 0, 0, 1, 0, 0, 1, 1, 0, 0), name=f"5-D {mode}",
               mode=mode, ulps=8)
        w.case("MirrorPadGrad", iota(()), pairs(), name=f"scalar {mode}", mode=mode)
        w.case("MirrorPadGrad", tensor([[200] * 4] * 4, "uint8"), pairs(1, 1, 1, 1), name=f"wraps {mode}", mode=mode)


def write(w):
    reverse_cases(w)
    sequence_cases(w)
    mirror_cases(w)
