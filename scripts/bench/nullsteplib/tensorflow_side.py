"""Null steps of TensorFlow: a parameter server and workers, gRPC servers in processes of their own on loopback.

Rank for rank what `dfrun bench fetch` does: in each step all workers read the variable, or 32 rows of it."""
import argparse
import json
import statistics
import time

from nullsteplib.tensorflow_servers import TensorFlowServers, plain_config

ROW_FLOATS = 1024
ROWS = 32
# name, bytes of the variable, rows are read, steps
CASES = [("scalar", 4, False, 200), ("dense_100MB", 100_000_000, False, 8), ("dense_1GB", 1_000_000_000, False, 3),
         ("sparse_256MiB", 256 << 20, True, 100), ("sparse_1GiB", 1 << 30, True, 100), ("sparse_4GiB", 4 << 30, True, 100)]


def read_nodes(tf, variable, is_sparse, worker):
    rows = variable.shape[0]
    with tf.device("/job:ps/task:0"):
        value = variable
        if is_sparse:
            indices = [(i * (int(rows) // ROWS) + (worker + 1) * 7) % int(rows) for i in range(ROWS)]
            value = tf.gather(variable, tf.constant(indices, tf.int64))
    with tf.device(f"/job:worker/task:{worker}"):
        return tf.identity(value).op


def measure(target, workers, most_bytes):
    import tensorflow.compat.v1 as tf
    tf.disable_eager_execution()
    times = {}
    for name, size, is_sparse, steps in CASES:
        if size > most_bytes:
            continue
        with tf.Graph().as_default():
            shape = [size // (4 * ROW_FLOATS), ROW_FLOATS] if is_sparse else [size // 4]
            with tf.device("/job:ps/task:0"):
                variable = tf.get_variable(name, shape, tf.float32, tf.zeros_initializer(), use_resource=False)
            step = tf.group(*[read_nodes(tf, variable, is_sparse, w) for w in range(workers)])
            with tf.Session(target, config=plain_config(tf)) as session:
                session.run(variable.initializer)
                call = session.make_callable(step)
                call()
                taken = []
                for _ in range(steps):
                    start = time.perf_counter()
                    call()
                    taken.append(time.perf_counter() - start)
            times[name] = statistics.median(taken)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--most-bytes", type=int, required=True)
    parser.add_argument("--json", required=True)
    args = parser.parse_args()
    with TensorFlowServers(1, args.workers) as servers:
        times = measure(servers.target, args.workers, args.most_bytes)
    with open(args.json, "w", encoding="utf-8") as out:
        json.dump(times, out)


if __name__ == "__main__":
    main()
