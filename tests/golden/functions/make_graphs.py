#!/usr/bin/env python3
"""Writes graphs that call functions of their library, and what TensorFlow gets from them: `python3 make_graphs.py`.
See exported.py.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import flow_graphs
from exported import Exported
from flow_graphs import constant, with_gradients

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function as defun
from tensorflow.python.ops import functional_ops

graph = Exported(__file__)
v1 = tf.compat.v1


@graph
def call():
    """A function called twice, with several outputs and one that is handed on."""
    @tf.function
    def both(x, y):
        return x + 2 * y, x, tf.split(x * y, [1, 2])
    a, b = constant(1.0, 2.0, 3.0), constant(0.5, -1.0, 4.0)
    first, same, parts = both(a, b)
    second, _, _ = both(first, same)
    return [first, second, same, *parts]


@graph
def nested_calls():
    @tf.function
    def square(x):
        return x * x
    @tf.function
    def norm(x):
        return tf.sqrt(tf.reduce_sum(square(x)))
    @tf.function
    def unit(x):
        return x / norm(x), square(x[0])
    x = constant(3.0, 4.0)
    y, first = unit(x)
    return [y, first, *tf.gradients(y[0] * first, x)]


@graph
def call_gradient():
    @tf.function
    def layer(x, w):
        return tf.tanh(tf.linalg.matvec(w, x))
    x, w = constant(0.5, -0.25), tf.constant([[1.0, 2.0], [-0.5, 0.75]], tf.float64)
    return with_gradients(tf.reduce_sum(layer(layer(x, w), w) ** 2), x, w)


@graph
def branches():
    x = constant(3.0, -1.0)
    def pick(taken):
        return tf.cond(taken, lambda: (x * 2, x[0]), lambda: (x - 1, tf.constant(7.0, tf.float64)))
    return [*pick(x[0] > 0), *pick(x[0] < 0)]


graph(flow_graphs.cond_gradient, "branches_gradient")


@graph
def cases():
    x = constant(1.0, 2.0)
    fns = [lambda: x + 1, lambda: x * 10, lambda: -x]
    return [tf.switch_case(tf.constant(i), fns) for i in (0, 1, 2, 5, -1)]


@graph
def cases_with_effects():
    """Branches that change a variable: the op is no StatelessCase."""
    v = v1.get_variable("c", initializer=constant(1.0), use_resource=True)
    @tf.function
    def run(i):
        return tf.switch_case(i, [lambda: v.assign_add([2.0]), lambda: v.assign(v * 10), lambda: v.assign_sub([0.5])])
    out, done = [], [v.initializer]
    for i in (1, 0, 2, 7, -1):
        with tf.control_dependencies(done):
            out.append(tf.identity(run(tf.constant(i))))
            done = [out[-1]]
    return out


@graph
def optionals():
    some = tf.raw_ops.OptionalFromValue(components=[constant(1.0, 2.0), tf.constant(7)])
    none = tf.raw_ops.OptionalNone()
    values = tf.raw_ops.OptionalGetValue(optional=some, output_types=[tf.float64, tf.int32], output_shapes=[[2], []])
    return [tf.raw_ops.OptionalHasValue(optional=some), tf.raw_ops.OptionalHasValue(optional=none), *values]


@graph
def sums_and_zeros_of_optionals():
    raw = tf.raw_ops
    def optional(*values):
        return raw.OptionalFromValue(components=[constant(*values), raw.OptionalFromValue(components=[tf.constant(7)])])
    def values(optional):
        first, inner = raw.OptionalGetValue(optional=optional, output_types=[tf.float64, tf.variant],
                                            output_shapes=[[2], []])
        return [first, *raw.OptionalGetValue(optional=inner, output_types=[tf.int32], output_shapes=[[]])]
    a, b, none = optional(1.0, 2.0), optional(0.5, -1.0), raw.OptionalNone()
    return [*values(raw.AddN(inputs=[a, b, a])), *values(raw.ZerosLike(x=a)),
            *(raw.OptionalHasValue(optional=o) for o in (raw.ZerosLike(x=none), raw.AddN(inputs=[none, none])))]


@graph
def a_sum_of_an_optional_and_none():
    some = tf.raw_ops.OptionalFromValue(components=[constant(1.0, 2.0)])
    return tf.raw_ops.OptionalHasValue(optional=tf.raw_ops.AddN(inputs=[some, tf.raw_ops.OptionalNone()]))


@graph
def third_derivative_of_a_branch():
    """The zeros of what the branch that was not taken would have kept."""
    x = constant(0.5, -1.0)
    y = tf.cond(x[0] > 5, lambda: x ** 3, lambda: tf.exp(x) * x)
    first = with_gradients(y, x)
    second = with_gradients(first[1], x)
    return [*first, *second, *with_gradients(second[1], x)]


@graph
def a_value_of_no_optional():
    none = tf.raw_ops.OptionalNone()
    return tf.raw_ops.OptionalGetValue(optional=none, output_types=[tf.float64], output_shapes=[[2]])


@graph
def a_value_of_another_type():
    some = tf.raw_ops.OptionalFromValue(components=[constant(1.0, 2.0)])
    return tf.raw_ops.OptionalGetValue(optional=some, output_types=[tf.float32], output_shapes=[[2]])


@graph
def conditions_of_other_types():
    @tf.function
    def yes(x):
        return x + 1
    @tf.function
    def no(x):
        return x - 1
    x = constant(5.0)
    spec = tf.TensorSpec([1], tf.float64)
    branches = [f.get_concrete_function(spec) for f in (yes, no)]
    for f in branches:
        f.add_to_graph(v1.get_default_graph())
    out = []
    for value in (3, 0, -0.5, 0.0, "x", "", [0], [[], []], np.uint8(0), np.int64(7)):
        out += tf.raw_ops.If(cond=tf.constant(value), input=[x], Tout=[tf.float64], output_shapes=[],
                             then_branch=branches[0], else_branch=branches[1])
    return out


graph(flow_graphs.loop)
graph(flow_graphs.loop_that_does_not_run)
graph(flow_graphs.one_iteration_at_a_time)


@graph
def loop_of_constants():
    """Values that the body does not change, hands on swapped, or makes of nothing that changes."""
    x, w = constant(1.0, 2.0), constant(0.5, 0.25)
    def body(i, a, b, c):
        return i + 1, b, a, tf.ones([2], tf.float64) * 3
    return [*tf.while_loop(lambda i, *_: i < 5, body, [0, x, w, x + w]),
            tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + w * tf.random.stateless_uniform(
                [2], [3, 4], dtype=tf.float64)), [0, x])[1]]


graph(flow_graphs.loop_gradient)


@graph
def second_derivative():
    x, y = flow_graphs.power()
    first, = tf.gradients(y, x)
    return [y, first, *tf.gradients(first, x)]


graph(flow_graphs.nested_loops)
graph(flow_graphs.nested_loops_gradient)
graph(flow_graphs.cond_in_loop_gradient, "branches_in_loop_gradient")
graph(flow_graphs.loop_in_cond_gradient, "loop_in_branch_gradient")


@graph
def calls_in_loop():
    @tf.function
    def step(x, w):
        return tf.tanh(x * w) + tf.constant([0.125, 0.25], tf.float64)
    x, w = constant(1.5, 2.0), constant(0.5, -0.25)
    return tf.while_loop(lambda i, y: i < 6, lambda i, y: (i + 1, step(step(y, w), x)), [0, x])


@graph
def calls_in_loop_gradient():
    """Of a call, so that the gradient's sums are colocated with calls."""
    @tf.function
    def inner(y, x):
        return tf.sin(y) * x
    @tf.function
    def step(y, x):
        return inner(y, x) + inner(y * 2, y)
    x = constant(0.5, 1.5)
    return with_gradients(tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, step(y, x)), [0, x])[1], x)


graph(flow_graphs.growing_value)
graph(flow_graphs.map_fn)
graph(flow_graphs.scan)


@graph
def rnn_over_lengths():
    return flow_graphs.rnn_over_lengths(tf.where, lambda runs: runs[:, None])


@graph
def variables():
    """Branches, loops and calls that update variables: each effect happens as often, and in the order, that it should."""
    v = v1.get_variable("v", initializer=constant(1.0), use_resource=True)
    log = v1.get_variable("log", initializer=constant(0.0), use_resource=True)
    @tf.function
    def touch(amount):
        v.assign_add(amount * v)
        log.assign_add([1.0])
        return v.read_value()
    @tf.function
    def only_effects():
        log.assign_add([100.0])
    with tf.control_dependencies([v.initializer, log.initializer]):
        first = touch(constant(0.5))
    with tf.control_dependencies([first]):
        taken = tf.cond(first[0] > 1, lambda: touch(constant(2.0)), lambda: touch(constant(1000.0)))
    with tf.control_dependencies([taken]):
        looped = tf.while_loop(lambda i: i < 3, lambda i: tf.tuple([i + 1], control_inputs=[touch(constant(1.0))])[0],
                               [tf.constant(0)])
    with tf.control_dependencies([looped[0] if isinstance(looped, (list, tuple)) else looped]):
        only_effects()
        call = next(op for op in v1.get_default_graph().get_operations()[::-1] if op.type == "StatefulPartitionedCall")
    with tf.control_dependencies([call]):
        return [first, taken, v.read_value(), log.read_value()]


@graph
def effects_in_functional_loop():
    """A stateless condition, a body whose only trace is in variables, values that the body never changes."""
    v = v1.get_variable("u", initializer=constant(1.0), use_resource=True)
    @tf.function
    def run(limit, w):
        i = tf.constant(0)
        while i < limit:
            if tf.equal(i % 2, 0):
                v.assign_add(w)
            else:
                v.assign(v * 2)
            i += 1
        return i
    with tf.control_dependencies([v.initializer]):
        n = run(tf.constant(5), constant(0.5))
    with tf.control_dependencies([n]):
        return [n, v.read_value()]


@graph
def effects_after_arguments():
    """What waits for a loop's variable, and reads nothing that changes, happens as often as the body does."""
    v = v1.get_variable("a", initializer=constant(1.0), use_resource=True)
    def body(i, s):
        with tf.control_dependencies([s]):
            added = v.assign_add([1.0])
        with tf.control_dependencies([added]):
            return i + 1, s + v.read_value()
    with tf.control_dependencies([v.initializer]):
        _, s = tf.while_loop(lambda i, s: i < 3, body, [0, constant(0.0)])
    with tf.control_dependencies([s]):
        return [s, v.read_value()]


@graph
def calls_in_primitive_control_flow():
    """Calls in branches and loops of the primitive form: they happen where they are alive."""
    v = v1.get_variable("w", initializer=constant(1.0), use_resource=True)
    @tf.function
    def touch():
        v.assign_add([1.0])
        return tf.constant([2.0], tf.float64)
    @tf.function
    def scale(x):
        v.assign_add([10.0])
        return x * 2 + tf.constant([1.0], tf.float64)
    x = constant(3.0)
    with tf.control_dependencies([v.initializer]):
        v1.disable_control_flow_v2()
        a = tf.cond(x[0] > 1, touch, lambda: touch() + 1)
        b = tf.cond(x[0] < 1, lambda: scale(x), lambda: x)
        _, c = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, scale(y)), [0, x], parallel_iterations=1)
        v1.enable_control_flow_v2()
    with tf.control_dependencies([a, b, c]):
        return [a, b, c, v.read_value()]


@graph
def calls_by_name():
    """The older form of a call: a node whose op is the function's name; types that are the function's attrs."""
    @defun.Defun(tf.float64, tf.float64, func_name="Affine")
    def affine(x, y):
        return x * 2 + y, x - y
    x, y = constant(1.0, 2.0), constant(3.0, 5.0)
    a, b = affine(x, y)
    c, _ = affine(a, b)
    return [a, b, c]


@graph
def symbolic_gradient():
    @defun.Defun(tf.float64, tf.float64, func_name="Product")
    def product(x, y):
        return tf.sin(x) * y, x + y
    x, y = constant(1.0, 2.0), constant(3.0, 5.0)
    a, b = product(x, x * y)
    product.add_to_graph(v1.get_default_graph())
    out = functional_ops.symbolic_gradient([x, x * y, constant(1.0, 1.0), constant(2.0, 0.5)], [tf.float64, tf.float64],
                                           "Product")
    return [a, b, *out]


for build in flow_graphs.SECOND_DERIVATIVES:
    graph(build)


if __name__ == "__main__":
    graph.write(functional=True)
    flow_graphs.write_gradients(graph)
