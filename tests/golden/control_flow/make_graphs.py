#!/usr/bin/env python3
"""Writes graphs with conditionals and loops in the primitive form, and what TensorFlow gets from them:
`python3 make_graphs.py`. See exported.py. gradients.txt holds, a line each call of tf.gradients, the graph, y and xs.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import flow_graphs
from exported import Exported
from flow_graphs import constant, with_gradients

import tensorflow.compat.v1 as tf

graph = Exported(__file__)


@graph
def cond():
    x = tf.identity(tf.constant(3.0))
    return [tf.cond(x > 2, lambda: x * 2, lambda: x - 1), tf.cond(x < 2, lambda: x * 2, lambda: x - 1)]


graph(flow_graphs.cond_gradient)
graph(flow_graphs.loop)
graph(flow_graphs.loop_that_does_not_run)
graph(flow_graphs.one_iteration_at_a_time)
graph(flow_graphs.loop_gradient)


@graph
def second_derivative():
    x, y = flow_graphs.power()
    return with_gradients(y, x)


graph(flow_graphs.nested_loops)
graph(flow_graphs.nested_loops_gradient)
graph(flow_graphs.cond_in_loop_gradient)
graph(flow_graphs.loop_in_cond_gradient)
graph(flow_graphs.growing_value)
graph(flow_graphs.map_fn)
graph(flow_graphs.scan)


@graph
def tensor_array():
    x = tf.reshape(constant(*range(12)), [4, 3])
    array = tf.TensorArray(tf.float64, size=4, clear_after_read=False).unstack(x)
    _, total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s * 0.5 + array.read(i) * array.read(3 - i)),
                             [0, tf.zeros([3], tf.float64)])
    parts = tf.TensorArray(tf.float64, size=3, infer_shape=False).split(tf.reshape(x, [12]), [5, 0, 7])
    return [*with_gradients(total, x), *with_gradients(parts.concat() * 2, x)]


@graph
def tensor_array_with_holes():
    """An element that was never written is zeros where the shape of elements is known."""
    x = constant(1.5, -2.0)
    given = tf.TensorArray(tf.float64, size=3, element_shape=[2]).write(1, x * x)
    learned = tf.TensorArray(tf.float64, size=3).write(2, x * 3)
    return [*with_gradients(given.stack() * 2, x), *with_gradients(learned.gather([2, 0]), x)]


@graph
def rnn_over_lengths():
    return flow_graphs.rnn_over_lengths(tf.where, lambda runs: runs)


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


for build in flow_graphs.SECOND_DERIVATIVES:
    graph(build)


if __name__ == "__main__":
    graph.write()
    flow_graphs.write_gradients(graph)
