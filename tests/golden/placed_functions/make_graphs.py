#!/usr/bin/env python3
"""Writes graphs whose functions have nodes on several devices, or are called on others, and what TensorFlow gets from
them: `python3 make_graphs.py`. See exported.py.

TensorFlow runs them on its logical devices CPU:0 to CPU:3; in the files those are the tasks 0 to 3, so that ranks can
take their parts.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import Exported

import tensorflow as tf
from tensorflow.python.framework import function as defun

v1 = tf.compat.v1
MOST = 4
graph = Exported(__file__, config=v1.ConfigProto(device_count={"CPU": MOST}),
                 devices={f"/device:CPU:{k}": f"/job:worker/task:{k}" for k in range(MOST)})


def on(k):
    return tf.device(f"/device:CPU:{k}")


def constant(*values):
    return tf.constant(values, tf.float64)


def with_gradients(y, *xs):
    return [y, *tf.gradients(y, xs)]


@graph
def calls_on_other_tasks():
    """The body says nothing of devices: it is where its call is."""
    @tf.function
    def both(x, y):
        return x + 2 * y, x, tf.split(x * y, [1, 2])
    a, b = constant(1.0, 2.0, 3.0), constant(0.5, -1.0, 4.0)
    with on(1):
        first, same, parts = both(a, b)
    with on(3):
        second, _, _ = both(first, same)
    return [first, second, same, *parts]


@graph
def bodies_over_tasks():
    """A body with nodes on three tasks, called without a device and on a fourth."""
    @tf.function
    def spread(x, y):
        with on(1):
            product = x * y
        with on(2):
            difference = x - y
        return product + difference, difference
    a, b = constant(1.0, 2.0), constant(0.5, -1.0)
    first, second = spread(a, b)
    with on(3):
        third, _ = spread(first, second)
    return [first, second, third]


@graph
def calls_of_calls():
    """Each function calls the next on another task."""
    @tf.function
    def square(x):
        return x * x
    @tf.function
    def norm(x):
        with on(2):
            squares = square(x)
        return tf.sqrt(tf.reduce_sum(squares))
    @tf.function
    def unit(x):
        with on(1):
            length = norm(x)
        with on(3):
            return x / length
    x = constant(3.0, 4.0)
    y = unit(x)
    return [y, *tf.gradients(y[0], x)]


@graph
def call_gradient():
    @tf.function
    def layer(x, w):
        with on(1):
            product = tf.linalg.matvec(w, x)
        return tf.tanh(product)
    x, w = constant(0.5, -0.25), tf.constant([[1.0, 2.0], [-0.5, 0.75]], tf.float64)
    with on(2):
        hidden = layer(x, w)
    return with_gradients(tf.reduce_sum(layer(hidden, w) ** 2), x, w)


@graph
def branches():
    """Branches on different tasks, one of them over two."""
    x = constant(3.0, -1.0)
    def yes():
        with on(1):
            doubled = x * 2
        with on(2):
            return doubled + 1, doubled[0]
    def no():
        with on(3):
            return x - 1, tf.constant(7.0, tf.float64)
    return [*tf.cond(x[0] > 0, yes, no), *tf.cond(x[0] < 0, yes, no)]


@graph
def branches_gradient():
    x, z = constant(3.0, -1.0), constant(0.5, 2.0)
    def product():
        with on(1):
            return x * x * z
    def other():
        def difference():
            with on(2):
                return x - z
        def power():
            with on(3):
                return tf.exp(z)
        return tf.cond(x[1] > 0, difference, power)
    def pick(taken):
        return tf.cond(taken, product, other)
    return [*with_gradients(pick(tf.reduce_sum(x) > 0), x, z), *with_gradients(pick(tf.reduce_sum(x) < 0), z)]


@graph
def cases():
    """A branch a task."""
    x = constant(1.0, 2.0)
    def branch(k):
        def times():
            with on(k):
                return x * (k + 2)
        return times
    return [tf.switch_case(tf.constant(i), [branch(k) for k in range(MOST)]) for i in (0, 1, 3, 7, -1)]


@graph
def loop():
    """The condition on one task, each value of the loop on another."""
    def goes_on(i, s, t):
        with on(3):
            return i < 50
    def body(i, s, t):
        with on(1):
            s = s + tf.cast(i, tf.float64)
        with on(2):
            t = t * 0.5 + s
        return i + 1, s, t
    return tf.while_loop(goes_on, body, [0, constant(0.0), constant(1.0, 2.0)])


@graph
def loop_that_does_not_run():
    def body(i, s):
        with on(2):
            return i + 1, s * 2
    return tf.while_loop(lambda i, s: i < 0, body, [0, constant(5.0)])


@graph
def one_iteration_at_a_time():
    def body(i, a, b):
        with on(1):
            c = (a + b) % 1000
        return i + 1, b, c
    return tf.while_loop(lambda i, a, b: i < 30, body, [0, 0, 1], parallel_iterations=1)


@graph
def loop_gradient():
    x, w = constant(1.5, 2.0), constant(0.5, -0.25)
    def body(i, y):
        with on(1):
            scaled = y * x
        with on(2):
            return i + 1, scaled + tf.sin(w) * y
    return with_gradients(tf.while_loop(lambda i, y: i < 4, body, [0, x])[1], x, w)


@graph
def nested_loops():
    def outer(i, s):
        def inner(j, t):
            with on(2):
                return j + 1, t + j * i
        with on(1):
            _, t = tf.while_loop(lambda j, t: j < i, inner, [0, s])
        return i + 1, t
    return tf.while_loop(lambda i, s: i < 10, outer, [0, 0])


@graph
def branches_in_loop_gradient():
    """A value is dead on a task in some iterations and alive in others."""
    x = constant(0.75)
    def body(i, s):
        def times():
            with on(1):
                return s * x
        def plus():
            with on(2):
                return s + x * tf.cast(i, tf.float64)
        return i + 1, tf.cond(tf.equal(i % 3, 0), times, lambda: tf.cond(s[0] > 1, lambda: s * 0.5, plus))
    return with_gradients(tf.while_loop(lambda i, s: i < 12, body, [0, constant(1.0)])[1], x)


@graph
def calls_in_loop():
    """The loop is on one task, what it calls on two others."""
    @tf.function
    def step(x, w):
        with on(2):
            product = x * w
        return tf.tanh(product) + tf.constant([0.125, 0.25], tf.float64)
    x, w = constant(1.5, 2.0), constant(0.5, -0.25)
    def body(i, y):
        with on(1):
            inner = step(y, w)
        with on(3):
            return i + 1, step(inner, x)
    return tf.while_loop(lambda i, y: i < 6, body, [0, x])


@graph
def growing_value():
    """The shape of what crosses is another in each iteration."""
    def body(i, v):
        with on(1):
            return i + 1, tf.concat([v, [tf.cast(i, tf.float64)]], 0)
    return tf.while_loop(lambda i, v: i < 5, body, [0, constant(9.0)],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])


@graph
def text_in_loop():
    def body(i, text):
        with on(1):
            longer = tf.strings.join([text, tf.as_string(i)], "-")
        return i + 1, longer
    _, text = tf.while_loop(lambda i, text: i < 12, body, [0, tf.constant("begin")])
    return [tf.strings.length(text), tf.cast(tf.strings.to_hash_bucket_fast(text, 1000), tf.float64)]


@graph
def lists_over_tasks():
    """Lists that are made, written and read on different tasks; so are those that keep values for the gradient."""
    x, w = constant(1.0, -0.5, 2.0, 0.25), constant(0.5)
    with on(1):
        items = tf.TensorArray(tf.float64, 4).unstack(x)
    with on(2):
        results = tf.TensorArray(tf.float64, 4)
    def body(i, a, results):
        with on(3):
            a = tf.sin(a * items.read(i) + w)
        with on(1):
            return i + 1, a, results.write(i, a)
    _, a, results = tf.while_loop(lambda i, *_: i < 4, body, [0, w, results])
    with on(3):
        y = tf.reduce_sum(results.stack() ** 2) + a[0]
    with on(2):
        return with_gradients(y, x, w)


@graph
def optionals_over_tasks():
    """What a branch keeps for its gradient, which is another call on another task."""
    x = constant(2.0, 0.5)
    with on(1):
        y = tf.cond(x[0] > 1, lambda: tf.exp(x) * x, lambda: tf.sin(x))
    with on(2):
        first = tf.gradients(y, x)[0]
    with on(3):
        return [y, first, *tf.gradients(first, x)]


@graph
def variables():
    """A variable on one task, that calls on others and a loop update in order."""
    with on(1):
        v = v1.get_variable("v", initializer=constant(1.0), use_resource=True)
    with on(2):
        log = v1.get_variable("log", initializer=constant(0.0), use_resource=True)
    @tf.function
    def touch(amount):
        v.assign_add(amount * v)
        log.assign_add([1.0])
        return v.read_value()
    with tf.control_dependencies([v.initializer, log.initializer]):
        first = touch(constant(0.5))
    with tf.control_dependencies([first]):
        taken = tf.cond(first[0] > 1, lambda: touch(constant(2.0)), lambda: touch(constant(1000.0)))
    with tf.control_dependencies([taken]):
        looped = tf.while_loop(lambda i: i < 3, lambda i: tf.tuple([i + 1], control_inputs=[touch(constant(1.0))])[0],
                               [tf.constant(0)])
    with tf.control_dependencies([looped[0] if isinstance(looped, (list, tuple)) else looped]):
        return [first, taken, v.read_value(), log.read_value()]


@graph
def symbolic_gradient():
    @defun.Defun(tf.float64, tf.float64, func_name="Product")
    def product(x, y):
        with on(1):
            sine = tf.sin(x)
        return sine * y, x + y
    x, y = constant(1.0, 2.0), constant(3.0, 5.0)
    with on(2):
        a, b = product(x, y)
    return [a, b, *tf.gradients([a, b], [x, y])]


if __name__ == "__main__":
    graph.write(functional=True)
