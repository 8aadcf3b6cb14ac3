"""dfrun's own attention: other ops of TensorFlow in float64 say what must come out."""
import numpy as np
import tensorflow as tf

from elementwise_cases import numbers
from golden import FLOATS, tensor
from norm_cases import of_tensorflow


def attention(q, k, v, scale, causal):
    """The output, and the logarithms of the sums."""
    scores = tf.matmul(q, k, transpose_b=True) * (scale or 1 / np.sqrt(q.shape[-1]))
    if causal:
        sees = np.tril(np.ones((q.shape[2], k.shape[2])))
        scores = tf.where(sees > 0, scores, tf.constant(-np.inf, tf.float64))
    return tf.matmul(tf.nn.softmax(scores), v), tf.reduce_logsumexp(scores, -1)


def case(w, dtype, pairs, queries, keys, depth, value_depth, scale=0.0, causal=False, name=""):
    q = numbers(dtype, (*pairs, queries, depth), 1, 0.25, 3)  # logarithms near 0 lose bits
    k = numbers(dtype, (*pairs, keys, depth), 2, 0.25, 2)
    v = numbers(dtype, (*pairs, keys, value_depth), 3, 0.5, 4)
    wide = "float64" if dtype == "float64" else "float32"
    attrs = {"scale": scale, "causal": causal, "U": tf.as_dtype(wide)}
    exact = float(np.float32(scale))
    output, log_sums = of_tensorflow(lambda *x: attention(*x, exact, causal), q, k, v)
    outputs = [np.asarray(output).astype(q.dtype), np.asarray(log_sums).astype(wide)]
    name = f"{dtype} {queries}x{keys}x{depth} {name}"
    ulps = 64 if dtype == "float64" else 8
    w.case("ScaledDotProductAttention", q, k, v, outputs=outputs, ulps=ulps, name=name, **attrs)
    if dtype not in ("float32", "float64"):
        return  # differences of the products of rounded numbers
    dy = numbers(dtype, output.shape, 4, 0.5, 2)

    def slopes(q, k, v, dy):
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            y, _ = attention(q, k, v, exact, causal)
        return tape.gradient(y, [q, k, v], dy)
    grads = [np.asarray(g).astype(q.dtype) for g in of_tensorflow(slopes, q, k, v, dy)]
    if all(np.all(abs(g) > 1e-3 * np.max(abs(g), initial=0)) for g in grads):  # else bits are lost as terms cancel
        w.case("ScaledDotProductAttentionGrad", dy, q, k, v, *outputs, outputs=grads, ulps=1 << 15, name=name, **attrs)


def sizes(w):
    for dtype in FLOATS:
        for causal in [False, True]:
            name = "causal" if causal else ""
            case(w, dtype, (2, 2), 3, 3, 4, 4, causal=causal, name=name)
            case(w, dtype, (1, 2), 5, 3, 2, 3, causal=causal, name=name)
            case(w, dtype, (1, 1), 2, 7, 3, 1, causal=causal, scale=0.75, name=name)
        case(w, dtype, (1, 1), 1, 1, 1, 1)
        case(w, dtype, (0, 2), 3, 2, 4, 4, name="no batch")
        case(w, dtype, (1, 2), 0, 2, 4, 4, name="no queries")
    # More than one block of queries and of keys.
    case(w, "float32", (1, 1), 70, 150, 2, 2, name="blocks")
    case(w, "float32", (1, 1), 140, 140, 1, 2, causal=True, name="causal blocks")


def errors(w):
    def of(*shapes, dtype="float32"):
        return [numbers(dtype, shape, i) for i, shape in enumerate(shapes)]
    good = (1, 2, 3, 4)
    for i, shapes in enumerate([((2, 3, 4), good, good), (good, (1, 2, 3, 5), good), (good, good, (1, 2, 4, 4)),
                                ((2, 2, 3, 4), good, good), (good, (1, 1, 3, 4), good)]):
        w.case("ScaledDotProductAttention", *of(*shapes), outputs="error", name=f"wrong {i}")
    for i, shapes in enumerate([((1, 2, 4, 4), good, good, good, good, (1, 2, 3)),
                                (good, good, good, good, (1, 2, 3, 5), (1, 2, 3)), (good, good, good, good, good, (2, 3))]):
        w.case("ScaledDotProductAttentionGrad", *of(*shapes), outputs="error", name=f"wrong {i}")
    nan = tensor([[[[1, 2], [np.nan, 1]]]])
    one = tensor([[[[1, 2], [1, 1]]]])
    output, log_sums = of_tensorflow(lambda *x: attention(*x, 0, False), nan, one, one)
    w.case("ScaledDotProductAttention", nan, one, one, name="NaN", ulps=8,
           outputs=[np.asarray(output).astype(np.float32), np.asarray(log_sums).astype(np.float32)])


def write(w):
    sizes(w)
    errors(w)
