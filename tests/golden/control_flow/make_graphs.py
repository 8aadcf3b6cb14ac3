#!/usr/bin/env python3
"""Writes graphs with conditionals and loops in the primitive form, and what TensorFlow gets from them:
`python3 make_graphs.py`. See exported.py. gradients.txt holds, a line each call of tf.gradients, the graph, y and xs.
"""
import inspect
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import Exported

import numpy as np
import tensorflow.compat.v1 as tf

graph = Exported(__file__)
DIFFERENTIATED = []  # the lines of gradients.txt


def constant(*values):
    return tf.constant(values, tf.float64)


def with_gradients(y, *xs):
    names = [inspect.stack()[1].function, y.name, *[x.name for x in xs]]
    DIFFERENTIATED.append(" ".join(names) + "\n")
    return [y, *tf.gradients(y, xs)]


@graph
def cond():
    x = tf.identity(tf.constant(3.0))
    return [tf.cond(x > 2, lambda: x * 2, lambda: x - 1), tf.cond(x < 2, lambda: x * 2, lambda: x - 1)]


@graph
def cond_gradient():
    x, z = constant(3.0, -1.0), constant(0.5, 2.0)
    def branches(taken):
        return tf.cond(taken, lambda: x * x * z, lambda: tf.cond(x[1] > 0, lambda: x - z, lambda: tf.exp(z)))
    return [*with_gradients(branches(tf.reduce_sum(x) > 0), x, z), *with_gradients(branches(tf.reduce_sum(x) < 0), z)]


@graph
def loop():
    return tf.while_loop(lambda i, s: i < 100, lambda i, s: (i + 1, s + tf.cast(i, tf.float64)), [0, constant(0.0)])


@graph
def loop_that_does_not_run():
    return tf.while_loop(lambda i, s: i < 0, lambda i, s: (i + 1, s * 2), [0, constant(5.0)])


@graph
def one_iteration_at_a_time():
    return tf.while_loop(lambda i, a, b: i < 30, lambda i, a, b: (i + 1, b, (a + b) % 1000), [0, 0, 1],
                         parallel_iterations=1)


@graph
def loop_gradient():
    x, w = constant(1.5, 2.0), constant(0.5, -0.25)
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x + tf.sin(w) * y), [0, x])
    return with_gradients(y, x, w)


@graph
def second_derivative():
    x = constant(1.25)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    return with_gradients(y, x)


@graph
def nested_loops():
    def outer(i, s):
        _, t = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j * i), [0, s])
        return i + 1, t
    return tf.while_loop(lambda i, s: i < 10, outer, [0, 0])


@graph
def nested_loops_gradient():
    x = constant(0.9, 1.1)
    def outer(i, s):
        _, t = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t * x + 1), [0, s])
        return i + 1, t + x
    return with_gradients(tf.while_loop(lambda i, s: i < 5, outer, [0, x])[1], x)


@graph
def cond_in_loop_gradient():
    x = constant(0.75)
    def body(i, s):
        s = tf.cond(tf.equal(i % 3, 0), lambda: s * x,
                    lambda: tf.cond(s[0] > 1, lambda: s * 0.5, lambda: s + x * tf.cast(i, tf.float64)))
        return i + 1, s
    return with_gradients(tf.while_loop(lambda i, s: i < 12, body, [0, constant(1.0)])[1], x)


@graph
def loop_in_cond_gradient():
    x = constant(1.1, 0.9)
    def repeat(times):
        return tf.while_loop(lambda i, y: i < times, lambda i, y: (i + 1, y * x), [0, x])[1]
    big = tf.reduce_sum(x) > 1
    return [*with_gradients(tf.cond(big, lambda: repeat(4), lambda: repeat(2) + 1), x),
            *with_gradients(tf.cond(tf.logical_not(big), lambda: repeat(4), lambda: x * 3), x)]


@graph
def growing_value():
    return tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, tf.concat([v, [tf.cast(i, tf.float64)]], 0)),
                         [0, constant(9.0)], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])


@graph
def map_fn():
    x = constant(1.0, 2.0, 3.0, 4.0)
    return with_gradients(tf.map_fn(lambda v: v * v + tf.reduce_sum(x), x), x)


@graph
def scan():
    x = constant(1.0, 2.0, 3.0, 4.0)
    return with_gradients(tf.scan(lambda a, v: a * 0.5 + v * v, x), x)


@graph
def tensor_array():
    x = tf.reshape(constant(*range(12)), [4, 3])
    array = tf.TensorArray(tf.float64, size=4, clear_after_read=False).unstack(x)
    _, total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s * 0.5 + array.read(i) * array.read(3 - i)),
                             [0, tf.zeros([3], tf.float64)])
    parts = tf.TensorArray(tf.float64, size=3, infer_shape=False).split(tf.reshape(x, [12]), [5, 0, 7])
    return [*with_gradients(total, x), *with_gradients(parts.concat() * 2, x)]


@graph
def rnn_over_lengths():
    """A recurrent net over sequences of different lengths: past its end a sequence keeps its state."""
    rng = np.random.RandomState(3)
    inputs, w, u = (tf.constant(rng.uniform(-1, 1, shape)) for shape in ((5, 3, 2), (2, 4), (4, 4)))
    lengths = tf.constant([5, 2, 3])
    steps = tf.TensorArray(tf.float64, size=5).unstack(inputs)
    outputs = tf.TensorArray(tf.float64, size=5)
    def body(t, state, outputs):
        new = tf.tanh(tf.matmul(steps.read(t), w) + tf.matmul(state, u))
        runs = t < lengths
        return (t + 1, tf.where(runs, new, state), outputs.write(t, tf.where(runs, new, tf.zeros_like(new))))
    _, state, outputs = tf.while_loop(lambda t, *_: t < tf.reduce_max(lengths), body,
                                      [0, tf.zeros([3, 4], tf.float64), outputs])
    return with_gradients(tf.reduce_sum(outputs.stack()) + tf.reduce_sum(state * state), inputs, w, u)


@graph
def variables():
    """A loop that reads and updates a variable, with an order that control edges fix."""
    v = tf.get_variable("v", initializer=constant(1.0), use_resource=True)
    with tf.control_dependencies([v.initializer]):
        def body(i):
            with tf.control_dependencies([v.assign_add(v.read_value() * 0.5)]):
                return i + 1
        with tf.control_dependencies([tf.while_loop(lambda i: i < 6, body, [0], parallel_iterations=1)]):
            return [v.read_value()]


if __name__ == "__main__":
    graph.write()
    with open(os.path.join(graph.folder, "gradients.txt"), "w", encoding="utf-8") as out:
        out.write("# Written by make_graphs.py: graph, y and xs of each tf.gradients() in it, in the order of the graph's "
                  "result.\n")
        out.writelines(DIFFERENTIATED)
