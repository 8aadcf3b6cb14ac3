"""Diagonals and bands of matrices."""
import numpy as np

from array_cases import ALL, iota
from golden import i32, i64, s32, tensor

PLAIN = [d for d in ALL if d != "string"]
ALIGNS = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


def diag_cases(w):
    for dtype in ["float16", "float32", "float64", "int32", "int64", "complex64", "complex128"]:
        w.case("Diag", iota((3,), dtype, 1))
        w.case("DiagPart", iota((2, 2), dtype, 1))
    for shape in [(), (1,), (0,), (2, 3), (1, 2, 1, 1), (0, 2), (2, 1, 2)]:
        w.case("Diag", iota(shape, "int32", 1), name=f"of {list(shape)}")
    for shape in [(), (3,), (1, 1), (0, 0), (2, 3), (2, 3, 2, 3), (2, 2, 2), (2, 1, 1, 2), (1, 2, 1, 1, 2, 1)]:
        w.case("DiagPart", iota(shape, "int32", 1), name=f"of {list(shape)}")


def main_diagonal_cases(w):
    for dtype in PLAIN:
        w.case("MatrixDiag", iota((1, 2), dtype, 1))
        w.case("MatrixDiagPart", iota((2, 3), dtype, 1))
        w.case("MatrixSetDiag", iota((2, 2), dtype, 1), iota((2,), dtype, 7))
        w.case("MatrixBandPart", iota((3, 3), dtype, 1), np.int64(1), np.int64(0))
    for shape in [(), (3,), (0,), (2, 0), (0, 2), (2, 1, 2), (1, 1, 1, 1, 2)]:
        w.case("MatrixDiag", iota(shape, start=1), name=f"of {list(shape)}")
    for shape in [(3,), (3, 2), (2, 3), (0, 2), (0, 2, 2), (2, 2, 2), (1, 2, 1, 2, 3)]:
        w.case("MatrixDiagPart", iota(shape, start=1), name=f"of {list(shape)}")
        w.case("MatrixBandPart", iota(shape, start=1), np.int64(0), np.int64(1), name=f"of {list(shape)}")
    for x, d in [((2, 3), (2,)), ((3, 2), (2,)), ((2, 3), (3,)), ((2, 2, 2), (2, 2)), ((2, 2, 2), (2,)), ((0, 2), (0,)),
                 ((3,), (3,)), ((2, 2), ()), ((1, 1, 2, 2, 2), (1, 1, 2, 2))]:
        w.case("MatrixSetDiag", iota(x, start=1), iota(d, start=50), name=f"{list(x)} {list(d)}")
    for lower, upper in [(0, 0), (-1, 0), (0, -1), (-1, -1), (1, 1), (2, 0), (3, 4), (4, 0), (0, 5), (-2, -7)]:
        w.case("MatrixBandPart", iota((3, 4), start=1), np.int64(lower), np.int64(upper), name=f"{lower} {upper}")
    w.case("MatrixBandPart", iota((2, 2)), s32(0), s32(1), name="int32")
    w.case("MatrixBandPart", iota((2, 2)), i64(0), np.int64(1), name="a vector")


def k(*values):
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def band_cases(w):
    d = iota((2, 3), start=1)
    nine = tensor(9)
    for dtype in PLAIN:
        x, pad = iota((2, 2), dtype, 1), iota((1,), dtype, 9)[0]
        w.case("MatrixDiagV3", x, k(0, 1), s32(-1), s32(-1), pad)
        w.case("MatrixDiagPartV3", iota((2, 3), dtype, 1), k(-1, 1), pad)
        w.case("MatrixSetDiagV3", iota((2, 2), dtype, 1), iota((2, 2), dtype, 7), k(-1, 0))
    for band, rows, cols in [((0, 1), -1, -1), ((-1, 0), -1, -1), ((0, 1), 3, 3), ((0, 1), 3, 4), ((0, 1), 4, 3), ((0, 1), 2, 3),
                             ((0, 1), -1, 5), ((0, 1), 5, -1), ((1, 2), -1, -1), ((-2, -1), -1, -1), ((1, 0), -1, -1),
                             ((0, 2), -1, -1), ((1,), -1, -1), ((-2,), 5, 4), ((-2,), 5, 3), ((0,), 3, -1), ((5, 6), 3, 3),
                             ((0, 1), -2, 3), ((3, 4), 4, 8)]:
        w.case("MatrixDiagV3", d, k(*band), s32(rows), s32(cols), nine, name=f"{list(band)} {rows} {cols}")
        w.case("MatrixDiagV2", d, k(*band), s32(rows), s32(cols), nine, name=f"{list(band)} {rows} {cols}")
    x = iota((3, 4), start=1)
    for band in [(0, 0), (0, 1), (-1, 1), (-2, 3), (-3, 0), (0, 4), (1, 0), (3,), (4,), (-2,), (-3,), (2, 3), (-2, -1)]:
        w.case("MatrixDiagPartV3", x, k(*band), nine, name=f"{list(band)}")
        w.case("MatrixDiagPartV2", x, k(*band), nine, name=f"{list(band)}")
    for align in ALIGNS:
        w.case("MatrixDiagPartV3", x, k(-2, 3), nine, name=align, align=align)
        w.case("MatrixDiagV3", iota((2, 3, 3), start=1), k(-1, 1), s32(-1), s32(-1), nine, name=align, align=align)
        w.case("MatrixSetDiagV3", x, iota((4, 3), start=50), k(-1, 2), name=align, align=align)
    for band, shape in [((0,), (3,)), ((1,), (3,)), ((1, 1), (3,)), ((1, 1), (1, 3)), ((0, 1), (2, 3)), ((-1, 0), (2, 3)),
                        ((0, 1), (3, 2)), ((-2, 3), (6, 3)), ((5,), (3,)), ((1, 0), (2, 3)), ((3,), (1,))]:
        w.case("MatrixSetDiagV3", x, iota(shape, start=50), k(*band), name=f"{list(band)} {list(shape)}")
        w.case("MatrixSetDiagV2", x, iota(shape, start=50), k(*band), name=f"{list(band)} {list(shape)}")
    five = iota((1, 2, 1, 2, 3), start=1)
    w.case("MatrixDiagPartV3", five, k(-1, 1), nine, name="5-D")
    w.case("MatrixSetDiagV3", five, iota((1, 2, 1, 2), start=50), k(1), name="5-D")
    w.case("MatrixDiagV3", five, k(0, 1), s32(-1), s32(-1), nine, name="5-D")
    w.case("MatrixDiagV3", d, i32(), s32(-1), s32(-1), nine, name="no k")
    w.case("MatrixDiagV3", d, i32(0, 1, 2), s32(-1), s32(-1), nine, name="three k")
    w.case("MatrixDiagV3", tensor(3), k(0), s32(-1), s32(-1), nine, name="scalar")
    w.case("MatrixDiagV3", iota((3,)), k(0, 1), s32(-1), s32(-1), nine, name="vector for two diagonals")
    w.case("MatrixDiagV3", iota((0, 3)), k(0), s32(-1), s32(-1), nine, name="empty")
    w.case("MatrixDiagPartV3", x, k(0), iota((2,)), name="two paddings")
    w.case("MatrixDiagPartV3", iota((3,)), k(0), nine, name="vector")
    w.case("MatrixDiagPartV3", iota((2, 0, 3)), k(0, 0), nine, name="empty matrices")
    w.case("MatrixDiagPartV3", iota((0, 2, 3)), k(0, 1), nine, name="no matrices")
    w.case("MatrixSetDiagV3", iota((0, 3)), iota((0,)), k(0), name="empty")


def outside_cases(w):
    """Diagonals that the matrices do not have."""
    nine = tensor(9)
    for shape, band, rows, cols in [((2, 1), (1, 2), -1, -1), ((3, 1), (0, 2), -1, -1), ((5, 2), (-1, 3), -1, -1), ((4, 2), (-2, 1), 2, 2),
                                    ((5, 3), (-3, 1), -1, 3), ((0,), (4, 4), -1, 4)]:
        w.case("MatrixDiagV2", iota(shape, start=1), k(*band), s32(rows), s32(cols), nine, name=f"{list(shape)} at {list(band)}")
        for align in ALIGNS:
            w.case("MatrixDiagV3", iota(shape, start=1), k(*band), s32(rows), s32(cols), nine, align=align,
                   name=f"{list(shape)} at {list(band)} {align}")
    w.case("MatrixDiagV3", iota((2,)), k(0), s32(-1), s32(-1), tensor([9]), name="padding a vector")
    w.case("MatrixBandPart", iota((2, 2)), i32(1), s32(1), name="a count a vector")


def write(w):
    diag_cases(w)
    main_diagonal_cases(w)
    band_cases(w)
    outside_cases(w)
