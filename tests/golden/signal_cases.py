"""Fourier transforms. An element is as exact as the largest ones of its transform are: those below are not near 0."""
import numpy as np
import tensorflow as tf

from elementwise_cases import numbers
from golden import COMPLEX, Writer, i32, tensor

REAL = {"complex64": "float32", "complex128": "float64"}
# By the number of transformed dimensions; 67 is prime. Those that both dtypes have come first.
SHAPES = {1: [(8,), (2, 3, 5), (67,), (1,), (3, 7), (2, 12), (60,), (0,), (2, 0)],
          2: [(4, 8), (2, 3, 5), (1, 1), (2, 2, 3, 4), (1, 6), (7, 1), (2, 67), (0, 3), (2, 0, 3)],
          3: [(2, 4, 6), (3, 2, 5), (1, 1, 1), (2, 2, 3, 2), (1, 1, 6), (5, 1, 1), (1, 67, 2), (0, 2, 3), (2, 2, 0)]}


def named(prefix, rank):
    return prefix + ("" if rank == 1 else f"{rank}D")


def shapes(dtype, rank):
    return SHAPES[rank] if dtype == "complex64" else SHAPES[rank][:3]


def points(dtype, shape, seed=0):
    """Numbers of which no frequency is near 0."""
    x = numbers(dtype, shape, seed, -1, 1)
    if x.size:
        x[(..., *[0] * min(x.ndim, 1))] += np.asarray(4 + x.shape[-1] / 4, x.dtype)
    return x


def complex_cases(w: Writer, op, rank):
    for k, dtype in enumerate(COMPLEX):
        for shape in shapes(dtype, rank):
            w.case(op, points(dtype, shape, k), ulps=256)
    w.case(op, np.ones((2,) * (rank - 1), np.complex64), name="too few dimensions")
    w.case(op, tensor(np.eye(1, 4 ** rank), "complex64").reshape((4,) * rank), name="impulse")


def lengths_that_fit(shape, rank, is_inverse):
    """fft_length as the input is, and smaller in each dimension."""
    sizes = list(shape[len(shape) - rank:])
    if is_inverse:
        sizes[-1] = max(2 * (sizes[-1] - 1), 1)
    yield sizes
    if is_inverse:
        yield sizes[:-1] + [max(sizes[-1] - 1, 1)]
    for d in range(rank):
        if sizes[d] > 2:
            yield sizes[:d] + [sizes[d] - 2] + sizes[d + 1:]


def refused(w, op, x, rank, attrs):
    sizes = list(x.shape)
    w.case(op, x, i32(*[2 * sizes[0]] * rank), name="too long", **attrs)
    w.case(op, x, i32(*[-1] * rank), name="negative length", **attrs)
    w.case(op, x, i32(*[2] * (rank + 1)), name="too many lengths", **attrs)
    w.case(op, x, i32(*[2] * rank).reshape(1, rank), name="lengths of rank 2", **attrs)
    w.case(op, x.reshape(-1)[0].reshape((1,) * (rank - 1)), i32(*[1] * rank), name="too few dimensions", **attrs)


def real_cases(w, op, rank):
    for k, dtype in enumerate(COMPLEX):
        attrs = {"Tcomplex": tf.as_dtype(dtype)}
        for shape in shapes(dtype, rank):
            if 0 in shape[len(shape) - rank:]:
                continue
            for lengths in lengths_that_fit(shape, rank, False):
                w.case(op, points(REAL[dtype], shape, k), i32(*lengths), ulps=256, **attrs)
    x = numbers("float32", (4,) * rank, 3)
    w.case(op, np.zeros((0,) + (4,) * rank, np.float32), i32(*[4] * rank), name="empty batch", Tcomplex=tf.complex64)
    refused(w, op, x, rank, {"Tcomplex": tf.complex64})
    w.case(op, x, i32(*[4] * rank), name="float32 to complex128", Tcomplex=tf.complex128)


def inverse_cases(w, op, rank):
    for k, dtype in enumerate(COMPLEX):
        attrs = {"Treal": tf.as_dtype(REAL[dtype])}
        for shape in shapes(dtype, rank):
            if 0 in shape[len(shape) - rank:]:
                continue
            for lengths in lengths_that_fit(shape, rank, True):
                w.case(op, points(dtype, shape, k), i32(*lengths), ulps=2048, **attrs)
    x = numbers("complex64", (4,) * rank, 3)
    w.case(op, np.zeros((0,) + (4,) * rank, np.complex64), i32(*[4] * rank), name="empty batch", Treal=tf.float32)
    refused(w, op, x, rank, {"Treal": tf.float32})
    w.case(op, x, i32(*[4] * rank), name="complex64 to float64", Treal=tf.float64)


def write(w):
    for rank in SHAPES:
        complex_cases(w, named("FFT", rank), rank)
        complex_cases(w, named("IFFT", rank), rank)
        real_cases(w, named("RFFT", rank), rank)
        inverse_cases(w, named("IRFFT", rank), rank)
