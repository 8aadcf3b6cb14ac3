"""TensorFlow's servers on loopback: gRPC, a process for each parameter server and each worker, one thread each."""
import multiprocessing
import os

from peerlib.one_host import free_ports


def serve(cluster, job, task):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what TensorFlow says when it starts; a failure shows in the session
    import tensorflow.compat.v1 as tf
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=task, config=config).join()


class TensorFlowServers:
    """Runs servers between `with` and its end; `target` is the address of the first worker, for sessions."""

    def __init__(self, servers, workers):
        addresses = [f"127.0.0.1:{port}" for port in free_ports(servers + workers)]
        self.cluster = {"ps": addresses[:servers], "worker": addresses[servers:]}
        self.target = f"grpc://{addresses[servers]}"
        self._processes = []

    def __enter__(self):
        context = multiprocessing.get_context("spawn")
        for job, addresses in self.cluster.items():
            for task in range(len(addresses)):
                process = context.Process(target=serve, args=(self.cluster, job, task), daemon=True)
                process.start()
                self._processes.append(process)
        return self

    def __exit__(self, *unused):
        for process in self._processes:
            process.kill()


def plain_config(tf):
    """Of a session: nothing is rewritten, as in dfrun's benchmark."""
    options = tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
    config = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=options))
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config
