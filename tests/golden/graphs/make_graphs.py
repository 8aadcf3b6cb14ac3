#!/usr/bin/env python3
"""Writes what TensorFlow 1 code exports, and the losses that TensorFlow gets from it: `python3 make_graphs.py [NAME...]`.

Needs TensorFlow (tensorflow-cpu 2.21); only needed to change the fixtures. Beside this file: NAME.pb for each graph, with
the nodes init, step, loss and output, and expected.txt, a line each: name, steps, the loss of each step, and `output`'s
first elements in a forward step after init.

Names are MODEL.OPTIMISER.KIND, KIND being ref or resource: how the variables are kept. Graphs of resource variables have
their default attrs stripped, as SavedModels have.
"""
import os
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import meta_graph

import models

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 20
SHOWN = 8

OPTIMISERS = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-4),
    "adam": lambda: tf.train.AdamOptimizer(0.01, epsilon=1e-4),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.5, epsilon=1e-4),
    "centered_rmsprop": lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.5, epsilon=1e-3, centered=True),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=1e-3, l2_regularization_strength=1e-3),
}
MODELS = {  # model: the optimiser of its two graphs
    models.mlp: "momentum",
    models.lenet: "nesterov",
    models.resnet_block: "momentum",
    models.lstm: "adagrad",
    models.sampled_softmax: "gradient_descent",
    models.word2vec: "adagrad",
    models.autoencoder: "rmsprop",
    models.matrix_factorisation: "adam",
    models.dqn: "centered_rmsprop",
    models.transformer: "adam",
}


def cases():
    for kind in ("ref", "resource"):
        for model, optimiser in MODELS.items():
            yield model, optimiser, kind
        for optimiser in OPTIMISERS:
            yield models.dense_and_sparse, optimiser, kind


def build(model, optimiser, kind):
    """The update waits for the loss, so that no part of it is computed from new values."""
    (tf.enable_resource_variables if kind == "resource" else tf.disable_resource_variables)()
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        loss, output = model(models.Maker())
        tf.identity(output, "output")
        loss = tf.identity(loss, "loss")
        trainer = OPTIMISERS[optimiser]()
        gradients, variables = zip(*trainer.compute_gradients(
            loss, [v for v in tf.trainable_variables() if not v.name.startswith("target/")]))
        if model is models.dqn:
            gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
        with tf.control_dependencies([loss]):
            trainer.apply_gradients(zip(gradients, variables), tf.train.get_or_create_global_step(), name="step")
        tf.group(tf.global_variables_initializer(), name="init")
    definition = graph.as_graph_def()
    if kind == "resource":
        holder = tf.MetaGraphDef(graph_def=definition)
        meta_graph.strip_graph_default_valued_attrs(holder)
        definition = holder.graph_def
    return definition


def session(definition):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    made = tf.Session(graph=graph, config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
    made.run("init")
    return made


def expected(definition):
    with session(definition) as made:
        losses = [made.run(["loss:0", "step"])[0] for _ in range(STEPS)]
    with session(definition) as made:
        output = made.run("output:0").reshape(-1)[:SHOWN]
    return losses, output


def text(values):
    return " ".join(str(np.float32(v)) for v in values)


def main():
    lines = {}
    path = os.path.join(HERE, "expected.txt")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            lines = {line.split()[0]: line for line in file if not line.startswith("#")}
    for model, optimiser, kind in cases():
        name = f"{model.__name__}.{optimiser}.{kind}"
        if sys.argv[1:] and not any(wanted in name for wanted in sys.argv[1:]):
            continue
        definition = build(model, optimiser, kind)
        with open(os.path.join(HERE, name + ".pb"), "wb") as out:
            out.write(definition.SerializeToString(deterministic=True))
        losses, output = expected(definition)
        lines[name] = f"{name} loss {text(losses)} output {text(output)}\n"
        print(name, len(definition.node), "nodes", definition.ByteSize(), "bytes", losses[0], losses[-1], flush=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"# Written by make_graphs.py with TensorFlow {tf.version.VERSION}.\n")
        out.writelines(lines[name] for name in sorted(lines))


if __name__ == "__main__":
    main()
