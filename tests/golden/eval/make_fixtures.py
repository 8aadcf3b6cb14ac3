#!/usr/bin/env python3
"""Makes the graphs beside this file and what TensorFlow computes from them: `python3 make_fixtures.py`.

Needs TensorFlow, h5py and numpy; only needed to change the fixtures. mlp.pb, training.pb and placed.pb are graphs,
expected.h5 holds what is fed and what TensorFlow fetches.
"""

import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import h5py
import numpy as np
import tensorflow.compat.v1 as tf

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 5


def save(name, graph):
    with open(os.path.join(HERE, name), "wb") as out:
        out.write(graph.as_graph_def().SerializeToString(deterministic=True))


def frozen_mlp(file):
    """Inference with weights as constants."""
    rng = np.random.RandomState(1)
    x = rng.rand(3, 8).astype("f")
    with tf.Graph().as_default() as graph:
        fed = tf.placeholder(tf.float32, [None, 8], name="x")
        hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(fed, rng.randn(8, 6).astype("f")), rng.randn(6).astype("f")), name="h")
        y = tf.nn.softmax(tf.matmul(hidden, rng.randn(6, 4).astype("f")), name="h/y")
        top = tf.argmax(y, 1, name="top")
        with tf.Session() as session:
            values = session.run([hidden, y, top], {fed: x})
    save("mlp.pb", graph)
    file["mlp/x"] = x
    file["mlp/h"], file["mlp/y"], file["mlp/top"] = values


def training(file, name, ps, worker):
    """Training of ref variables with momentum, on one batch; the parameters under `ps`, the rest under `worker`."""
    rng = np.random.RandomState(2)
    tf.disable_resource_variables()

    def variable(name, value):
        with tf.device(ps):
            return tf.get_variable(name, initializer=tf.constant(value, tf.float32))

    with tf.Graph().as_default() as graph, tf.device(worker):
        x = tf.constant(rng.rand(12, 8).astype("f"), name="x")
        labels = tf.constant(rng.randint(0, 4, 12), tf.int64, name="labels")
        w1 = variable("w1", rng.randn(8, 16) * 0.3)
        b1 = variable("b1", np.zeros(16))
        w2 = variable("w2", rng.randn(16, 4) * 0.3)
        logits = tf.matmul(tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w1), b1)), w2)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name="loss")
        tf.train.MomentumOptimizer(0.5, 0.9).minimize(loss, name="step")
        init = tf.group(tf.global_variables_initializer(), name="init")
        save(name + ".pb", graph)
        graph_def = graph.as_graph_def()
    for node in graph_def.node:  # TensorFlow itself runs it in one process
        node.device = ""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with tf.Session() as session:
            session.run("init")
            losses = [session.run(["loss:0", "step"])[0] for _ in range(STEPS)]
            file[name + "/w1"] = session.run("w1:0")
    file[name + "/loss"] = np.array(losses, "f")


if __name__ == "__main__":
    with h5py.File(os.path.join(HERE, "expected.h5"), "w") as expected:
        frozen_mlp(expected)
        training(expected, "training", None, None)
        training(expected, "placed", "/job:ps/task:0", "/job:worker/task:0")
