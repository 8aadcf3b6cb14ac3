"""Bias, activations, softmax and its losses."""
from elementwise_cases import INF, REAL, numbers, unary
from golden import FLOATS, tensor


def activations(w):
    for op in ["Relu", "Relu6"]:
        unary(w, op, REAL)
    for op in ["Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"]:
        unary(w, op, FLOATS, ulps=4)
    w.case("LeakyRelu", numbers("float32", (7,), 1), name="alpha", alpha=0.5)
    for op in ["ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"]:
        for dtype in REAL if op in ("ReluGrad", "Relu6Grad") else FLOATS:
            w.case(op, numbers(dtype, (2, 7), 1), numbers(dtype, (2, 7), 2, -8, 8), ulps=4)


def bias(w):
    for dtype in REAL + ["complex64"]:
        w.case("BiasAdd", numbers(dtype, (2, 3), 1), numbers(dtype, (3,), 2))
        w.case("BiasAddGrad", numbers(dtype, (3, 2), 1))
        w.case("BiasAddV1", numbers(dtype, (2, 1, 3), 1), numbers(dtype, (3,), 2))
    for data_format in ["NHWC", "NCHW"]:
        for shape in [(2, 3, 3, 3), (2, 3, 3), (0, 3, 3, 3)]:
            w.case("BiasAdd", numbers("float32", shape, 3), numbers("float32", (3,), 4), data_format=data_format)
            w.case("BiasAddGrad", numbers("float32", shape, 3), data_format=data_format)
    for op in ["BiasAdd", "BiasAddV1"]:
        w.case(op, numbers("float32", (2, 3), 1), numbers("float32", (2,), 2), name="sizes differ")
        w.case(op, numbers("float32", (2, 3), 1), numbers("float32", (3, 1), 2), name="a matrix for a bias")
        w.case(op, numbers("float32", (3,), 1), numbers("float32", (3,), 2), name="rank 1")
    for shape in [(2, 3, 2, 1, 2), (2, 3, 0)]:
        w.case("BiasAdd", numbers("float32", shape, 3), numbers("float32", (3,), 4), name=f"NCHW {len(shape)}-D",
               data_format="NCHW")
        w.case("BiasAddGrad", numbers("float32", shape, 3), name=f"NCHW {len(shape)}-D", data_format="NCHW")
    w.case("BiasAddGrad", numbers("float32", (3,), 1), name="rank 1")


def softmax(w):
    special = tensor([[1, 2, -INF], [0, 0, 0], [100, -100, 88]])
    for dtype in FLOATS:
        logits = numbers(dtype, (4, 5), 1)
        labels = tensor([[.5, .25, .25, 0, 0], [0, 0, 0, 1, 0], [.75, 0, .25, 0, 0], [0, .5, 0, 0, .5]], dtype)
        w.case("Softmax", logits, ulps=8)
        w.case("SoftmaxCrossEntropyWithLogits", logits, labels, ulps=64)
        for index in ["int32", "int64"]:
            w.case("SparseSoftmaxCrossEntropyWithLogits", logits, tensor([0, 4, 2, 2], index), ulps=16)
    for shape in [(7,), (2, 3, 4), (3, 1), (0, 4)]:
        for dtype in ["float32", "float64"]:  # in 16 bits TensorFlow rounds after each operation
            w.case("LogSoftmax", numbers(dtype, shape, 3), ulps=8)
        w.case("Softmax", numbers("float32", shape, 3), ulps=8)
    w.case("Softmax", special, name="special values", ulps=8)
    logits = numbers("float32", (3, 4), 1)
    w.case("SoftmaxCrossEntropyWithLogits", logits[:1], numbers("float32", (3, 4), 2, 0, 1), name="one row of logits",
           ulps=16)
    w.case("SoftmaxCrossEntropyWithLogits", logits, numbers("float32", (1, 4), 2, 0, 1), name="one row of labels", ulps=16)
    w.case("SoftmaxCrossEntropyWithLogits", logits, numbers("float32", (2, 4), 2), name="rows differ")
    for bad in [4, -1]:
        w.case("SparseSoftmaxCrossEntropyWithLogits", logits, tensor([0, bad, 1], "int64"), name=f"label {bad}")
    w.case("SparseSoftmaxCrossEntropyWithLogits", logits, tensor([0, 1], "int64"), name="two labels for three rows")


def write(w):
    activations(w)
    bias(w)
    softmax(w)
