"""Training steps with TensorFlow's own gradients and ref variables: one optimiser update on one fixed batch."""
import numpy
import tensorflow.compat.v1 as tf

from peerlib.model import Model


class Builder:
    """A TensorFlow 1 graph in the making. Initial values and data are constants, so that both systems get the same."""

    def __init__(self):
        self.graph = tf.Graph()
        self.random = numpy.random.Generator(numpy.random.PCG64(7))

    def weights(self, name, shape, fan_in):
        limit = (6.0 / fan_in) ** 0.5
        return self.variable(name, self.random.uniform(-limit, limit, shape))

    def variable(self, name, value):
        return tf.get_variable(name, initializer=tf.constant(value, tf.float32), use_resource=False)

    def bias(self, name, size):
        return self.variable(name, numpy.zeros(size))

    def data(self, name, shape):
        return tf.constant(self.random.uniform(0, 1, shape), tf.float32, name=name)

    def labels(self, count, classes):
        return tf.constant(self.random.integers(0, classes, count), tf.int64, name="labels")

    def dense(self, x, name, inputs, units):
        return tf.nn.bias_add(tf.matmul(x, self.weights(name + "_W", [inputs, units], inputs)),
                              self.bias(name + "_b", units))

    def conv2d(self, x, name, channels, filters):
        kernel = self.weights(name + "_W", [3, 3, channels, filters], 9 * channels)
        conv = tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(conv, self.bias(name + "_b", filters)))

    def finish(self, logits, labels, optimizer, torch=None):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)
        return self.minimize(tf.reduce_mean(losses, name="loss"), optimizer, torch)

    def minimize(self, loss, optimizer, torch=None):
        optimizer.minimize(loss, name="step")
        tf.group(tf.global_variables_initializer(), name="init")
        return Model(graph=self.graph.as_graph_def(), target="step", init="init", loss="loss:0", optimize=True,
                     torch=torch)


def max_pool(x):
    return tf.nn.max_pool2d(x, ksize=2, strides=2, padding="SAME")


def small_mlp():
    """64-100-10, batch 32, plain gradient descent."""
    b = Builder()
    with b.graph.as_default():
        hidden = tf.nn.relu(b.dense(b.data("x", [32, 64]), "h1", 64, 100))
        return b.finish(b.dense(hidden, "logits", 100, 10), b.labels(32, 10), tf.train.GradientDescentOptimizer(0.1))


def digits_cnn():
    """The network and the optimiser of configs/digits_cnn.yaml, its whole batch in one replica."""
    b = Builder()
    with b.graph.as_default():
        image = tf.reshape(b.data("x", [32, 64]), [-1, 8, 8, 1])
        pool1 = max_pool(b.conv2d(image, "conv1", 1, 32))
        pool2 = max_pool(b.conv2d(pool1, "conv2", 32, 64))
        logits = b.dense(tf.reshape(pool2, [-1, 2 * 2 * 64]), "logits", 2 * 2 * 64, 10)
        return b.finish(logits, b.labels(32, 10), tf.train.MomentumOptimizer(0.05, 0.9))


def mlp():
    """64-1024-1024-10, batch 128, plain gradient descent."""
    b = Builder()
    with b.graph.as_default():
        hidden = tf.nn.relu(b.dense(b.data("x", [128, 64]), "h1", 64, 1024))
        hidden = tf.nn.relu(b.dense(hidden, "h2", 1024, 1024))
        return b.finish(b.dense(hidden, "logits", 1024, 10), b.labels(128, 10), tf.train.GradientDescentOptimizer(0.01),
                        torch="mlp")


def cnn():
    """Three 3x3 convolutions to 64, 64 and 128 channels on 32x32 images of 3, a pool after each; batch 64."""
    b = Builder()
    with b.graph.as_default():
        image = b.data("x", [64, 32, 32, 3])
        for name, channels, filters in (("conv1", 3, 64), ("conv2", 64, 64), ("conv3", 64, 128)):
            image = max_pool(b.conv2d(image, name, channels, filters))
        logits = b.dense(tf.reshape(image, [64, 4 * 4 * 128]), "logits", 4 * 4 * 128, 10)
        return b.finish(logits, b.labels(64, 10), tf.train.GradientDescentOptimizer(0.01), torch="cnn")


def lstm(batch=32, steps=20, units=256, words=1000):
    """An LSTM cell by its definition, unrolled, between an embedding and a softmax over the words."""
    b = Builder()
    with b.graph.as_default():
        text = tf.constant(b.random.integers(0, words, (batch, steps + 1)), tf.int32)
        embedded = tf.nn.embedding_lookup(b.weights("embedding", [words, units], 6), text[:, :-1])
        kernel = b.weights("kernel", [2 * units, 4 * units], 2 * units)
        bias = b.bias("bias", 4 * units)
        state = h = tf.zeros([batch, units])
        outputs = []
        for x in tf.unstack(embedded, axis=1):
            i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias), 4, axis=1)
            state = tf.sigmoid(f) * state + tf.sigmoid(i) * tf.tanh(j)
            h = tf.sigmoid(o) * tf.tanh(state)
            outputs.append(h)
        logits = b.dense(tf.reshape(tf.stack(outputs, axis=1), [-1, units]), "softmax", units, words)
        labels = tf.reshape(text[:, 1:], [-1])
        return b.finish(logits, labels, tf.train.GradientDescentOptimizer(0.1), torch="lstm")


def gru(batch=32, steps=20, units=128, words=1000):
    """Two layers of GRU cells by their definition, unrolled, between an embedding and a softmax over the words."""
    b = Builder()
    with b.graph.as_default():
        text = tf.constant(b.random.integers(0, words, (batch, steps + 1)), tf.int32)
        outputs = tf.unstack(tf.nn.embedding_lookup(b.weights("embedding", [words, units], 6), text[:, :-1]), axis=1)
        for layer in ("gru1", "gru2"):
            gates = b.weights(layer + "_gates", [2 * units, 2 * units], 2 * units)
            gates_bias = b.bias(layer + "_gates_bias", 2 * units)
            candidate = b.weights(layer + "_candidate", [2 * units, units], 2 * units)
            candidate_bias = b.bias(layer + "_candidate_bias", units)
            h = tf.zeros([batch, units])
            for t, x in enumerate(outputs):
                r, z = tf.split(tf.sigmoid(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), gates), gates_bias)), 2, axis=1)
                c = tf.tanh(tf.nn.bias_add(tf.matmul(tf.concat([x, r * h], 1), candidate), candidate_bias))
                outputs[t] = h = z * h + (1 - z) * c
        logits = b.dense(tf.reshape(tf.stack(outputs, axis=1), [-1, units]), "softmax", units, words)
        return b.finish(logits, tf.reshape(text[:, 1:], [-1]), tf.train.AdamOptimizer(0.001))


def transformer(batch=8, length=64, units=128, heads=4):
    """A transformer block: attention of several heads, layer norms, a Gelu between two products; Adam."""
    b = Builder()

    def norm(x, name):
        mean, variance = tf.nn.moments(x, [2], keepdims=True)
        scale, shift = b.variable(name + "_scale", numpy.ones(units)), b.bias(name + "_shift", units)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5) * scale + shift

    def project(x, name, inputs, outputs):
        return tf.reshape(b.dense(tf.reshape(x, [-1, inputs]), name, inputs, outputs), [batch, length, outputs])

    def split_heads(x):
        return tf.transpose(tf.reshape(x, [batch, length, heads, units // heads]), [0, 2, 1, 3])

    with b.graph.as_default():
        x = b.data("x", [batch, length, units])
        normed = norm(x, "norm1")
        q, k, v = (split_heads(project(normed, name, units, units)) for name in ("q", "k", "v"))
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (units // heads) ** -0.5)
        attended = tf.reshape(tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3]), [batch, length, units])
        x = x + project(attended, "attended", units, units)
        up = project(norm(x, "norm2"), "up", units, 4 * units)
        gelu = 0.5 * up * (1 + tf.tanh(0.7978845608 * (up + 0.044715 * up * up * up)))
        x = x + project(gelu, "down", 4 * units, units)
        logits = b.dense(tf.reshape(x, [-1, units]), "logits", units, 10)
        return b.finish(logits, b.labels(batch * length, 10), tf.train.AdamOptimizer(0.001))


def residual():
    """A stem and two residual blocks with batch normalisation on 32x32 images; momentum."""
    b = Builder()

    def conv(x, name, channels, filters):
        kernel = b.weights(name + "_W", [3, 3, channels, filters], 9 * channels)
        y = tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME")
        scale, shift = b.variable(name + "_scale", numpy.ones(filters)), b.bias(name + "_shift", filters)
        return tf.nn.fused_batch_norm(y, scale, shift, is_training=True)[0]

    with b.graph.as_default():
        x = tf.nn.relu(conv(b.data("x", [32, 32, 32, 3]), "stem", 3, 32))
        for block in ("block1", "block2"):
            y = tf.nn.relu(conv(x, block + "_1", 32, 32))
            x = tf.nn.relu(x + conv(y, block + "_2", 32, 32))
        logits = b.dense(tf.reduce_mean(x, [1, 2]), "logits", 32, 10)
        return b.finish(logits, b.labels(32, 10), tf.train.MomentumOptimizer(0.05, 0.9))


def depthwise():
    """Depthwise separable convolutions on 32x32 images; momentum."""
    b = Builder()

    def separable(x, name, channels, filters):
        depth = tf.nn.depthwise_conv2d(x, b.weights(name + "_D", [3, 3, channels, 1], 9), strides=[1, 1, 1, 1],
                                       padding="SAME")
        point = tf.nn.conv2d(depth, b.weights(name + "_P", [1, 1, channels, filters], channels), strides=[1, 1, 1, 1],
                             padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(point, b.bias(name + "_b", filters)))

    with b.graph.as_default():
        x = b.conv2d(b.data("x", [32, 32, 32, 3]), "stem", 3, 32)
        x = max_pool(separable(x, "s1", 32, 64))
        x = max_pool(separable(x, "s2", 64, 128))
        x = separable(x, "s3", 128, 128)
        logits = b.dense(tf.reduce_mean(x, [1, 2]), "logits", 128, 10)
        return b.finish(logits, b.labels(32, 10), tf.train.MomentumOptimizer(0.05, 0.9))


def embeddings(batch=256, words=50_000, units=64, width=16):
    """Bags of words of a large table, whose gradient is sparse; Adagrad."""
    b = Builder()
    with b.graph.as_default():
        text = tf.constant(b.random.integers(0, words, (batch, width)), tf.int32)
        bags = tf.reduce_mean(tf.nn.embedding_lookup(b.weights("table", [words, units], 6), text), axis=1)
        hidden = tf.nn.relu(b.dense(bags, "h1", units, 128))
        return b.finish(b.dense(hidden, "logits", 128, 10), b.labels(batch, 10), tf.train.AdagradOptimizer(0.05))


def autoencoder():
    """784-512-64-512-784 of sigmoids, squared error, batch 128; Adam."""
    b = Builder()
    with b.graph.as_default():
        x = y = b.data("x", [128, 784])
        sizes = [784, 512, 64, 512, 784]
        for i, (inputs, units) in enumerate(zip(sizes, sizes[1:])):
            y = tf.sigmoid(b.dense(y, f"h{i}", inputs, units))
        return b.minimize(tf.reduce_mean(tf.square(y - x), name="loss"), tf.train.AdamOptimizer(0.001))
