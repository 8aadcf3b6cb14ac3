"""Null steps of TensorFlow: a parameter server and workers, gRPC servers in processes of their own on loopback.

Rank for rank what `dfrun bench fetch` does: in each step all workers read the variable, or 32 rows of it."""
import argparse
import json
import multiprocessing
import statistics
import time

from peerlib.one_host import free_ports

ROW_FLOATS = 1024
ROWS = 32
# name, bytes of the variable, rows are read, steps
CASES = [("scalar", 4, False, 200), ("dense_100MB", 100_000_000, False, 8), ("dense_1GB", 1_000_000_000, False, 3),
         ("sparse_256MiB", 256 << 20, True, 100), ("sparse_1GiB", 1 << 30, True, 100), ("sparse_4GiB", 4 << 30, True, 100)]


def serve(cluster, job, task):
    import tensorflow.compat.v1 as tf
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=task, config=config).join()


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
            options = tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
            config = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=options))
            config.graph_options.rewrite_options.disable_meta_optimizer = True
            with tf.Session(target, config=config) as session:
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
    ports = free_ports(args.workers + 1)
    addresses = [f"127.0.0.1:{port}" for port in ports]
    cluster = {"ps": addresses[:1], "worker": addresses[1:]}
    context = multiprocessing.get_context("spawn")
    servers = [context.Process(target=serve, args=(cluster, "ps", 0), daemon=True)]
    servers += [context.Process(target=serve, args=(cluster, "worker", w), daemon=True) for w in range(args.workers)]
    for server in servers:
        server.start()
    try:
        times = measure(f"grpc://{addresses[1]}", args.workers, args.most_bytes)
    finally:
        for server in servers:
            server.kill()
    with open(args.json, "w", encoding="utf-8") as out:
        json.dump(times, out)


if __name__ == "__main__":
    main()
