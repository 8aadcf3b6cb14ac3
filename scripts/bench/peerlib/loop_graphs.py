"""Loops in the primitive form, as TensorFlow 1 writes them: of scalars, and a recurrent network with its gradient."""
import dataclasses

import numpy
import tensorflow.compat.v1 as tf

from peerlib.model import Model
from peerlib.training_graphs import Builder


def counting_loop(iterations, body, *initial):
    """Counts, other scalars beside the count as `body` says."""
    tf.disable_control_flow_v2()
    graph = tf.Graph()
    with graph.as_default():
        last = tf.while_loop(lambda i, *_: i < iterations, lambda i, *rest: [i + 1, *body(i, *rest)], [0, *initial])
        tf.group(last, name="step")
    return Model(graph=graph.as_graph_def(), target="step", iterations=iterations)


def scalar():
    """Nothing but the count."""
    return counting_loop(1_000_000, lambda i: [])


def branching():
    """With a conditional in the body."""
    return counting_loop(100_000, lambda i, x: [tf.cond(i % 3 < 1, lambda: x + i, lambda: x - 1)], 0)


def branching_twice():
    """With a conditional in a conditional in the body."""
    def inner(i, x):
        return tf.cond(x > 0, lambda: x - i, lambda: x + 2 * i)

    return counting_loop(100_000, lambda i, x: [tf.cond(i % 3 < 1, lambda: inner(i, x), lambda: x - 1)], 0)


def nested(inner_iterations):
    """A loop in a loop; an iteration is one of the inner loop."""
    outer_iterations = 100_000 // inner_iterations

    def body(i, x):
        return [tf.while_loop(lambda j, y: j < inner_iterations, lambda j, y: [j + 1, y + i], [0, x])[1]]

    return dataclasses.replace(counting_loop(outer_iterations, body, 0), iterations=outer_iterations * inner_iterations)


def vector():
    """With a vector of 64 elements beside the count."""
    return counting_loop(100_000, lambda i, x: [x * 0.5 + tf.cast(i, tf.float32)], numpy.zeros(64, numpy.float32))


def tensor_array(iterations=10_000):
    """Writes each iteration's value into a TensorArray and reads that of the iteration before."""
    def body(i, x, values):
        return i + 1, x + values.read(i), values.write(i + 1, x)

    tf.disable_control_flow_v2()
    graph = tf.Graph()
    with graph.as_default():
        values = tf.TensorArray(tf.float32, iterations + 1, clear_after_read=False).write(0, 1.0)
        last = tf.while_loop(lambda i, *_: i < iterations, body, [0, 0.0, values])
        tf.group(last[0], last[1], last[2].flow, name="step")
    return Model(graph=graph.as_graph_def(), target="step", iterations=iterations)


def general(make):
    """The same loop in the general form, where dfrun would run it as a straight line."""
    return lambda: dataclasses.replace(make(), straight_loops=False)


def rnn(steps=100, batch=8, units=32):
    """A recurrent network that ends in a softmax over ten classes: an update by TensorFlow's gradient of the loop."""
    tf.disable_control_flow_v2()
    b = Builder()
    with b.graph.as_default():
        words = tf.TensorArray(tf.float32, steps).unstack(b.data("x", [steps, batch, units]))
        kernel, recurrent = (b.weights(name, [units, units], 4 * units) for name in ("kernel", "recurrent"))
        bias = b.bias("bias", units)

        def cell(i, h):
            return i + 1, tf.tanh(tf.nn.bias_add(tf.matmul(words.read(i), kernel) + tf.matmul(h, recurrent), bias))

        _, last = tf.while_loop(lambda i, h: i < steps, cell, [0, tf.zeros([batch, units])])
        return b.finish(b.dense(last, "logits", units, 10), b.labels(batch, 10), tf.train.GradientDescentOptimizer(0.1),
                        torch="rnn")
