"""Ten small models as TensorFlow 1 code writes them. Each returns (loss, output); data come from the graph itself."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow import nn as nn_v2


class Maker:
    """Variables with seeded initialisers and fixed data, so that a graph holds few bytes."""

    def __init__(self):
        self.rng = np.random.RandomState(3)
        self.seed = 100

    def next_seed(self):
        self.seed += 1
        return self.seed

    def weights(self, name, shape, scale=0.3):
        return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=scale, seed=self.next_seed()))

    def bias(self, name, size):
        return tf.get_variable(name, [size], initializer=tf.zeros_initializer())

    def data(self, *shape):
        """A batch that is the same in every step."""
        return tf.constant(self.rng.uniform(-1, 1, shape).astype("f"))

    def labels(self, count, classes, dtype=tf.int64):
        return tf.constant(self.rng.randint(0, classes, count), dtype)

    def dense(self, x, name, inputs, units):
        return tf.nn.bias_add(tf.matmul(x, self.weights(name + "/kernel", [inputs, units])), self.bias(name + "/bias", units))


def mlp(m):
    """Dropout, weight decay and one-hot labels; each step takes another part of the data."""
    x, labels = m.data(48, 12), m.labels(48, 5, tf.int32)
    first = tf.cast(tf.mod(tf.train.get_or_create_global_step(), 4), tf.int32) * 12
    x = tf.reshape(tf.slice(x, tf.stack([first, 0]), [12, -1]), [12, 12])
    labels = tf.strided_slice(labels, [first], [first + 12])
    hidden = tf.nn.relu(m.dense(x, "h1", 12, 16))
    hidden = tf.nn.dropout(tf.tanh(m.dense(hidden, "h2", 16, 8)), rate=0.2, seed=5)
    logits = m.dense(hidden, "logits", 8, 5)
    losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(labels, 5), logits=logits)
    decay = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name])
    return tf.reduce_mean(losses) + 1e-3 * decay, tf.nn.softmax(logits)


def lenet(m):
    image = m.data(4, 12, 12, 1)
    conv1 = tf.nn.conv2d(image, m.weights("conv1/kernel", [5, 5, 1, 4]), strides=[1, 1, 1, 1], padding="SAME")
    pool1 = tf.nn.max_pool(tf.nn.relu(tf.nn.bias_add(conv1, m.bias("conv1/bias", 4))), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    conv2 = tf.nn.conv2d(pool1, m.weights("conv2/kernel", [3, 3, 4, 6]), strides=[1, 1, 1, 1], padding="VALID")
    pool2 = tf.nn.avg_pool(tf.nn.relu(tf.nn.bias_add(conv2, m.bias("conv2/bias", 6))), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    flat = tf.reshape(pool2, [tf.shape(pool2)[0], -1])
    hidden = tf.nn.relu(m.dense(tf.reshape(flat, [4, 24]), "fc1", 24, 10))
    logits = m.dense(hidden, "fc2", 10, 4)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=m.labels(4, 4), logits=logits)
    return tf.reduce_mean(losses), tf.nn.log_softmax(logits)


def batch_norm(m, x, name, channels, updates):
    scale = tf.get_variable(name + "/gamma", [channels], initializer=tf.ones_initializer())
    y, mean, variance = tf.nn.fused_batch_norm(x, scale, m.bias(name + "/beta", channels), epsilon=1e-3, is_training=True)
    for moment, value, start in (("mean", mean, 0.0), ("variance", variance, 1.0)):
        moving = tf.get_variable(f"{name}/moving_{moment}", [channels], trainable=False, initializer=tf.constant_initializer(start))
        updates.append(tf.assign_sub(moving, (moving - value) * 0.1))
    return y


def resnet_block(m):
    """Two 3x3 convolutions with batch norm and a strided projection beside them."""
    updates = []
    x = m.data(3, 8, 8, 4)
    y = tf.nn.conv2d(x, m.weights("conv1", [3, 3, 4, 6]), strides=[1, 2, 2, 1], padding="SAME")
    y = tf.nn.relu(batch_norm(m, y, "bn1", 6, updates))
    y = tf.nn.conv2d(y, m.weights("conv2", [3, 3, 6, 6]), strides=[1, 1, 1, 1], padding="SAME")
    y = batch_norm(m, y, "bn2", 6, updates)
    shortcut = tf.nn.conv2d(x, m.weights("projection", [1, 1, 4, 6]), strides=[1, 2, 2, 1], padding="VALID")
    y = tf.nn.relu6(y + batch_norm(m, shortcut, "bn3", 6, updates))
    logits = m.dense(tf.reduce_mean(y, [1, 2]), "logits", 6, 3)
    with tf.control_dependencies(updates):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=m.labels(3, 3), logits=logits)
    return tf.reduce_mean(losses), logits


def lstm(m):
    """A cell by its definition, four steps, and a projection to the vocabulary."""
    batch, units, words, steps = 3, 6, 11, 4
    embedding = m.weights("embedding", [words, 5], 1.0)
    kernel, bias = m.weights("cell/kernel", [5 + units, 4 * units]), m.bias("cell/bias", 4 * units)
    text = tf.constant(m.rng.randint(0, words, (batch, steps + 1)), tf.int32)
    inputs = tf.unstack(tf.nn.embedding_lookup(embedding, text[:, :-1]), axis=1)
    state, h = tf.zeros([batch, units]), tf.zeros([batch, units])
    outputs = []
    for x in inputs:
        gates = tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias)
        i, j, f, o = tf.split(gates, 4, axis=1)
        state = tf.sigmoid(f + 1.0) * state + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(state) * tf.sigmoid(o)
        outputs.append(h)
    logits = m.dense(tf.reshape(tf.stack(outputs, 1), [-1, units]), "softmax", units, words)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(text[:, 1:], [-1]), logits=logits)
    return tf.reduce_sum(losses) / (batch * steps), h


def sampled_softmax(m):
    """Bags of words through an embedding; the classes are sampled."""
    words, size = 40, 8
    bags = tf.constant(m.rng.randint(0, words, (10, 3)), tf.int64)
    hidden = tf.tanh(m.dense(tf.reduce_mean(tf.nn.embedding_lookup(m.weights("embedding", [words, size], 1.0), bags), 1), "h", size, size))
    labels = tf.reshape(m.labels(10, words), [10, 1])
    losses = tf.nn.sampled_softmax_loss(m.weights("softmax/kernel", [words, size]), m.bias("softmax/bias", words), labels, hidden,
                                        num_sampled=7, num_classes=words, seed=9)
    return tf.reduce_mean(losses), hidden


def word2vec(m):
    """Skip-grams with noise-contrastive estimation; the words of a step are drawn anew."""
    words, size = 50, 6
    center = tf.random_uniform([12], 0, words, tf.int32, seed=21)
    context = tf.mod(center + tf.random_uniform([12], 1, 4, tf.int32, seed=22), words)
    embedded = tf.nn.embedding_lookup(m.weights("embedding", [words, size], 0.5), center)
    losses = tf.nn.nce_loss(m.weights("nce/kernel", [words, size]), m.bias("nce/bias", words),
                            tf.cast(tf.expand_dims(context, 1), tf.int64), embedded, num_sampled=6, num_classes=words)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embedded), 1, keepdims=True))
    return tf.reduce_mean(losses), embedded / norm


def autoencoder(m):
    """The decoder's weights are the encoder's, transposed; the input has noise."""
    x = tf.constant(m.rng.uniform(0, 1, (7, 14)).astype("f"))
    noisy = x + tf.random_normal([7, 14], stddev=0.1, seed=31)
    kernel = m.weights("kernel", [14, 5])
    code = tf.sigmoid(tf.matmul(noisy, kernel) + m.bias("encoder/bias", 5))
    logits = tf.matmul(code, kernel, transpose_b=True) + m.bias("decoder/bias", 14)
    sparsity = tf.reduce_mean(tf.abs(code))
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)) + 0.01 * sparsity, tf.sigmoid(logits)


def matrix_factorisation(m):
    users, items, size = 15, 20, 4
    user, item = m.labels(25, users), m.labels(25, items)
    rating = tf.constant(m.rng.uniform(1, 5, 25).astype("f"))
    p = tf.nn.embedding_lookup(m.weights("users", [users, size]), user)
    q = tf.gather(m.weights("items", [items, size]), item)
    mean = tf.get_variable("mean", [], initializer=tf.constant_initializer(3.0))
    predicted = tf.einsum("ij,ij->i", p, q) + tf.gather(m.bias("user_bias", users), user) + tf.gather(m.bias("item_bias", items), item) + mean
    return tf.losses.mean_squared_error(rating, predicted) + 0.01 * tf.nn.l2_loss(p) + 0.01 * tf.nn.l2_loss(q), predicted


def q_values(m, state, scope):
    with tf.variable_scope(scope):
        hidden = tf.nn.elu(m.dense(state, "h", 6, 12))
        value, advantage = m.dense(hidden, "value", 12, 1), m.dense(hidden, "advantage", 12, 3)
        return value + (advantage - tf.reduce_mean(advantage, 1, keepdims=True))


def dqn(m):
    """Double Q-learning with duelling heads: Huber loss against a target network that follows slowly."""
    state, after = m.data(9, 6), m.data(9, 6)
    action, reward = m.labels(9, 3, tf.int32), m.data(9)
    done = tf.constant(m.rng.randint(0, 2, 9).astype(bool))
    q = q_values(m, state, "online")
    with tf.variable_scope("online", reuse=True):
        best = tf.argmax(tf.nn.elu(tf.matmul(after, tf.get_variable("h/kernel", [6, 12])))[:, :3], 1)
    target_q = q_values(m, after, "target")
    after_value = tf.reduce_sum(target_q * tf.one_hot(best, 3), 1)
    target = reward + 0.9 * tf.where(done, tf.zeros_like(after_value), after_value)
    chosen = tf.gather_nd(q, tf.stack([tf.range(9), action], 1))
    loss = tf.losses.huber_loss(tf.stop_gradient(target), chosen, delta=0.5)
    pairs = zip(tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "target"), tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "online"))
    with tf.control_dependencies([loss]):
        follow = [tf.assign_add(t, 0.1 * (o - t)) for t, o in pairs]
    with tf.control_dependencies(follow):
        return tf.identity(loss), q


def layer_norm(m, x, name, size):
    scale = tf.get_variable(name + "/scale", [size], initializer=tf.ones_initializer())
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, m.bias(name + "/shift", size), scale, 1e-5)


def transformer(m):
    """One pre-norm block with two heads and a causal mask."""
    batch, length, size, heads, words = 2, 5, 8, 2, 9
    text = tf.constant(m.rng.randint(0, words, (batch, length + 1)), tf.int32)
    table = m.weights("embedding", [words, size], 1.0)
    x = tf.gather(table, text[:, :-1]) + m.weights("positions", [length, size])

    def split(y):
        return tf.transpose(tf.reshape(y, [batch, length, heads, size // heads]), [0, 2, 1, 3])

    normed = tf.reshape(layer_norm(m, x, "norm1", size), [-1, size])
    q, k, v = (split(m.dense(normed, name, size, size)) for name in "qkv")
    scores = tf.matmul(q, k, transpose_b=True) * (heads / size) ** 0.5
    mask = tf.matrix_band_part(tf.ones([length, length]), -1, 0)
    attention = tf.nn.softmax(scores + (1.0 - mask) * -1e9)
    mixed = tf.einsum("bhqk,bhkd->bqhd", attention, v)
    x += tf.reshape(m.dense(tf.reshape(mixed, [-1, size]), "o", size, size), [batch, length, size])
    normed = tf.reshape(layer_norm(m, x, "norm2", size), [-1, size])
    x += tf.reshape(m.dense(nn_v2.gelu(m.dense(normed, "ff1", size, 16)), "ff2", 16, size), [batch, length, size])
    logits = tf.tensordot(layer_norm(m, x, "norm3", size), table, [[2], [1]])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=text[:, 1:], logits=logits)
    return tf.reduce_mean(losses), attention


def dense_and_sparse(m):
    """For the optimisers: one variable with a dense gradient, one with a sparse one in which rows occur twice."""
    ids = tf.constant([0, 3, 3, 1, 6, 0], tf.int64)
    rows = tf.nn.embedding_lookup(m.weights("rows", [7, 4], 1.0), ids)
    logits = tf.matmul(rows, m.weights("kernel", [4, 3], 1.0))
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=m.labels(6, 3), logits=logits)), logits
