"""Graphs with conditionals and loops that are exported both in the primitive form and as functions: each function here
builds one and gives the tensors which are compared.
"""
import inspect
import os

import numpy as np
import tensorflow.compat.v1 as tf

DIFFERENTIATED = []  # of each call of with_gradients: the function that calls it, y and xs


def constant(*values):
    return tf.constant(values, tf.float64)


def with_gradients(y, *xs):
    DIFFERENTIATED.append([inspect.stack()[1].function, y.name, *[x.name for x in xs]])
    # As the tf.gradients of the TensorFlow that makes such graphs: 1 or 2.
    return [y, *tf.gradients(y, xs, colocate_gradients_with_ops=tf.control_flow_v2_enabled())]


def with_second_gradients(make):
    """A graph that TensorFlow's gradient of `make` is in, once: the sum of its squares, whose gradient is a constant,
    since TensorFlow itself has it for loops of the functional form alone.
    """
    def squares(x):
        gradient, = tf.gradients(tf.reduce_sum(make(x)), x)
        return tf.reduce_sum(gradient * gradient)

    def build():
        with tf.Graph().as_default(), tf.Session() as session:
            functional = tf.control_flow_v2_enabled()
            tf.enable_control_flow_v2()
            x = constant(0.7, 1.2)
            second = session.run(tf.gradients(squares(x), x)[0])
            if not functional:
                tf.disable_control_flow_v2()
        x = constant(0.7, 1.2)
        y = squares(x)
        DIFFERENTIATED.append([build.__name__, y.name, x.name])
        return [y, tf.constant(second)]

    build.__name__ = "second_" + make.__name__
    return build


def write_gradients(graph):
    """gradients.txt beside the graphs of an Exported: what of them with_gradients() has differentiated."""
    names = {build.__name__: name for name, build in graph.builders.items()}
    with open(os.path.join(graph.folder, "gradients.txt"), "w", encoding="utf-8") as out:
        out.write("# Written by make_graphs.py: graph, y and xs of each tf.gradients() in it, in the order of the graph's "
                  "result.\n")
        out.writelines(" ".join([names[function], *values]) + "\n" for function, *values in DIFFERENTIATED)


def cond_gradient():
    x, z = constant(3.0, -1.0), constant(0.5, 2.0)
    def pick(taken):
        return tf.cond(taken, lambda: x * x * z, lambda: tf.cond(x[1] > 0, lambda: x - z, lambda: tf.exp(z)))
    return [*with_gradients(pick(tf.reduce_sum(x) > 0), x, z), *with_gradients(pick(tf.reduce_sum(x) < 0), z)]


def loop():
    return tf.while_loop(lambda i, s: i < 100, lambda i, s: (i + 1, s + tf.cast(i, tf.float64)), [0, constant(0.0)])


def loop_that_does_not_run():
    return tf.while_loop(lambda i, s: i < 0, lambda i, s: (i + 1, s * 2), [0, constant(5.0)])


def one_iteration_at_a_time():
    return tf.while_loop(lambda i, a, b: i < 30, lambda i, a, b: (i + 1, b, (a + b) % 1000), [0, 0, 1],
                         parallel_iterations=1)


def loop_gradient():
    x, w = constant(1.5, 2.0), constant(0.5, -0.25)
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x + tf.sin(w) * y), [0, x])
    return with_gradients(y, x, w)


def nested_loops():
    def outer(i, s):
        _, t = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j * i), [0, s])
        return i + 1, t
    return tf.while_loop(lambda i, s: i < 10, outer, [0, 0])


def nested_loops_gradient():
    x = constant(0.9, 1.1)
    def outer(i, s):
        _, t = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t * x + 1), [0, s])
        return i + 1, t + x
    return with_gradients(tf.while_loop(lambda i, s: i < 5, outer, [0, x])[1], x)


def cond_in_loop_gradient():
    x = constant(0.75)
    def body(i, s):
        s = tf.cond(tf.equal(i % 3, 0), lambda: s * x,
                    lambda: tf.cond(s[0] > 1, lambda: s * 0.5, lambda: s + x * tf.cast(i, tf.float64)))
        return i + 1, s
    return with_gradients(tf.while_loop(lambda i, s: i < 12, body, [0, constant(1.0)])[1], x)


def loop_in_cond_gradient():
    x = constant(1.1, 0.9)
    def repeat(times):
        return tf.while_loop(lambda i, y: i < times, lambda i, y: (i + 1, y * x), [0, x])[1]
    big = tf.reduce_sum(x) > 1
    return [*with_gradients(tf.cond(big, lambda: repeat(4), lambda: repeat(2) + 1), x),
            *with_gradients(tf.cond(tf.logical_not(big), lambda: repeat(4), lambda: x * 3), x)]


def growing_value():
    return tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, tf.concat([v, [tf.cast(i, tf.float64)]], 0)),
                         [0, constant(9.0)], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])


def map_fn():
    x = constant(1.0, 2.0, 3.0, 4.0)
    return with_gradients(tf.map_fn(lambda v: v * v + tf.reduce_sum(x), x), x)


def scan():
    x = constant(1.0, 2.0, 3.0, 4.0)
    return with_gradients(tf.scan(lambda a, v: a * 0.5 + v * v, x), x)


def power():
    """x, and what a loop makes of it."""
    x = constant(1.25)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    return x, y


def rnn_over_lengths(where, condition):
    """A recurrent net over sequences of different lengths: past its end a sequence keeps its state.

    where(condition(runs), a, b): the rows of a where the vector `runs` is true, elsewhere those of b.
    """
    rng = np.random.RandomState(3)
    inputs, w, u = (tf.constant(rng.uniform(-1, 1, shape)) for shape in ((5, 3, 2), (2, 4), (4, 4)))
    lengths = tf.constant([5, 2, 3])
    steps = tf.TensorArray(tf.float64, size=5).unstack(inputs)
    outputs = tf.TensorArray(tf.float64, size=5)
    def body(t, state, outputs):
        new = tf.tanh(tf.matmul(steps.read(t), w) + tf.matmul(state, u))
        runs = t < lengths
        return (t + 1, where(condition(runs), new, state),
                outputs.write(t, where(condition(runs), new, tf.zeros_like(new))))
    _, state, outputs = tf.while_loop(lambda t, *_: t < tf.reduce_max(lengths), body,
                                      [0, tf.zeros([3, 4], tf.float64), outputs])
    return with_gradients(tf.reduce_sum(outputs.stack()) + tf.reduce_sum(state * state), inputs, w, u)


def repeat(times, step, x):
    """step(i, y), which begins with x, so many times."""
    return tf.while_loop(lambda i, y: i < times, lambda i, y: (i + 1, step(i, y)), [0, x])[1]


def of_power(x):
    return repeat(4, lambda i, y: y * x + tf.sin(y), x)


def of_cond_in_loop(x):
    return repeat(4, lambda i, y: tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: tf.exp(y * 0.3)), x)


def of_nested_loops(x):
    return repeat(3, lambda i, y: repeat(i, lambda j, z: z * x * 0.9 + tf.sin(z), y), x)


def of_scan(x):
    return tf.scan(lambda a, v: a * 0.5 * v + tf.sin(v), x)


def of_map_fn(x):
    return tf.map_fn(lambda v: v * v * tf.reduce_sum(x) + tf.exp(v), x)


def of_two_loops(x):
    first = repeat(3, lambda i, y: y * x, x)
    return repeat(2, lambda i, y: tf.sin(y) * first, x)


def of_loop_in_cond(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: repeat(3, lambda i, y: y * x * x, x), lambda: x)


def of_loop_that_does_not_run(x):
    return repeat(0, lambda i, y: y * x * x, x) * x * x


SECOND_DERIVATIVES = [with_second_gradients(make) for make in (
    of_power, of_cond_in_loop, of_nested_loops, of_scan, of_map_fn, of_two_loops, of_loop_in_cond,
    of_loop_that_does_not_run)]
