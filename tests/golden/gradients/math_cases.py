"""TensorFlow's gradients of ops, and the gradients of these.

A case has the format of golden cases (../FORMAT.md) with another meaning. Inputs: those of the op, the gradient dy of
its output, and, where TensorFlow has second derivatives, a tensor v for each gradient. Outputs: the gradients of the
floating-point inputs, then those of sum(v * gradient) with respect to these inputs and dy. An op that gives no gradient
gives zeros. Where TensorFlow's gradients are not the derivatives, definition_cases.py has the cases.
"""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library, op_def_registry

import golden
from golden import tensor

BOTH = ["float64", "complex128"]
RNG = np.random.RandomState(0)


def i32(*values):
    return np.array(values, np.int32)


def s32(value):
    return np.array(value, np.int32)


def draw(shape, dtype="float64", low=0.3, high=0.9):
    """Three digits are enough, and short."""
    values = np.round(RNG.uniform(low, high, shape), 3)
    if dtype.startswith("complex"):
        values = values + 1j * np.round(RNG.uniform(-0.4, 0.4, shape), 3)
    return tensor(values, dtype)


def is_float(t):
    return t.dtype.is_floating or t.dtype.is_complex


class Writer:
    def __init__(self):
        self.blocks = []
        self.count = 0

    def text(self):
        return f"# Written by generate.py with TensorFlow {tf.__version__}; see math_cases.py.\n\n" + "\n".join(self.blocks)

    def case(self, op, *inputs, **attrs):
        """Left out where it is not TensorFlow that decides; numbered, and drawn for, all the same."""
        with tf.Graph().as_default():
            block = self._make(op, inputs, attrs)
        if not by_definition(op, inputs):
            self.blocks.append(block)
        self.count += 1

    def _make(self, op, inputs, attrs):
        definition = op_def_registry.get(op)
        feeds, xs, arguments = {}, [], {}

        def hold(value):
            holder = tf.compat.v1.placeholder(golden._dtype(value), np.shape(value))
            feeds[holder] = value
            return holder
        for arg, given in zip(definition.input_arg, inputs):
            holders = [hold(v) for v in given] if isinstance(given, list) else hold(given)
            arguments[arg.name] = holders
            xs += holders if isinstance(given, list) else [holders]
        y = op_def_library.apply_op(op, **arguments, **attrs, **golden._defaults(definition, attrs))
        xs = [x for x in xs if is_float(x)]
        with tf.compat.v1.Session() as session:
            def extra(value):
                return hold(draw(value.shape, value.dtype.name, 0.5, 1.5))

            def gradients(of, by, weights):
                made = tf.gradients(of, by, grad_ys=weights)
                made = [tf.zeros_like(x) if g is None else tf.convert_to_tensor(g) for g, x in zip(made, by)]
                return made, session.run(made, feeds)
            dy = extra(session.run(y, feeds))
            first, outputs = gradients([y], xs, [dy])
            kept = dict(feeds)
            try:
                _, second = gradients(first, xs + [dy], [extra(g) for g in outputs])
                outputs = outputs + second
            except LookupError:  # no second derivative
                feeds = kept
        if op in OVER_ROWS:
            outputs = [np.where(np.isnan(v), 0, v).astype(v.dtype) for v in outputs]
        lines = [f"case {op} {self.count}"]
        lines += [f"attr {k}={golden._attr_text(v)}" for k, v in attrs.items()]
        lines += ["in " + golden._tensor_text(v) for v in feeds.values()]
        lines += ["out " + golden._tensor_text(v) for v in outputs]
        return "\n".join(lines) + "\n"


NOT_CONJUGATED = {"Cumprod", "EuclideanNorm", "MulNoNan", "Prod", "SegmentProd", "SquaredDifference",
                  "UnsortedSegmentProd", "Xdivy", "Xlog1py", "Xlogy"}
# They divide by the number of rows of each segment: NaN comes of what reaches one without rows, for 0.
OVER_ROWS = {"SegmentMax", "SegmentMean", "SegmentMin", "UnsortedSegmentMax", "UnsortedSegmentMin"}


def by_definition(op, inputs):
    x = np.asarray(inputs[0])
    return op in NOT_CONJUGATED and (x.dtype.kind == "c" or not np.all(x))


def unary(w):
    for op in ("Square Sqrt Rsqrt Reciprocal Inv Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh "
               "Acosh Atanh Sigmoid Neg").split():
        for dtype in BOTH:
            low, high = (1.2, 2.5) if op == "Acosh" else (0.2, 0.8)
            w.case(op, draw(3, dtype, low, high))
    for op in ["Abs", "Erf", "Erfc", "Lgamma", "Digamma"]:
        w.case(op, draw(3))
    for op in ["Real", "Imag", "ComplexAbs", "Angle"]:
        w.case(op, draw(3, "complex128"), Tout=tf.float64)
    w.case("ComplexAbs", tensor([0, 3 + 4j], "complex128"), Tout=tf.float64)
    w.case("Conj", draw(3, "complex128"))
    w.case("L2Loss", draw((2, 3)))
    w.case("Cast", draw(3), DstT=tf.complex128)
    w.case("Cast", draw(3, "complex128"), DstT=tf.float64)


def binary(w):
    for op in ("Add AddV2 Sub Mul Div RealDiv DivNoNan MulNoNan SquaredDifference Pow Xlogy Xlog1py Xdivy SigmoidGrad "
               "TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad").split():
        for dtype in BOTH:
            w.case(op, draw(3, dtype), draw(3, dtype))
            if not op.endswith("Grad"):
                w.case(op, draw((2, 1), dtype), draw(3, dtype))
    for op in ["Maximum", "Minimum", "Atan2", "FloorMod", "NextAfter"]:
        w.case(op, draw(3), draw(3))
        w.case(op, draw((2, 1)), draw(3))
    w.case("Maximum", tensor([1, 2], "float64"), tensor([1, 3], "float64"))
    w.case("DivNoNan", tensor([1, 2], "float64"), tensor([0, 3], "float64"))
    w.case("Complex", draw((2, 1)), draw(3), Tout=tf.complex128)
    w.case("Polygamma", tensor([1, 2, 3], "float64"), draw(3))
    w.case("Zeta", draw((2, 1), "float64", 1.5, 3), draw(3))
    w.case("Betainc", draw(3), draw(3), draw(3))
    w.case("AddN", [draw(3), draw(3)])
    w.case("ClipByValue", draw(6, "float64", 0, 1), tensor(0.3, "float64"), tensor(0.6, "float64"))
    w.case("Select", np.array([True, False]), draw((2, 2)), draw((2, 2)))
    w.case("SelectV2", np.array([True, False, True]), draw((2, 3)), draw(3))


def reductions(w):
    for dtype in BOTH:
        for op in ["Sum", "Mean", "Prod", "EuclideanNorm"]:
            w.case(op, draw((2, 3, 2), dtype), i32(0, 2))
            w.case(op, draw((2, 3), dtype), i32(1), keep_dims=True)
        for op in ["Cumsum", "Cumprod"]:
            w.case(op, draw((2, 3), dtype), s32(1))
            w.case(op, draw((2, 3), dtype), s32(0), exclusive=True, reverse=True)
    for op in ["Max", "Min"]:
        w.case(op, draw((2, 3, 2)), i32(0, 2))
        w.case(op, tensor([[1, 2, 2], [3, 3, 3]], "float64"), i32(1))
    w.case("Prod", tensor([2, 0, 3], "float64"), i32(0))
    w.case("Cumprod", tensor([2, 0, 3, 4], "float64"), s32(0))


def segments(w):
    ids, unsorted = i32(0, 0, 1, 3, 3), i32(2, 0, -1, 2, 0)
    for dtype in BOTH:
        for op in ["SegmentSum", "SegmentMean", "SegmentProd"]:
            w.case(op, draw((5, 2), dtype), ids)
        for op in ["UnsortedSegmentSum", "UnsortedSegmentProd"]:
            w.case(op, draw((5, 2), dtype), unsorted, s32(4))
    for op in ["SegmentMax", "SegmentMin"]:
        w.case(op, draw((5, 2)), ids)
        w.case(op, tensor([1, 1, 2, 3, 3], "float64"), ids)
    w.case("SegmentProd", tensor([1, 0, 2, 0, 0], "float64"), ids)
    for op in ["UnsortedSegmentMax", "UnsortedSegmentMin"]:
        w.case(op, draw((5, 2)), unsorted, s32(4))
    indices, ids = i32(3, 0, 3, 1, 0), i32(0, 0, 1, 1, 2)
    for norm in ["Sum", "Mean", "SqrtN"]:
        w.case("SparseSegment" + norm, draw((4, 2)), indices, ids)
        w.case("SparseSegment" + norm, draw((4, 2)), indices, ids, sparse_gradient=True)
        w.case(f"SparseSegment{norm}WithNumSegments", draw((4, 2)), indices, ids, s32(5))
    w.case("UnsortedSegmentSum", draw((3, 2)), np.array([1, -1, 0], np.int16), s32(2))


def fourier(w):
    """TensorFlow has none of RFFT3D and IRFFT3D, nor where fft_length is less than the input has."""
    for op, shape in [("FFT", (2, 5)), ("FFT2D", (2, 3, 2)), ("FFT3D", (2, 1, 3))]:
        for prefix in ["", "I"]:
            w.case(prefix + op, draw(shape, "complex128"))
    for n in [4, 5]:
        w.case("RFFT", draw((2, n)), i32(n), Tcomplex=tf.complex128)
        w.case("IRFFT", draw((2, n // 2 + 1), "complex128"), i32(n), Treal=tf.float64)
        w.case("RFFT2D", draw((3, n)), i32(3, n), Tcomplex=tf.complex128)
        w.case("IRFFT2D", draw((3, n // 2 + 1), "complex128"), i32(3, n), Treal=tf.float64)


def write(w):
    for family in [unary, binary, reductions, segments, fourier]:
        family(w)
