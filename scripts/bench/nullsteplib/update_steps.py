"""Null steps with updates, of TensorFlow: what `dfrun bench fetch --update` does, node for node.

Each worker reads the model, or rows that it draws, multiplies by a number what it has read, and sends that back. The
servers apply what all workers have sent when all of it is there, so that the step is synchronous."""
import time

from nullsteplib.tensorflow_servers import plain_config

ROW_FLOATS = 1024
ROWS = 32
UPDATE = 1e-3


class UpdateSteps:
    """The steps of one case in a session of the servers. `close` leaves them without its variables."""

    def __init__(self, target, servers, workers, size, is_sparse):
        import tensorflow.compat.v1 as tf
        tf.disable_eager_execution()
        self._tf, self._target, self._servers, self._workers = tf, target, servers, workers
        graph = tf.Graph()
        with graph.as_default():
            pairs = [self._rows(s, size) if is_sparse else self._dense(s, size) for s in range(servers)]
        self._session = tf.Session(target, graph=graph, config=plain_config(tf))
        self._session.run([variable.initializer for variable, _ in pairs])
        with graph.as_default():
            self._call = self._session.make_callable(tf.group(*[op for _, ops in pairs for op in ops]))

    def times(self, steps):
        """Seconds of each of the steps, after one that is not timed."""
        self._call()
        taken = []
        for _ in range(steps):
            start = time.perf_counter()
            self._call()
            taken.append(time.perf_counter() - start)
        return taken

    def close(self):
        self._session.close()
        self._tf.Session.reset(self._target)

    def _variable(self, server, shape):
        tf = self._tf
        return tf.get_variable(f"part_{server}", shape, tf.float32, tf.zeros_initializer(), use_resource=False)

    def _update(self, worker, value):
        with self._tf.device(f"/job:worker/task:{worker}"):
            return self._tf.identity(value) * UPDATE

    def _dense(self, server, size):
        tf = self._tf
        with tf.device(f"/job:ps/task:{server}"):
            variable = self._variable(server, [1 if size == 4 else size // 4 // self._servers])
        updates = [self._update(worker, variable) for worker in range(self._workers)]
        with tf.device(f"/job:ps/task:{server}"):
            return variable, [tf.assign_sub(variable, tf.add_n(updates)).op]

    def _rows(self, server, size):
        tf = self._tf
        rows = size // 4 // self._servers // ROW_FLOATS
        with tf.device(f"/job:ps/task:{server}"):
            variable = self._variable(server, [rows, ROW_FLOATS])
        numbers, reads, updates = [], [], []
        for worker in range(self._workers):
            with tf.device(f"/job:worker/task:{worker}"):
                numbers.append(tf.random.uniform([ROWS // self._servers], 0, rows, tf.int64, seed=worker + 1))
            with tf.device(f"/job:ps/task:{server}"):
                reads.append(tf.gather(variable, numbers[-1]))
            updates.append(self._update(worker, reads[-1]))
        with tf.device(f"/job:ps/task:{server}"), tf.control_dependencies(reads):
            return variable, [tf.scatter_sub(variable, *pair, use_locking=True).op for pair in zip(numbers, updates)]
