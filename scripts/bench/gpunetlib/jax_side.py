"""Times a training step in JAX, compiled with its state given up, in a process of its own. Prints one line of JSON.

    python -m gpunetlib.jax_side NET BATCH PRECISION STEPS
"""
import functools
import json
import sys
import time

import jax
import jax.numpy as jnp
from jax import lax

WARM_UP_STEPS = 5


class Weights:
    """Makes the weights of a net in the order in which it asks for them; afterwards gives the same ones again."""

    def __init__(self, dtype, given=None):
        self.dtype = dtype
        self.made = []
        self.given = None if given is None else iter(given)

    def __call__(self, shape, scale):
        if self.given is not None:
            return next(self.given)
        key = jax.random.PRNGKey(len(self.made))
        self.made.append((jax.random.normal(key, shape) * scale).astype(self.dtype))
        return self.made[-1]


def linear(w, x, units):
    inputs = x.shape[-1]
    return x @ w((inputs, units), inputs ** -0.5) + w((units,), 0)


def conv(w, x, filters, size=3, stride=1, padding="SAME", has_bias=True):
    inputs = x.shape[-1]
    y = lax.conv_general_dilated(x, w((size, size, inputs, filters), (2 / (size * size * inputs)) ** 0.5), (stride, stride),
                                 padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + w((filters,), 0)) if has_bias else y


def pool(x, size=2, stride=2, padding="VALID"):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), padding)


def classifier(w, x, hidden):
    x = x.reshape(x.shape[0], -1)
    for units in hidden:
        x = jax.nn.relu(linear(w, x, units))
    return linear(w, x, 1000)


def alexnet(w, x):
    x = pool(conv(w, pool(conv(w, x, 64, 11, 4, "VALID"), 3), 192, 5), 3)
    return classifier(w, pool(conv(w, conv(w, conv(w, x, 384), 256), 256), 3), [4096, 4096])


def overfeat(w, x):
    x = pool(conv(w, pool(conv(w, x, 96, 11, 4, "VALID")), 256, 5, 1, "VALID"))
    return classifier(w, pool(conv(w, conv(w, conv(w, x, 512), 1024), 1024)), [3072, 4096])


def vgg_a(w, x):
    for widths in ((64,), (128,), (256, 256), (512, 512), (512, 512)):
        for filters in widths:
            x = conv(w, x, filters)
        x = pool(x)
    return classifier(w, x, [4096, 4096])


def inception(w, x, one, three_in, three, five_in, five, pooled):
    return jnp.concatenate([conv(w, x, one, 1), conv(w, conv(w, x, three_in, 1), three),
                            conv(w, conv(w, x, five_in, 1), five, 5),
                            conv(w, pool(x, 3, 1, "SAME"), pooled, 1)], 3)


def googlenet(w, x):
    x = conv(w, conv(w, pool(conv(w, x, 64, 7, 2), 3, 2, "SAME"), 64, 1), 192)
    stages = (((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)),
              ((192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64),
               (112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128)),
              ((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)))
    for stage in stages:
        x = pool(x, 3, 2, "SAME")
        for widths in stage:
            x = inception(w, x, *widths)
    return linear(w, x.mean((1, 2)), 1000)


def norm_conv(w, x, filters, size=1, stride=1):
    y = conv(w, x, filters, size, stride, has_bias=False).astype(jnp.float32)
    mean, variance = y.mean((0, 1, 2)), y.var((0, 1, 2))
    y = (y - mean) * lax.rsqrt(variance + 1e-5) * (1 + w((filters,), 0)) + w((filters,), 0)
    return y.astype(x.dtype)


def bottleneck(w, x, width, stride, has_own):
    y = jax.nn.relu(norm_conv(w, x, width))
    y = norm_conv(w, jax.nn.relu(norm_conv(w, y, width, 3, stride)), 4 * width)
    return jax.nn.relu(y + (norm_conv(w, x, 4 * width, 1, stride) if has_own else x))


def resnet50(w, x):
    x = pool(jax.nn.relu(norm_conv(w, x, 64, 7, 2)), 3, 2, "SAME")
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for i in range(blocks):
            x = bottleneck(w, x, width, 2 if i == 0 and width > 64 else 1, i == 0)
    return linear(w, x.mean((1, 2)), 1000)


def mlp(w, x):
    return linear(w, jax.nn.relu(linear(w, x, 100)), 10)


def layer_norm(w, x):
    y = x.astype(jnp.float32)
    y = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)
    return (y * (1 + w(x.shape[-1:], 0)) + w(x.shape[-1:], 0)).astype(x.dtype)


def attention(w, x, heads=12):
    batch, length, width = x.shape
    q, k, v = (part.reshape(batch, length, heads, width // heads) for part in jnp.split(linear(w, x, 3 * width), 3, 2))
    mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    return linear(w, mixed.reshape(batch, length, width), width)


def gpt2(w, tokens):
    table = w((50257, 768), 0.02)
    x = table[tokens] + w((tokens.shape[1], 768), 0.02)
    for _ in range(12):
        x = x + attention(w, layer_norm(w, x))
        x = x + linear(w, jax.nn.gelu(linear(w, layer_norm(w, x), 4 * 768), approximate=True), 768)
    return (layer_norm(w, x) @ table.T).reshape(-1, 50257)


def lstm(w, tokens, width=650):
    x = w((10000, width), 0.05)[tokens]
    for _ in range(2):
        kernel, bias = w((2 * width, 4 * width), 0.05), w((4 * width,), 0)

        def cell(state, word, kernel=kernel, bias=bias):
            c, h = state
            i, f, g, o = jnp.split(jnp.concatenate([word, h], 1) @ kernel + bias, 4, 1)
            c = c * jax.nn.sigmoid(f) + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jnp.tanh(c) * jax.nn.sigmoid(o)
            return (c, h), h

        zero = jnp.zeros(x.shape[1:], x.dtype)
        _, x = lax.scan(cell, (zero, zero), x)
    return linear(w, x.reshape(-1, width), 10000)


SIDES = {"alexnet": 227, "overfeat": 231, "vgg_a": 224, "googlenet": 224, "resnet50": 224}


def data(name, batch, dtype):
    key = jax.random.PRNGKey(1)
    if name in SIDES:
        return (jax.random.uniform(key, (batch, SIDES[name], SIDES[name], 3), minval=-1).astype(dtype),
                jax.random.randint(key, (batch,), 0, 1000))
    if name == "mlp":
        return jax.random.uniform(key, (batch, 64), minval=-1).astype(dtype), jax.random.randint(key, (batch,), 0, 10)
    shape, words = ((batch, 1024), 50257) if name == "gpt2" else ((35, batch), 10000)
    return jax.random.randint(key, shape, 0, words), jax.random.randint(key, (shape[0] * shape[1],), 0, words)


def main(name, batch, precision, steps):
    dtype = jnp.bfloat16 if precision == "bfloat16" else jnp.float32
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if precision == "tf32" else "highest")
    net = globals()[name]
    x, labels = data(name, int(batch), dtype)

    def loss_of(weights):
        logits = net(Weights(dtype, weights), x).astype(jnp.float32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(weights, momenta):
        gradients = jax.grad(loss_of)(weights)
        momenta = [0.9 * m + g for m, g in zip(momenta, gradients)]
        return [w - 0.01 * m for w, m in zip(weights, momenta)], momenta

    made = Weights(dtype)
    net(made, x)
    weights, momenta = made.made, [jnp.zeros_like(w) for w in made.made]
    for _ in range(WARM_UP_STEPS):
        weights, momenta = step(weights, momenta)
    jax.block_until_ready(weights)
    start = time.perf_counter()
    for _ in range(int(steps)):
        weights, momenta = step(weights, momenta)
    jax.block_until_ready(weights)
    print(json.dumps({"ms": (time.perf_counter() - start) * 1e3 / int(steps), "version": jax.__version__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
