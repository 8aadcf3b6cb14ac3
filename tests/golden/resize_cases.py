"""Images of another size."""
import numpy as np

from array_cases import iota
from golden import FLOATS, i32, tensor

MODES = [{}, dict(align_corners=True), dict(half_pixel_centers=True)]
IMAGES = FLOATS + ["int8", "int16", "int32", "int64", "uint8", "uint16"]
DOUBLE_OF_FLOATS = 2.0**31  # products of float make a double: 4 ulps of float


def image(shape, dtype="float32", seed=1):
    values = np.random.default_rng(seed).uniform(-20, 100, shape)
    return tensor(np.abs(values) if dtype.startswith("u") else values, dtype)


def label(mode):
    return "".join(mode) or "legacy"


def forward_cases(w):
    for op, ulps in [("ResizeBilinear", 4), ("ResizeNearestNeighbor", 0)]:
        for dtype in IMAGES:
            w.case(op, image((1, 2, 2, 1), dtype), i32(3, 4), ulps=ulps)
        for mode in MODES:
            for shape, size in [((1, 2, 2, 1), (3, 4)), ((2, 3, 4, 2), (2, 3)), ((1, 5, 1, 3), (1, 2)), ((1, 3, 3, 1), (3, 3)),
                                ((1, 1, 1, 2), (2, 3)), ((1, 4, 6, 1), (7, 5))]:
                w.case(op, image(shape), i32(*size), name=f"{list(shape)} to {list(size)} {label(mode)}", ulps=ulps, **mode)
        x = image((1, 2, 2, 1))
        for size in [(0, 3), (3, -1), (3,), (3, 2, 1), ()]:
            w.case(op, x, i32(*size), name=f"size {list(size)}")
        w.case(op, x, i32(2, 2).reshape(1, 2), name="size of rank 2")
        for shape in [(2, 2, 1), (1, 2, 2, 1, 1), (1, 0, 2, 1), (1, 2, 0, 1), (1, 2, 2, 0), (0, 2, 2, 1)]:
            w.case(op, iota(shape), i32(3, 3), name=f"images {list(shape)}")
        w.case(op, x, i32(3, 3), name="both modes", align_corners=True, half_pixel_centers=True)
        w.case(op, tensor([[[[np.inf], [1]], [[np.nan], [-np.inf]]]]), i32(3, 3), name="not finite", half_pixel_centers=True)
        w.case(op, tensor([[[[np.inf], [1]], [[np.nan], [-np.inf]]]]), i32(2, 2), name="not finite, of the same size")


def gradient_cases(w):
    for dtype in FLOATS:
        ulps = DOUBLE_OF_FLOATS if dtype == "float64" else 8
        for mode in MODES:
            w.case("ResizeBilinearGrad", image((1, 3, 4, 2)), image((1, 2, 2, 2), dtype), name=f"{dtype} {label(mode)}", ulps=ulps, **mode)
    x = image((1, 2, 2, 1))
    for dy, original in [((2, 3, 4, 1), (1, 2, 2, 1)), ((1, 3, 4, 2), (1, 2, 2, 1)), ((1, 2, 3, 1), (1, 5, 4, 1)), ((1, 1, 1, 1), (1, 3, 3, 1)),
                         ((1, 0, 4, 1), (1, 2, 2, 1)), ((1, 3, 4, 1), (1, 0, 2, 1)), ((0, 3, 4, 1), (0, 2, 2, 1)), ((3, 4, 1), (1, 2, 2, 1)),
                         ((1, 3, 4, 1), (2, 2, 1))]:
        w.case("ResizeBilinearGrad", image(dy), image(original), name=f"{list(dy)} {list(original)}", ulps=8)
    w.case("ResizeBilinearGrad", x, x, name="both modes", align_corners=True, half_pixel_centers=True)
    for dtype in ["uint8", "int8", "int32"] + FLOATS:
        for mode in MODES:
            w.case("ResizeNearestNeighborGrad", image((1, 3, 4, 1), dtype), i32(2, 2), name=f"{dtype} {label(mode)}", ulps=8, **mode)
    for dy, size in [((2, 2, 3, 2), (4, 5)), ((1, 5, 4, 1), (1, 1)), ((1, 3, 4, 1), (0, 2)), ((1, 3, 0, 1), (1, 2)), ((0, 3, 1, 1), (1, 2)),
                     ((3, 4, 1), (1, 2)), ((1, 3, 4, 1), (2,)), ((1, 3, 4, 1), (-1, 2))]:
        w.case("ResizeNearestNeighborGrad", image(dy), i32(*size), name=f"{list(dy)} {list(size)}", ulps=8)
    w.case("ResizeNearestNeighborGrad", tensor(np.full((1, 3, 4, 1), 200), "uint8"), i32(2, 2), name="wraps")
    for dy, size in [((1, 3, 4, 1), (2, 2)), ((1, 5, 2, 1), (3, 4))]:
        w.case("ResizeNearestNeighborGrad", image(dy), i32(*size), name=f"both modes {list(dy)}", ulps=8, align_corners=True,
               half_pixel_centers=True)


def write(w):
    forward_cases(w)
    gradient_cases(w)
