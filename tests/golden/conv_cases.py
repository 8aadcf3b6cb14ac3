"""Convolution in two and three dimensions, by channel too, and its gradients. Elements are quarters: sums are exact."""
import numpy as np

from elementwise_cases import numbers
from golden import FLOATS, tensor

ONES = [1, 1, 1, 1]
ONES3 = [1, 1, 1, 1, 1]
WIDE = ["float32", "float64"]
FLAT = ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
DEPTHWISE = ("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter")
DEEP = ("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2")


def sizes(shape, dtype="int32"):
    return tensor(list(shape), dtype)


def values(dtype, shape, seed):
    return numbers(dtype, shape, seed, -2, 2)


def three(w, ops, dtype, x, f, y, name, seed=1, gradients=True, **attrs):
    """The op and both gradients: shapes of input, filter and output. In 16 bits sums are rounded once, or twice.
    Gradients are left out where TensorFlow's CPU kernels lack them."""
    forward, by_input, by_filter = ops
    ulps = 2 if dtype in ("bfloat16", "float16") else 0
    image, kernel, dy = values(dtype, x, seed), values(dtype, f, seed + 1), values(dtype, y, seed + 2)
    attrs = dict(name=f"{dtype} {name}", ulps=ulps, **attrs)
    w.case(forward, image, kernel, **attrs)
    if not gradients:
        return
    w.case(by_input, sizes(x), kernel, dy, **attrs)
    w.case(by_filter, image, sizes(f), dy, **attrs)


def flat(w):
    for dtype in FLOATS + ["int32"]:
        x, f = values(dtype, (1, 4, 4, 2), 1), values(dtype, (2, 3, 2, 3), 2)
        for padding in ["SAME", "VALID"]:
            for strides in [ONES, [1, 2, 1, 1]]:
                w.case("Conv2D", x, f, name=f"{dtype} {padding} {strides[1]}", padding=padding, strides=strides)
    for dtype in FLOATS:
        for padding, out in [("SAME", (2, 3, 2, 2)), ("VALID", (2, 2, 1, 2))]:
            three(w, FLAT, dtype, (2, 5, 4, 2), (2, 3, 2, 2), out, padding, padding=padding, strides=[1, 2, 2, 1])
    w.case("Conv2DBackpropInput", sizes((1, 3, 3, 1)), values("int32", (2, 2, 1, 2), 1), values("int32", (1, 2, 2, 2), 2),
           padding="VALID", strides=ONES, name="int32")
    for dtype in WIDE:
        three(w, FLAT, dtype, (1, 4, 4, 4), (3, 3, 2, 4), (1, 4, 4, 4), "two groups", padding="SAME", strides=ONES,
              gradients=dtype == "float32")
        three(w, FLAT, dtype, (1, 3, 3, 2), (2, 2, 1, 4), (1, 2, 2, 4), "a group a channel", padding="VALID",
              strides=ONES, gradients=dtype == "float32")
        three(w, FLAT, dtype, (1, 5, 6, 1), (3, 3, 1, 2), (1, 5, 4, 2), "explicit", padding="EXPLICIT", strides=[1, 1, 2, 1],
              explicit_paddings=[0, 0, 1, 1, 2, 1, 0, 0])
    three(w, FLAT, "float32", (1, 5, 4, 2), (3, 2, 2, 2), (1, 5, 4, 2), "dilated", padding="SAME", strides=ONES,
          dilations=[1, 2, 1, 1])
    three(w, FLAT, "float32", (1, 2, 5, 4), (3, 2, 2, 3), (1, 3, 3, 4), "NCHW", padding="SAME", strides=[1, 1, 2, 1],
          data_format="NCHW")
    three(w, FLAT, "float32", (1, 1, 4, 4), (2, 2, 1, 2), (1, 2, 2, 5), "NCHW explicit", padding="EXPLICIT",
          strides=[1, 1, 2, 1], data_format="NCHW", explicit_paddings=[0, 0, 0, 0, 0, 0, 1, 1], gradients=False)
    three(w, FLAT, "float32", (2, 1, 1, 3), (1, 1, 3, 2), (2, 1, 1, 2), "one pixel", padding="SAME", strides=ONES)
    three(w, FLAT, "float32", (1, 2, 2, 1), (5, 5, 1, 1), (1, 2, 2, 1), "a window larger than the image", padding="SAME",
          strides=ONES)
    three(w, FLAT, "float32", (1, 7, 7, 1), (1, 1, 1, 1), (1, 3, 3, 1), "strides beyond the window", padding="VALID",
          strides=[1, 3, 3, 1])
    three(w, FLAT, "float64", (0, 4, 4, 2), (3, 3, 2, 3), (0, 4, 4, 3), "no images", padding="SAME", strides=ONES)
    w.case("Conv2DBackpropInput", sizes((4, 3)), values("float32", (2, 2, 2, 3), 1), values("float32", (1, 4, 3, 3), 2),
           name="height and width alone", padding="SAME", strides=ONES)
    flat_errors(w)


def flat_errors(w):
    x, f = values("float32", (1, 3, 3, 2), 3), values("float32", (2, 2, 2, 2), 4)
    same = dict(padding="SAME", strides=ONES)
    w.case("Conv2D", x, values("float32", (4, 2, 2, 2), 4), name="does not fit", padding="VALID", strides=ONES)
    w.case("Conv2D", x, values("float32", (2, 2, 3, 2), 4), name="channels differ", **same)
    w.case("Conv2D", x, values("float32", (2, 2, 1, 3), 4), name="outputs do not split into groups", **same)
    w.case("Conv2D", x[0], f, name="rank 3", **same)
    w.case("Conv2D", x, values("float32", (0, 2, 2, 2), 4), name="empty filter", **same)
    w.case("Conv2D", x, f, name="two strides", padding="SAME", strides=[1, 1])
    w.case("Conv2D", x, f, name="stride 0", padding="SAME", strides=[1, 0, 1, 1])
    w.case("Conv2D", x, f, name="dilation 0", dilations=[1, 1, 0, 1], **same)
    w.case("Conv2D", x, f, name="dilated channels", dilations=[1, 1, 1, 2], **same)
    w.case("Conv2D", x, f, name="paddings without EXPLICIT", explicit_paddings=[0] * 8, **same)
    for name, pads in [("four paddings", [0, 0, 1, 1]), ("padded images", [1, 0, 0, 0, 0, 0, 0, 0]),
                       ("negative padding", [0, 0, -1, 0, 0, 0, 0, 0])]:
        w.case("Conv2D", x, f, name=name, padding="EXPLICIT", strides=ONES, explicit_paddings=pads)
    dy = values("float32", (1, 3, 3, 2), 5)
    w.case("Conv2DBackpropInput", sizes((1, 4, 3, 2)), f, dy, name="sizes differ", **same)
    w.case("Conv2DBackpropInput", sizes((1, 3, 3)), f, dy, name="three sizes", **same)
    w.case("Conv2DBackpropInput", sizes((1, -3, 3, 2)), f.astype(np.float64), dy.astype(np.float64), name="negative size",
           **same)
    w.case("Conv2DBackpropFilter", x, sizes((2, 2, 3, 2)), dy, name="channels differ", **same)
    w.case("Conv2DBackpropFilter", x, sizes((2, 2, 2)), dy, name="three sizes", **same)
    w.case("Conv2DBackpropFilter", x, sizes((2, 2, 2, 3)), dy, name="outputs differ", **same)


def depthwise(w):
    for dtype in FLOATS:
        for padding, out in [("SAME", (1, 2, 2, 4)), ("VALID", (1, 1, 1, 4))]:
            three(w, DEPTHWISE, dtype, (1, 4, 3, 2), (3, 2, 2, 2), out, padding, padding=padding, strides=[1, 2, 2, 1])
        three(w, DEPTHWISE, dtype, (2, 3, 3, 3), (2, 2, 3, 1), (2, 3, 3, 3), "multiplier 1", padding="SAME", strides=ONES)
    for dtype in WIDE:
        three(w, DEPTHWISE, dtype, (1, 3, 4, 1), (3, 3, 1, 2), (1, 3, 4, 2), "one channel", padding="SAME", strides=ONES)
        three(w, DEPTHWISE, dtype, (1, 3, 3, 2), (2, 2, 2, 1), (1, 4, 3, 2), "explicit", padding="EXPLICIT", strides=ONES,
              explicit_paddings=[0, 0, 1, 1, 0, 1, 0, 0])
    three(w, DEPTHWISE, "float32", (1, 5, 5, 2), (2, 2, 2, 2), (1, 3, 3, 4), "dilated", padding="VALID", strides=ONES,
          dilations=[1, 2, 2, 1], gradients=False)
    three(w, DEPTHWISE, "float32", (1, 5, 4, 2), (2, 2, 2, 1), (1, 5, 2, 2), "strides differ", padding="SAME",
          strides=[1, 1, 2, 1])
    three(w, DEPTHWISE, "float32", (1, 2, 4, 4), (3, 3, 2, 2), (1, 4, 2, 2), "NCHW", padding="SAME", strides=[1, 1, 2, 2],
          data_format="NCHW")
    three(w, DEPTHWISE, "float64", (0, 4, 4, 2), (3, 3, 2, 1), (0, 4, 4, 2), "no images", padding="SAME", strides=ONES,
          gradients=False)
    x, f = values("float32", (1, 3, 3, 2), 3), values("float32", (2, 2, 2, 1), 4)
    w.case(DEPTHWISE[0], x, values("float32", (2, 2, 3, 1), 4), name="channels differ", padding="SAME", strides=ONES)
    w.case(DEPTHWISE[0], x[0], f, name="rank 3", padding="SAME", strides=ONES)
    w.case(DEPTHWISE[0], x, values("float32", (4, 2, 2, 1), 4), name="does not fit", padding="VALID", strides=ONES)
    w.case(DEPTHWISE[0], x, f, name="stride 0", padding="SAME", strides=[1, 0, 0, 1])
    dy = values("float32", (1, 3, 3, 2), 5)
    w.case(DEPTHWISE[1], sizes((1, 4, 3, 2)), f, dy, name="sizes differ", padding="SAME", strides=ONES)
    w.case(DEPTHWISE[1], sizes((1, 3, 2)), f, dy, name="three sizes", padding="SAME", strides=ONES)
    w.case(DEPTHWISE[2], x, sizes((2, 2, 3, 1)), dy, name="channels differ", padding="SAME", strides=ONES)
    w.case(DEPTHWISE[2], x, sizes((2, 2, 2)), dy, name="three sizes", padding="SAME", strides=ONES)


def deep(w):
    for dtype in FLOATS:
        for padding, out in [("SAME", (1, 2, 2, 2, 2)), ("VALID", (1, 1, 1, 1, 2))]:
            three(w, DEEP, dtype, (1, 3, 3, 3, 1), (2, 2, 3, 1, 2), out, padding, padding=padding, strides=[1, 2, 2, 2, 1])
        three(w, DEEP, dtype, (1, 2, 2, 1, 2), (2, 1, 1, 2, 2), (1, 1, 2, 1, 2), "flat filter", padding="VALID",
              strides=ONES3)
    three(w, DEEP, "float32", (1, 4, 2, 2, 1), (2, 2, 1, 1, 2), (1, 4, 2, 2, 2), "dilated", padding="SAME", strides=ONES3,
          dilations=[1, 2, 1, 1, 1])
    three(w, DEEP, "float32", (1, 2, 2, 3, 2), (2, 1, 2, 2, 1), (1, 1, 1, 2, 2), "NCDHW", padding="SAME",
          strides=[1, 1, 2, 2, 1], data_format="NCDHW")
    three(w, DEEP, "float64", (0, 2, 2, 2, 1), (1, 1, 1, 1, 2), (0, 2, 2, 2, 2), "no volumes", padding="SAME",
          strides=ONES3)
    f, dy = values("float32", (1, 2, 1, 1, 1), 4), values("float32", (1, 2, 2, 1, 1), 5)
    w.case(DEEP[1], sizes((1, 2, 2, 1, 1), "int64"), f, dy, name="int64 sizes", padding="SAME", strides=ONES3)
    x = values("float32", (1, 2, 2, 2, 2), 3)
    w.case(DEEP[0], x, values("float32", (1, 1, 1, 3, 1), 4), name="channels differ", padding="SAME", strides=ONES3)
    w.case(DEEP[0], x, values("float32", (1, 1, 1, 1, 2), 4), name="no groups", padding="SAME", strides=ONES3)
    w.case(DEEP[0], x[0], values("float32", (1, 1, 1, 2, 1), 4), name="rank 4", padding="SAME", strides=ONES3)
    w.case(DEEP[0], x, values("float32", (3, 1, 1, 2, 1), 4), name="does not fit", padding="VALID", strides=ONES3)
    w.case(DEEP[1], sizes((1, 3, 2, 1, 1)), f, dy, name="sizes differ", padding="SAME", strides=ONES3)
    w.case(DEEP[1], sizes((1, 2, 2, 1)), f, dy, name="four sizes", padding="SAME", strides=ONES3)
    w.case(DEEP[2], x, sizes((1, 1, 1, 3, 1)), values("float32", (1, 2, 2, 2, 1), 5), name="channels differ",
           padding="SAME", strides=ONES3)
    w.case(DEEP[2], x, sizes((1, 1, 1, 2)), values("float32", (1, 2, 2, 2, 1), 5), name="four sizes", padding="SAME",
           strides=ONES3)


def write(w):
    flat(w)
    depthwise(w)
    deep(w)
