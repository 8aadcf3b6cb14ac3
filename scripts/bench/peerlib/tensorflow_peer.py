"""Runs a model on TensorFlow's executor."""
import numpy
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2

from peerlib.model import time_steps

# RunOptions.inter_op_thread_pool: on the thread that calls, or on the session's pool. The first is 7 times faster for
# an empty step, the second for some wide graphs: each case gets the better.
THREAD_POOLS = {"caller": -1, "session": 0}
TRIAL_STEPS = 5


def session_config(model, threads):
    config = config_pb2.ConfigProto(inter_op_parallelism_threads=threads, intra_op_parallelism_threads=threads,
                                    use_per_session_threads=True, device_count={"GPU": 0})
    if not model.optimize:
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
        config.graph_options.optimizer_options.opt_level = config_pb2.OptimizerOptions.L0
    return config


class TensorFlowPeer:
    """A session on one model, which stays open between rounds. Close it with `with`."""

    def __init__(self, model, threads):
        self.model = model
        graph = tf.Graph()
        with graph.as_default():
            tf.import_graph_def(model.graph, name="")
        self.session = tf.Session(graph=graph, config=session_config(model, threads))
        self.pool = THREAD_POOLS["session"]
        if threads == 1:
            self.pool = min(THREAD_POOLS.values(), key=self.trial_ms)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.session.close()

    def callable_for(self, **what):
        options = config_pb2.CallableOptions(**what)
        options.run_options.inter_op_thread_pool = self.pool
        return self.session._make_callable_from_options(options)  # pylint: disable=protected-access

    def trial_ms(self, pool):
        self.pool = pool
        return self.time_steps(TRIAL_STEPS).best

    def reset(self):
        if self.model.init:
            self.callable_for(target=[self.model.init])()

    def losses(self, steps):
        """The loss of each of the first steps."""
        self.reset()
        run = self.callable_for(fetch=[self.model.loss], target=[self.model.target])
        return numpy.array([run()[0] for _ in range(steps)])

    def time_steps(self, steps):
        self.reset()
        return time_steps(self.callable_for(target=[self.model.target]), steps)
