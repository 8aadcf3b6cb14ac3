"""Bias, activations, softmax and its losses."""
from elementwise_cases import INF, NAN, REAL, numbers, unary
from golden import FLOATS, tensor


def activations(w):
    for op in ["Relu", "Relu6"]:
        unary(w, op, REAL)
    for op in ["Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"]:
        unary(w, op, FLOATS, ulps=4)
        for dtype in ["float32", "float64"]:  # where exponentials vanish or are all there is
            x = tensor([1e-8, 1e-4, -20, 20, -100, 100, -800, 800], dtype)
            if op not in ("Elu", "Selu"):  # where TensorFlow's exp(x) - 1 loses what expm1 keeps
                x = tensor([-1e-8, -1e-4] + list(x), dtype)
            w.case(op, x, name=f"{dtype} tiny and large", ulps=4)
    for alpha in [0.5, 0.0, 1.5, -0.5]:
        w.case("LeakyRelu", numbers("float32", (7,), 1), name=f"alpha {alpha}", alpha=alpha)
        w.case("LeakyReluGrad", numbers("float32", (7,), 1), numbers("float32", (7,), 2), name=f"alpha {alpha}",
               alpha=alpha)


def activation_gradients(w):
    dy = [1, 1, 1, 1, 1, INF, -INF, NAN, 0, 2, 3, -2, 0.5, 0.25, 4]
    x = [0, -0.0, INF, -INF, NAN, 1, -1, 1, NAN, 6, 6.5, 1e-8, -1e-8, 30, -30]
    for op in ["ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"]:
        for dtype in REAL if op in ("ReluGrad", "Relu6Grad") else FLOATS:
            w.case(op, numbers(dtype, (2, 7), 1), numbers(dtype, (2, 7), 2, -8, 8), ulps=4)
        for dtype in ["float32", "float64"]:
            w.case(op, tensor(dy, dtype), tensor(x, dtype), name=f"{dtype} special values", ulps=4)
        for shape in [(), (0, 2), (1, 2, 1, 2, 1)]:
            w.case(op, numbers("float32", shape, 3), numbers("float32", shape, 4), ulps=4)
        w.case(op, numbers("float32", (2, 3), 3), numbers("float32", (3, 2), 4), name="shapes differ")
        w.case(op, numbers("float32", (4,), 3), numbers("float32", (2, 2), 4), name="ranks differ")


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
    special = tensor([[1, 2, -INF], [0, 0, 0], [100, -100, 88], [NAN, 1, 2], [INF, 1, 2], [-INF, -INF, -INF]])
    for dtype in FLOATS:
        w.case("Softmax", numbers(dtype, (4, 5), 1), ulps=8)
    for shape in [(7,), (2, 3, 4), (3, 1), (0, 4), (1, 2, 1, 3, 2), (2, 0), (3, 33)]:
        for dtype in ["float32", "float64"]:  # in 16 bits TensorFlow rounds after each operation
            w.case("LogSoftmax", numbers(dtype, shape, 3), ulps=8)
        w.case("Softmax", numbers("float32", shape, 3), ulps=8)
    for op in ["Softmax", "LogSoftmax"]:
        w.case(op, special.astype("float64"), name="special values", ulps=8)
        w.case(op, tensor([[1e4, -1e4, 0], [1e-8, 0, -1e-8]]), name="large and tiny", ulps=8)
        w.case(op, tensor(1.0), name="a scalar")
    cross_entropy(w)
    sparse_cross_entropy(w)


def cross_entropy(w):
    op = "SoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        labels = tensor([[.5, .25, .25, 0, 0], [0, 0, 0, 1, 0], [.75, 0, .25, 0, 0], [0, .5, 0, 0, .5]], dtype)
        w.case(op, numbers(dtype, (4, 5), 1), labels, ulps=64)
    for dtype in ["float32", "float64"]:
        logits = numbers(dtype, (3, 4), 1)
        for name, shape in [("one row of labels", (1, 4)), ("a label a row", (3, 1)), ("one label", (1, 1))]:
            w.case(op, logits, numbers(dtype, shape, 2, 0, 1), name=f"{dtype} {name}", ulps=16)
        w.case(op, logits[:1], numbers(dtype, (3, 4), 2, 0, 1), name=f"{dtype} one row of logits", ulps=16)
        w.case(op, logits[:1], numbers(dtype, (3, 1), 2, 0, 1), name=f"{dtype} both repeat", ulps=16)
    logits = numbers("float32", (3, 4), 1)
    w.case(op, logits[:0], logits[:0], name="no rows")
    w.case(op, logits, numbers("float32", (2, 4), 2), name="rows differ")
    w.case(op, logits, numbers("float32", (3, 3), 2), name="classes differ")
    w.case(op, logits[0], logits[0], name="vectors")
    for dtype in ["float32", "float64"]:
        logits = numbers(dtype, (3, 4), 1)
        w.case(op, logits, numbers(dtype, (4,), 2, 0, 1), name=f"{dtype} a vector of labels", ulps=16)
        w.case(op, logits[0], numbers(dtype, (3, 4), 2, 0, 1), name=f"{dtype} a vector of logits", ulps=16)
        w.case(op, logits, numbers(dtype, (), 2, 0, 1), name=f"{dtype} a scalar label", ulps=16)
    w.case(op, logits, numbers("float64", (1, 3, 4), 2), name="rank 3")


def sparse_cross_entropy(w):
    op = "SparseSoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        for index in ["int32", "int64"]:
            w.case(op, numbers(dtype, (4, 5), 1), tensor([0, 4, 2, 2], index), ulps=16)
    logits = numbers("float32", (3, 4), 1)
    for bad in [4, -1]:
        w.case(op, logits, tensor([0, bad, 1], "int64"), name=f"label {bad}")
    w.case(op, logits, tensor([0, 1], "int64"), name="two labels for three rows")
    w.case(op, logits, tensor([[0, 1, 2]], "int64"), name="a matrix of labels")
    w.case(op, logits[0], tensor([0], "int64"), name="a vector of logits")
    w.case(op, logits[:0], tensor([], "int64"), name="no rows")
    w.case(op, numbers("float64", (2, 1), 1), tensor([0, 0], "int32"), name="one class", ulps=16)
    w.case(op, tensor([[1e4, 0], [0, 1e4]]), tensor([0, 0], "int32"), name="certain", ulps=16)


def write(w):
    activations(w)
    activation_gradients(w)
    bias(w)
    softmax(w)
