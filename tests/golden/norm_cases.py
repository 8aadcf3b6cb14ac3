"""dfrun's own LayerNorm and Gelu: other ops of TensorFlow in float64 say what must come out."""
import numpy as np
import tensorflow as tf

from elementwise_cases import INF, numbers
from golden import FLOATS, tensor


def of_tensorflow(function, *inputs):
    """function of the inputs, computed in float64."""
    wide = [tf.constant(np.asarray(x).astype(np.float64)) for x in inputs]
    return function(*wide)


def rounded(values, like):
    return [np.asarray(v).astype(np.asarray(like).dtype) for v in values]


def gelu(x, approximate):
    if approximate:  # 1 + tanh(u) = 2 sigmoid(2 u)
        return x * tf.sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x * x * x))
    return 0.5 * x * tf.math.erfc(-x / tf.sqrt(tf.constant(2.0, tf.float64)))  # without cancellation below 0


def gelus(w):
    for dtype in FLOATS:
        # Far from 0 the functions are steep: they multiply the rounding of their arguments, in TensorFlow too.
        ulps = 64 if dtype == "float64" else 8
        for approximate in [False, True]:
            name = f"{dtype} {'tanh' if approximate else 'exact'}"

            def value(x):
                return gelu(x, approximate)

            def slope(dy, x):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = value(x)
                return dy * tape.gradient(y, x)
            for i, x in enumerate([numbers(dtype, (3, 5), 1, -4, 4), numbers(dtype, (), 2), numbers(dtype, (0, 2), 3),
                                   tensor([0, 9, 15, INF], dtype)]):
                w.case("Gelu", x, outputs=rounded([of_tensorflow(value, x)], x), ulps=ulps, name=f"{name} {i}",
                       approximate=approximate)
            for i, shape in enumerate([(2, 5), (), (0, 2), (7,)]):
                dy, x = numbers(dtype, shape, 4), numbers(dtype, shape, 5, 0, 4)
                w.case("GeluGrad", dy, x, outputs=rounded([of_tensorflow(slope, dy, x)], x), ulps=4 * ulps,
                       name=f"{name} {i}",
                       approximate=approximate)
    w.case("GeluGrad", numbers("float32", (2,), 1), numbers("float32", (3,), 1), outputs="error", name="sizes differ")


def layer_norm(x, scale, offset, axis, epsilon):
    axes = list(range(axis % len(x.shape), len(x.shape)))
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    return (x - mean) / tf.sqrt(variance + epsilon) * scale + offset


def norms(w):
    for dtype in FLOATS:
        # Results near 0 lose bits as their terms cancel; in float64 TensorFlow's lose them too.
        ulps = 1024 if dtype == "float64" else 256
        for shape, axis in [((3, 5), -1), ((2, 3, 4), 1), ((2, 3), 0), ((1, 1), -1), ((0, 3), -1), ((17,), 0),
                            ((2, 1, 2, 1, 3), -2)]:
            for epsilon in [0.001, 1.0]:
                part = shape[axis:]
                x, dy = numbers(dtype, shape, 1), numbers(dtype, shape, 2, 0.5, 2)
                scale, offset = numbers(dtype, part, 3, 0.5, 2), numbers(dtype, part, 4, 8, 9)
                e = float(np.float32(epsilon))

                def value(x, scale, offset):
                    return layer_norm(x, scale, offset, axis, e)

                def slopes(dy, x, scale):
                    offset = tf.zeros_like(scale)
                    with tf.GradientTape() as tape:
                        tape.watch([x, scale, offset])
                        y = value(x, scale, offset)
                    return tape.gradient(y, [x, scale, offset], dy)
                name = f"{dtype} {shape} {axis} {epsilon}"
                w.case("LayerNorm", x, scale, offset, outputs=rounded([of_tensorflow(value, x, scale, offset)], x),
                       ulps=4, name=name, axis=axis, epsilon=epsilon)
                if dtype in ("float32", "float64"):
                    w.case("LayerNormGrad", dy, x, scale, outputs=rounded(of_tensorflow(slopes, dy, x, scale), x),
                           ulps=ulps, name=name, axis=axis, epsilon=epsilon)
    x = numbers("float32", (2, 3), 1)
    for i, (scale, offset, axis) in enumerate([((2,), (3,), -1), ((3,), (1,), -1), ((2, 3), (3,), -2), ((3,), (3,), 2),
                                               ((3,), (3,), -3)]):
        w.case("LayerNorm", x, numbers("float32", scale, 1), numbers("float32", offset, 1), outputs="error", axis=axis,
               name=f"wrong {i}")
    w.case("LayerNorm", numbers("float32", (), 1), numbers("float32", (), 1), numbers("float32", (), 1), outputs="error",
           name="a scalar")
    w.case("LayerNormGrad", x, x[:1], x[0], outputs="error", name="sizes differ")


def write(w):
    gelus(w)
    norms(w)
