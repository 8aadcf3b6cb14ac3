"""The gamma function and its kin, and functions with a hole at 0.

Where terms of opposite sign cancel, TensorFlow itself is away from the true value by far more than the last digits; the
arguments here keep clear of such places, but for those named after what they are.
"""
import numpy as np

from elementwise_cases import INF, NAN, SHAPES, binary, numbers, unary
from golden import COMPLEX, FLOATS, tensor

WIDE = ["float32", "float64"]


def gamma_cases(w):
    for op in ["Lgamma", "Digamma"]:
        unary(w, op, ["float16", "float32", "float64"], 0.25, 9, special=(NAN, 1.0, 2.0, -0.5, -1.5))
        for dtype in WIDE:
            w.case(op, tensor([0.1, 0.7, 3.3, 10.5, 25, 150, 1e4], dtype), name=dtype + " positive", ulps=4)
            w.case(op, tensor([-0.3, -1.75, -7.25], dtype), name=dtype + " negative", ulps=8)
            w.case(op, tensor([0, -1, -2, INF], dtype), name=dtype + " poles", ulps=4)
    for dtype in WIDE:
        for n in [0, 1, 2, 5]:
            w.case("Polygamma", tensor(n, dtype), tensor([0.5, 1, 2.25, 7, 12.5], dtype), name=f"{dtype} order {n}",
                   ulps=8)
        w.case("Polygamma", tensor([-1, 0.5, NAN], dtype), tensor([2, 2, 2], dtype), name=dtype + " no order")
        w.case("Zeta", tensor([1.5, 2, 3, 7.5, 30], dtype), tensor([1, 0.5, 2.25, 3, 1], dtype), ulps=4)
        w.case("Zeta", tensor([1, 0.5, 2, 3, 2.5, NAN, 2], dtype), tensor([2, 2, -1, -1, -1.5, 1, 0], dtype),
               name=dtype + " edges", ulps=4)
        w.case("Zeta", tensor([2, 3, 4], dtype), tensor([-0.5, -1.5, -2.25], dtype), name=dtype + " negative", ulps=4)
        for a, b in SHAPES:
            w.case("Zeta", numbers(dtype, a, 1, 2, 5), numbers(dtype, b, 2, 1, 4), ulps=4)
    for a, b in SHAPES:
        w.case("Polygamma", np.round(numbers("float64", a, 1, 1, 3)), numbers("float64", b, 2, 1, 4), ulps=8)


def beta_cases(w):
    for dtype, ulps in [("float32", 8), ("float64", 16)]:  # TensorFlow takes exp() of sums of logarithms
        a = tensor([0.5, 1, 2, 3.5, 3, 1, 0.25], dtype)
        b = tensor([0.5, 1, 3, 2.25, 4, 8, 4], dtype)
        w.case("Betainc", a, b, tensor([0.25, 0.3, 0.5, 0.75, 0.6, 0.1, 0.9], dtype), ulps=ulps)
        w.case("Betainc", a, b, tensor(0.5, dtype), ulps=ulps)
        w.case("Betainc", tensor(2, dtype), tensor(3, dtype), tensor([0, 1, 0.5], dtype), ulps=ulps)
        w.case("Betainc", tensor([0, -1, 1, 1, NAN, 2], dtype), tensor([1, 1, 0, 1, 1, 2], dtype),
               tensor([0.5, 0.5, 0.5, 1.5, 0.5, -0.5], dtype), name=dtype + " outside", ulps=ulps)
        for shape in [(), (0,), (2, 3), (2, 1, 1, 1, 2)]:
            w.case("Betainc", numbers(dtype, shape, 1, 0.5, 4), numbers(dtype, shape, 2, 0.5, 4),
                   numbers(dtype, shape, 3, 0.25, 0.75), ulps=ulps)
    w.case("Betainc", tensor([1, 2]), tensor([1, 2, 3]), tensor(0.5), name="different shapes")
    w.case("Betainc", tensor([[1, 2]]), tensor([1, 2]), tensor(0.5), name="different ranks")


def infinite_cases(w):
    for dtype in WIDE:
        x = tensor([2, 1.5, 1, 0.5, INF, INF, INF, INF, INF, NAN, 2, 3, -INF, INF, INF], dtype)
        q = tensor([INF, INF, INF, INF, 1, 2, 0.5, 0, -1, INF, -INF, -INF, 2, INF, 1.5], dtype)
        w.case("Zeta", x, q, name=dtype + " at infinity", ulps=4)
        n = tensor([1, 2, 3, 0, INF, INF, INF, INF, 1, 2, -1, 0.5, 1, 2, 3, 0, 0], dtype)
        w.case("Polygamma", n, tensor([INF, INF, INF, INF, 1, 2, 0.5, 0, -INF, -INF, INF, INF, 0, 0, 0, 0, -INF], dtype),
               name=dtype + " at infinity", ulps=4)


def write(w):
    gamma_cases(w)
    beta_cases(w)
    for dtype in WIDE:
        x = tensor([0, -0.0, 1, 1, 1e-30, INF, -INF, NAN, 1, 5], dtype)
        y = tensor([1, -1, 2, 0, -1, 0, 0, 1, NAN, 5], dtype)
        w.case("NextAfter", x, y, name=dtype + " steps")
    binary(w, "NextAfter", WIDE)
    binary(w, "Xlog1py", FLOATS + COMPLEX, 0, 4, special=False)
    w.case("Xlog1py", tensor([0, 0, 1, 2, NAN]), tensor([-1, NAN, -1, INF, 1]), name="special values", ulps=4)
    binary(w, "MulNoNan", FLOATS + COMPLEX)
    w.case("MulNoNan", tensor([INF, NAN, 0, 2]), tensor([0, 0, NAN, INF]), name="holes")
    infinite_cases(w)
