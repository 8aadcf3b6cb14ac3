"""Gradients of loops and branches over several tasks, for the make_graphs.py of placed_gradients and softly_placed.

TensorFlow runs them on its logical devices CPU:0 to CPU:3; in the files those are the tasks 0 to 3.
"""
import tensorflow.compat.v1 as tf
from exported import Exported
from tensorflow.python.ops import gen_state_ops

MOST = 4
BUILDERS = []
raw = tf.raw_ops


def placed(script):
    """The graphs of a folder. Soft placement: TensorFlow refuses to colocate what is on two tasks, or passes over it."""
    return Exported(script, config=tf.ConfigProto(device_count={"CPU": MOST}, allow_soft_placement=True),
                    devices={f"/device:CPU:{k}": f"/job:worker/task:{k}" for k in range(MOST)})


def each(build):
    BUILDERS.append(build)
    return build


def add_all(graph, colocated):
    """Each graph with gradients that are colocated with what they differentiate, or are not."""
    for build in BUILDERS:
        def made(build=build):
            return build(lambda y, *xs: tf.gradients(y, list(xs), colocate_gradients_with_ops=colocated))
        graph(made, build.__name__)


def on(k):
    return tf.device(f"/device:CPU:{k}")


def constant(*values):
    return tf.constant(values, tf.float64)


def ref(k, *values):
    """A variable on a task, after its assignment."""
    with on(k):
        return gen_state_ops.assign(gen_state_ops.variable_v2([len(values)], tf.float64), constant(*values))


def handle(k, *values):
    """The handle of a variable on a task, and its assignment."""
    with on(k):
        variable = raw.VarHandleOp(dtype=tf.float64, shape=[len(values)], shared_name="handle")
        return variable, raw.AssignVariableOp(resource=variable, value=constant(*values))


@each
def gradient_of_a_loop_on_another_task(grads):
    x, w = constant(1.0, 2.0), constant(0.5, 1.5)
    with on(1):
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y * w)), [0, x])
    return [y, *grads(y, x, w)]


@each
def gradient_of_a_loop_over_two_tasks(grads):
    with on(0):
        x, w = constant(1.0, 2.0), constant(0.5, 1.5)

    def body(i, y):
        with on(1):
            z = tf.sin(y * w)
        with on(0):
            return i + 1, z * y
    _, y = tf.while_loop(lambda i, y: i < 3, body, [0, x])
    return [y, *grads(y, x, w)]


@each
def gradient_of_a_loop_that_uses_a_reference(grads):
    v = ref(0, 0.5, 1.5)
    x = constant(1.0, 2.0)
    with tf.control_dependencies([v]):
        x = tf.identity(x)

    def body(i, y):
        with on(1):
            return i + 1, tf.sin(y * v)
    with on(1):
        _, y = tf.while_loop(lambda i, y: i < 3, body, [0, x])
    return [y, *grads(y, x, v)]


@each
def gradient_of_a_loop_that_reads_a_handle(grads):
    v, assigned = handle(0, 0.5, 1.5)
    x = constant(1.0, 2.0)
    with tf.control_dependencies([assigned]):
        x = tf.identity(x)

    def body(i, y):
        with on(1), tf.control_dependencies([y]):
            w = raw.ReadVariableOp(resource=v, dtype=tf.float64)
            return i + 1, tf.sin(y * w)
    with on(1):
        _, y = tf.while_loop(lambda i, y: i < 3, body, [0, x])
    return [y, *grads(y, x)]


@each
def gradient_of_a_loop_that_gathers_from_a_reference(grads):
    v = ref(0, 0.5, 1.5, 2.5)
    x = constant(1.0, 2.0)
    with tf.control_dependencies([v]):
        x = tf.identity(x)

    def body(i, y):
        rows = tf.gather(v, [i, 1])
        with on(1):
            return i + 1, tf.sin(y * rows)
    with on(1):
        _, y = tf.while_loop(lambda i, y: i < 2, body, [0, x])
    return [y, *grads(y, x), *[tf.convert_to_tensor(g) for g in grads(y, v)]]


@each
def gradient_of_a_loop_over_an_array(grads):
    with on(0):
        xs = constant(1.0, 2.0, 3.0)
        array = tf.TensorArray(tf.float64, 3).unstack(xs)

    def body(i, y, out):
        return i + 1, tf.sin(y * array.read(i)), out.write(i, y * y)
    with on(1):
        start = [0, tf.constant(0.5, tf.float64), tf.TensorArray(tf.float64, 3)]
        _, y, out = tf.while_loop(lambda i, y, out: i < 3, body, start)
    with on(2):
        squares = out.stack()
    return [y, squares, *grads([y, squares], xs)]


@each
def gradient_of_nested_loops_over_tasks(grads):
    x = constant(1.0, 2.0)
    with on(1):
        w = constant(0.5, 1.5)

    def inner(j, z):
        with on(2):
            return j + 1, tf.sin(z * w)

    def outer(i, y):
        with on(1):
            _, z = tf.while_loop(lambda j, z: j < 2, inner, [0, y])
        with on(3):
            return i + 1, z + y
    _, y = tf.while_loop(lambda i, y: i < 3, outer, [0, x])
    return [y, *grads(y, x, w)]


@each
def gradient_of_a_branch_in_a_loop_over_tasks(grads):
    x = constant(1.0, 2.0)
    with on(1):
        w = constant(0.5, 1.5)

    def outer(i, y):
        def a():
            with on(2):
                return y * w
        def b():
            with on(0):
                return y - w
        with on(1):
            z = tf.cond(tf.equal(i, 1), a, b)
        with on(3):
            return i + 1, z + y
    _, y = tf.while_loop(lambda i, y: i < 3, outer, [0, x])
    return [y, *grads(y, x, w)]


@each
def gradient_of_a_loop_with_an_initial_value_elsewhere(grads):
    with on(2):
        x = constant(1.0, 2.0)
        i0 = tf.constant(0)
    with on(3):
        w = constant(0.5, 1.5)
    with on(1):
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y * w)), [i0, x])
    with on(3):
        z = y * w
    return [z, *grads(z, x, w)]


@each
def training_a_reference_by_a_loop(grads):
    v = ref(0, 0.5, 1.5)
    with tf.control_dependencies([v]):
        x = tf.identity(constant(1.0, 2.0))
    with on(1):
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y * v)), [0, x])
    g, = grads(y, v)
    with on(0), tf.control_dependencies([y]):
        u = gen_state_ops.assign_sub(v, g * 0.1)
    return [y, g, tf.identity(u)]
