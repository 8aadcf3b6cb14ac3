"""How the make_graphs.py beside this file write graphs that TensorFlow exports, and what TensorFlow gets from them.

Needs TensorFlow (tensorflow-cpu 2.21); only needed to change the fixtures. A folder holds NAME.pb for each graph, whose
node `result` holds all that is compared as one float64 vector, and expected.txt, a line each: name and elements, or
name, `error` and the error that running it gives.
"""
import itertools
import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow.compat.v1 as tf


class Exported:
    """The graphs of one folder. `@exported` before a function that gives the tensors which are compared; or
    `exported(function, name)` for one that stands elsewhere, where the graph's name is not the function's.

    `config`: of the session, of one graph where it is given there. `devices`: by the name that a device has in TensorFlow, the one that it gets in the files.
    """

    def __init__(self, script, config=None, devices=None):
        self.config = config
        self.devices = devices or {}
        self.folder = os.path.dirname(os.path.abspath(script))
        self.builders = {}

    def __call__(self, build, name=None, **session):
        self.builders[name or build.__name__] = build, session.get("config", self.config)
        return build

    def _export(self, name, build, config):
        with tf.Graph().as_default() as made:
            parts = [tf.reshape(tf.cast(part, tf.float64), [-1]) for part in tf.nest.flatten(build())]
            tf.identity(tf.concat(parts, 0), "result")
            with tf.Session(config=config) as session:
                try:
                    outcome = list(map(repr, session.run("result:0").tolist()))
                except tf.errors.OpError as error:
                    outcome = ["error", type(error).__name__.removesuffix("Error")]
            definition = made.as_graph_def()
        bodies = [function.node_def for function in definition.library.function]
        for node in itertools.chain(definition.node, *bodies):
            node.device = self.devices.get(node.device, node.device)
        with open(os.path.join(self.folder, name + ".pb"), "wb") as out:
            out.write(definition.SerializeToString(deterministic=True))
        print(name, len(definition.node), "nodes", *outcome)
        return " ".join([name, *outcome]) + "\n"

    def write(self, functional=False):
        """`functional`: conditionals and loops as ops that call functions, not in the primitive form."""
        tf.disable_eager_execution()
        (tf.enable_control_flow_v2 if functional else tf.disable_control_flow_v2)()
        lines = [f"# Written by make_graphs.py with TensorFlow {tf.version.VERSION}.\n",
                 *(self._export(name, *given) for name, given in self.builders.items())]
        with open(os.path.join(self.folder, "expected.txt"), "w", encoding="utf-8") as out:
            out.writelines(lines)
