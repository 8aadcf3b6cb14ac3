"""Pooling in two and three dimensions, and its gradients."""
import numpy as np
import tensorflow as tf

from elementwise_cases import INF, NAN, numbers
from golden import FLOATS, SIGNED, UNSIGNED, tensor

ONES = [1, 1, 1, 1]
REAL = FLOATS + SIGNED + UNSIGNED
POOLED = FLOATS + SIGNED + ["uint8", "uint16"]  # what MaxPool takes
HALVES = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1])
OVERLAPPING = dict(ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1])


def ints(values):
    return tensor(list(values), "int32")


def max_and_gradients(w, dtype, x_shape, y_shape, name, **attrs):
    """MaxPool, its gradient and the gradient of that, by attrs and by inputs, and with argmax."""
    x, y, dy = (numbers(dtype, s, i) for i, s in enumerate([x_shape, y_shape, y_shape], 1))
    ddx = numbers(dtype, x_shape, 4)
    y.reshape(-1)[:] = x.reshape(-1)[:y.size]  # some of them equal to elements of their windows
    attrs["name"] = f"{dtype} {name}"
    if dtype in POOLED:
        w.case("MaxPool", x, **attrs)
    w.case("MaxPoolGrad", x, y, dy, **attrs)
    if attrs["padding"] == "EXPLICIT":
        return
    w.case("MaxPoolGradGrad", x, y, ddx, **attrs)
    if x.size > 0:
        w.case("MaxPoolWithArgmax", x, Targmax=tf.int32 if len(name) % 2 else tf.int64, **attrs)
    windows = [ints(attrs.pop("ksize")), ints(attrs.pop("strides"))]
    if dtype in POOLED:
        w.case("MaxPoolV2", x, *windows, **attrs)
    w.case("MaxPoolGradV2", x, y, dy, *windows, **attrs)
    w.case("MaxPoolGradGradV2", x, y, ddx, *windows, **attrs)


def largest(w):
    for dtype in REAL:
        max_and_gradients(w, dtype, (1, 4, 2, 2), (1, 2, 1, 2), "halves", padding="VALID", **HALVES)
    for dtype in ["float32", "float64", "int32"]:
        max_and_gradients(w, dtype, (2, 5, 4, 1), (2, 3, 4, 1), "overlapping", padding="SAME", **OVERLAPPING)
        max_and_gradients(w, dtype, (1, 3, 3, 2), (1, 1, 1, 2), "all of the image", padding="VALID", ksize=[1, 3, 3, 1],
                          strides=ONES)
    max_and_gradients(w, "float32", (1, 4, 4, 1), (1, 2, 2, 1), "beyond the window", padding="SAME", ksize=ONES,
                      strides=[1, 3, 3, 1])
    max_and_gradients(w, "float32", (1, 2, 3, 1), (1, 2, 3, 1), "a window larger than the image", padding="SAME",
                      ksize=[1, 5, 5, 1], strides=ONES)
    max_and_gradients(w, "float32", (0, 4, 4, 2), (0, 2, 2, 2), "no images", padding="VALID", **HALVES)
    max_and_gradients(w, "float32", (1, 3, 4, 2), (1, 4, 3, 2), "explicit", padding="EXPLICIT", ksize=[1, 2, 3, 1],
                      strides=ONES, explicit_paddings=[0, 0, 1, 1, 0, 1, 0, 0])
    w.case("MaxPool", numbers("float32", (1, 2, 4, 4), 1), name="NCHW", padding="VALID", ksize=[1, 1, 2, 2],
           strides=[1, 1, 2, 2], data_format="NCHW")
    for dtype in ["float32", "float64", "int32"]:
        x = numbers(dtype, (1, 2, 2, 6), 5)
        attrs = dict(padding="VALID", name=f"{dtype} across channels")
        w.case("MaxPool", x, ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], **attrs)
        w.case("MaxPoolV2", x, ints([1, 1, 1, 3]), ints([1, 1, 1, 3]), **attrs)
    special = tensor([NAN, 3, -INF, -INF, 1, 2, -INF, -INF, NAN, NAN, INF, 1, NAN, NAN, 2, NAN]).reshape(1, 4, 4, 1)
    attrs = dict(padding="VALID", name="special values", **HALVES)
    for x in [special, special.astype(np.float64)]:
        w.case("MaxPool", x, **attrs)
        w.case("MaxPoolWithArgmax", x, **attrs)
        y, dy = numbers(x.dtype.name, (1, 2, 2, 1), 1), numbers(x.dtype.name, (1, 2, 2, 1), 2)
        w.case("MaxPoolGrad", x, y, dy, **attrs)
        w.case("MaxPoolGradGrad", x, y, numbers(x.dtype.name, (1, 4, 4, 1), 3), **attrs)
    x = tensor([[[[1], [1]], [[1], [0]]]])
    w.case("MaxPoolGrad", x, tensor([[[[1]]]]), tensor([[[[3]]]]), name="the first of equals", padding="VALID",
           ksize=[1, 2, 2, 1], strides=ONES)


def argmax(w):
    x = numbers("float32", (2, 2, 4, 2), 1)
    dy = numbers("float32", (2, 1, 2, 2), 2)
    for include in [False, True]:
        for number in ["int32", "int64"]:
            attrs = dict(padding="VALID", include_batch_in_index=include, name=f"{number} {include}", **HALVES)
            w.case("MaxPoolWithArgmax", x, Targmax=tf.as_dtype(number), **attrs)
    for dtype in FLOATS + ["int32", "uint8"]:  # two windows may name one element
        numbered = tensor([3, 2, 3, 2, 0, 1, 14, 15], "int64").reshape(2, 1, 2, 2)
        w.case("MaxPoolGradWithArgmax", x.astype(tensor(0, dtype).dtype), numbers(dtype, (2, 1, 2, 2), 2), numbered,
               padding="VALID", name=dtype, **HALVES)
    batched = tensor([3, 2, 3, 2, 16, 17, 30, 31], "int64").reshape(2, 1, 2, 2)
    w.case("MaxPoolGradWithArgmax", x, dy, batched, padding="VALID", include_batch_in_index=True, name="with batch", **HALVES)
    attrs = dict(padding="VALID", **HALVES)
    w.case("MaxPoolGradWithArgmax", x, dy[:1], batched, name="grad differs", **attrs)
    w.case("MaxPoolGradWithArgmax", x, dy, batched[:, :, :1], name="argmax differs", **attrs)
    w.case("MaxPoolGradWithArgmax", x[:0], dy[:0], batched[:0], name="no images", **attrs)


def average(w):
    for dtype in FLOATS:
        x = numbers(dtype, (2, 5, 4, 3), 1)
        for padding, out in [("SAME", (2, 3, 2, 3)), ("VALID", (2, 2, 2, 3))]:
            attrs = dict(padding=padding, name=f"{dtype} {padding}", **HALVES)
            w.case("AvgPool", x, ulps=2, **attrs)
            w.case("AvgPoolGrad", ints([2, 5, 4, 3]), numbers(dtype, out, 2), ulps=2, **attrs)
    for dtype in ["float32", "float64"]:
        attrs = dict(padding="SAME", name=f"{dtype} overlapping", ulps=4, **OVERLAPPING)
        w.case("AvgPool", numbers(dtype, (1, 5, 4, 2), 1), **attrs)
        w.case("AvgPoolGrad", ints([1, 5, 4, 2]), numbers(dtype, (1, 3, 4, 2), 2), **attrs)
    attrs = dict(padding="VALID", name="NCHW", ulps=2, ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], data_format="NCHW")
    w.case("AvgPool", numbers("float32", (1, 2, 4, 4), 1), **attrs)
    w.case("AvgPoolGrad", ints([1, 2, 4, 4]), numbers("float32", (1, 2, 2, 2), 1), **attrs)
    attrs = dict(padding="VALID", name="no images", **HALVES)
    w.case("AvgPool", numbers("float32", (0, 4, 4, 1), 1), **attrs)
    w.case("AvgPoolGrad", ints([0, 4, 4, 1]), numbers("float32", (0, 2, 2, 1), 1), **attrs)


def errors(w):
    x = numbers("float32", (1, 2, 4, 1), 3)
    y = numbers("float32", (1, 1, 2, 1), 4)
    fits = dict(padding="VALID", **HALVES)
    for op in ["MaxPool", "AvgPool"]:
        w.case(op, x, name="does not fit", padding="VALID", ksize=[1, 3, 1, 1], strides=ONES)
        w.case(op, x[0], name="rank 3", **fits)
        w.case(op, x, name="window 0", padding="SAME", ksize=[1, 0, 1, 1], strides=ONES)
        w.case(op, x, name="stride 0", padding="SAME", ksize=ONES, strides=[1, 0, 1, 1])
        w.case(op, x, name="five sizes", padding="SAME", ksize=[1, 1, 1, 1, 1], strides=ONES)
    w.case("MaxPool", x, name="padding beyond the window", padding="EXPLICIT", ksize=[1, 2, 2, 1], strides=ONES,
           explicit_paddings=[0, 0, 2, 0, 0, 0, 0, 0])
    w.case("MaxPoolGrad", x, y, y[:, :, :1], name="grad differs", **fits)
    w.case("MaxPoolGrad", x, y[:, :, :1], y[:, :, :1], name="orig_output differs", **fits)
    w.case("MaxPoolGradGrad", x, y, y, name="grad differs", **fits)
    w.case("MaxPoolWithArgmax", x[0], name="rank 3", **fits)
    for name, ksize, strides in [("three sizes", [1, 2, 2], ONES), ("negative window", [1, -2, 2, 1], ONES),
                                 ("stride 0", ONES, [1, 0, 1, 1])]:
        w.case("MaxPoolV2", x, ints(ksize), ints(strides), name=name, padding="VALID")
    w.case("AvgPoolGrad", ints([1, 2, 4]), y, name="three sizes", **fits)
    w.case("AvgPoolGrad", ints([1, -2, 4, 1]), y.astype(np.float64), name="negative size", **fits)


def deep(w):
    halves = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1])
    cases = [("SAME", (1, 3, 2, 3, 2), (1, 2, 1, 2, 2), halves), ("VALID", (1, 2, 2, 3, 2), (1, 1, 1, 1, 2), halves),
             ("SAME", (1, 2, 2, 3, 1), (1, 2, 2, 3, 1), dict(ksize=[1, 2, 1, 3, 1], strides=[1, 1, 1, 1, 1])),
             ("VALID", (2, 1, 2, 2, 3), (2, 1, 1, 1, 3), dict(ksize=[1, 1, 2, 2, 1], strides=[1, 1, 1, 1, 1])),
             ("VALID", (0, 2, 2, 2, 1), (0, 1, 1, 1, 1), halves)]
    for dtype in ["float32", "bfloat16"]:
        for i, (padding, x_shape, y_shape, windows) in enumerate(cases):
            attrs = dict(padding=padding, name=f"{dtype} {i}", **windows)
            x, dy = numbers(dtype, x_shape, 1, -1, 1), numbers(dtype, y_shape, 2)
            y = numbers(dtype, y_shape, 1, -1, 1)
            w.case("MaxPool3D", x, **attrs)
            w.case("MaxPool3DGrad", x, y, dy, ulps=2, **attrs)
            if x.size > 0:
                w.case("MaxPool3DGradGrad", x, y, numbers(dtype, x_shape, 4), **attrs)
            w.case("AvgPool3D", x, ulps=2, **attrs)
            w.case("AvgPool3DGrad", ints(x_shape), dy, ulps=16, **attrs)  # TensorFlow sums in float, where terms cancel
    attrs = dict(padding="SAME", ksize=[1, 1, 2, 2, 2], strides=[1, 1, 2, 1, 2], data_format="NCDHW", name="NCDHW")
    x, y, dy = (numbers("float32", s, i) for i, s in enumerate([(1, 2, 3, 2, 2), (1, 2, 2, 2, 1), (1, 2, 2, 2, 1)], 5))
    w.case("MaxPool3D", x, **attrs)
    w.case("AvgPool3D", x, ulps=2, **attrs)
    w.case("AvgPool3DGrad", ints(x.shape), dy, ulps=2, **attrs)
    for op in ["MaxPool3D", "AvgPool3D"]:
        w.case(op, x, name="does not fit", padding="VALID", ksize=[1, 4, 1, 1, 1], strides=[1, 1, 1, 1, 1])
        w.case(op, x[0], name="rank 4", padding="VALID", **halves)
        w.case(op, x, name="stride 0", padding="VALID", ksize=[1, 1, 1, 1, 1], strides=[1, 1, 0, 1, 1])
    w.case("MaxPool3DGrad", x, y, dy[:, :, :1], name="grad differs", padding="SAME", **halves)
    w.case("MaxPool3DGradGrad", x, y, y, name="grad differs", padding="SAME", **halves)
    w.case("MaxPool3DGradGrad", x[0], y, x, name="rank 4", padding="SAME", **halves)
    w.case("MaxPool3DGradGrad", numbers("float32", (1, 1, 1, 4, 1), 1), numbers("float32", (1, 1, 1, 2, 1), 1),
           numbers("float32", (1, 1, 1, 4, 1), 2), name="rows", padding="SAME", ksize=[1, 1, 1, 2, 1], strides=[1, 1, 1, 2, 1])
    w.case("AvgPool3DGrad", ints([1, 2, 2, 2]), dy, name="four sizes", padding="SAME", **halves)


def write(w):
    largest(w)
    argmax(w)
    average(w)
    errors(w)
    deep(w)
