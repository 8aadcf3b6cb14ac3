"""Batch normalisation, local response normalisation, and their gradients."""
import numpy as np

from elementwise_cases import numbers
from golden import tensor

NONE = tensor([])
BATCH = ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"]
HALVES = ["float16", "bfloat16"]


def channels(n, seed, low=-2, high=2):
    return numbers("float32", (n,), seed, low, high)


def positive(n, seed):
    return channels(n, seed, 0.5, 4)


def batch_norm(w):
    x = numbers("float32", (2, 2, 3, 2), 1)
    scale, offset, mean, variance = channels(2, 2), channels(2, 3), channels(2, 4), positive(2, 5)
    def case(op, *inputs, **attrs):
        w.case(op, *inputs, spare=[5], **attrs)
    for op in BATCH:
        case(op, x, scale, offset, NONE, NONE, name="training", ulps=32)
        case(op, x, scale, offset, mean, variance, name="inference", is_training=False, ulps=32)
        case(op, x, scale, offset, mean, variance, name="averaged", exponential_avg_factor=0.25, ulps=32)
        case(op, x, scale, offset, NONE, NONE, name="epsilon", epsilon=0.5, ulps=32)
        first = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        case(op, first, scale, offset, NONE, NONE, name="NCHW", data_format="NCHW", ulps=32)
        case(op, first, scale, offset, mean, variance, name="NCHW inference", data_format="NCHW", is_training=False,
               ulps=32)
        case(op, x[:1, :1, :1], scale, offset, NONE, NONE, name="one pixel", ulps=32)
        case(op, x[:0], scale, offset, NONE, NONE, name="no images")
        case(op, x, scale, offset, tensor([1, 2, 3]), NONE, name="unused statistics of another size", ulps=32)
        case(op, x, scale, offset, tensor(1), NONE, name="an unused scalar mean")
        case(op, x, scale, offset, NONE, tensor([[1, 2]]), name="an unused matrix of variances")
        case(op, x[0], scale, offset, NONE, NONE, name="rank 3")
        case(op, x, scale[:1], offset, NONE, NONE, name="scale differs")
        case(op, x, scale, offset, mean[:1], variance, name="mean differs", is_training=False)
        case(op, x, scale, offset, NONE, NONE, name="no mean", is_training=False)
    for dtype in HALVES:
        for op in BATCH[1:]:
            for training in [True, False]:
                case(op, x.astype(tensor(0, dtype).dtype), scale, offset, mean, variance, name=f"{dtype} {training}",
                       is_training=training, ulps=32)
    op = BATCH[2]
    case(op, x, scale, offset, mean, variance, name="factor 0", exponential_avg_factor=0.0, ulps=32)
    case(op, numbers("float32", (3, 4, 1, 17), 1), channels(17, 2), channels(17, 3), NONE, NONE, name="17 channels", ulps=64)
    deep = numbers("float32", (2, 1, 2, 3, 2), 6)
    for data_format, d in [("NDHWC", deep), ("NCDHW", deep.transpose(0, 4, 1, 2, 3))]:
        d = np.ascontiguousarray(d)
        case(op, d, scale, offset, NONE, NONE, name=data_format, data_format=data_format, ulps=32)


def batch_norm_gradients(w):
    x, dy = numbers("float32", (2, 2, 3, 2), 1), numbers("float32", (2, 2, 3, 2), 7)
    scale, mean, variance = channels(2, 2), x.mean((0, 1, 2)), x.var((0, 1, 2))
    for op, reserve in [("FusedBatchNormGrad", []), ("FusedBatchNormGradV2", []), ("FusedBatchNormGradV3", [NONE])]:
        w.case(op, dy, x, scale, mean, variance, *reserve, name="training", ulps=64)
        w.case(op, dy, x, scale, channels(2, 4), positive(2, 5), *reserve, name="inference", is_training=False, ulps=32)
        w.case(op, dy, x, scale, channels(2, 4), positive(2, 5), *reserve, name="other statistics", ulps=64)
        w.case(op, dy, x, scale, mean, variance, *reserve, name="epsilon", epsilon=0.5, ulps=64)
        first = [np.ascontiguousarray(t.transpose(0, 3, 1, 2)) for t in [dy, x]]
        w.case(op, *first, scale, mean, variance, *reserve, name="NCHW", data_format="NCHW", ulps=64)
        w.case(op, dy[:0], x[:0], scale, mean, variance, *reserve, name="no images")
        w.case(op, dy[:1, :1, :1], x[:1, :1, :1], scale, mean, variance, *reserve, name="one pixel", ulps=64)
        w.case(op, dy[:1, :1, :1] + 0.1, x[:1, :1, :1], scale, x[0, 0, 0], variance * 0, *reserve, name="a pixel is its mean",
               ulps=64, epsilon=0.001)
        w.case(op, dy[:1], x, scale, mean, variance, *reserve, name="dy differs")
        w.case(op, dy, x, scale, mean[:1], variance, *reserve, name="mean differs")
        w.case(op, dy[0], x[0], scale, mean, variance, *reserve, name="rank 3")
        if op == "FusedBatchNormGrad":
            continue
        for dtype in HALVES:
            halves = [t.astype(tensor(0, dtype).dtype) for t in [dy, x]]
            w.case(op, *halves, scale, mean, variance, *reserve, name=dtype, ulps=64)
    op = "FusedBatchNormGradV3"
    for data_format, shape in [("NDHWC", (2, 1, 2, 3, 2)), ("NCDHW", (2, 2, 1, 2, 3))]:
        for training in [True, False] if data_format == "NDHWC" else [True]:
            w.case(op, numbers("float32", shape, 8), numbers("float32", shape, 9), scale, mean, variance, NONE,
                   name=f"{data_format} {training}", data_format=data_format, is_training=training, ulps=64)


def local_response(w):
    x, dy, y = (numbers("float32", (1, 2, 1, 5), i) for i in [1, 2, 3])
    variants = [("default", {}), ("radius 0", dict(depth_radius=0)), ("radius 1", dict(depth_radius=1)),
                ("a large radius", dict(depth_radius=100)), ("beta 0.75", dict(depth_radius=2, beta=0.75)),
                ("beta 1", dict(depth_radius=1, beta=1.0)), ("beta 2.5", dict(bias=2.0, alpha=0.25, beta=2.5)),
                ("alpha 0", dict(alpha=0.0, bias=3.0))]
    for name, attrs in variants:
        w.case("LRN", x, name=name, ulps=4, **attrs)
        w.case("LRNGrad", dy, x, y, name=name, ulps=64, **attrs)
        w.case("LRN", x.astype(np.float16), name="float16 " + name, ulps=4, **attrs)
    w.case("LRNGrad", dy.astype(np.float16), x.astype(np.float16), y.astype(np.float16), name="float16", ulps=64)
    w.case("LRN", numbers("float32", (2, 1, 3, 1), 4), name="one channel", ulps=4)
    w.case("LRN", x[:0], name="no images")
    w.case("LRN", x[0], name="rank 3")
    w.case("LRN", x, name="negative radius", depth_radius=-1)
    w.case("LRN", x, name="huge radius", depth_radius=2**40)
    w.case("LRNGrad", dy[:, :1], x, y, name="shapes differ")
    w.case("LRNGrad", dy[0], x[0], y[0], name="rank 3")


def write(w):
    batch_norm(w)
    batch_norm_gradients(w)
    local_response(w)
