#!/usr/bin/env python3
"""Makes the graphs beside this file and what TensorFlow computes from them: `python3 make_fixtures.py`.

Needs TensorFlow, h5py and numpy; only needed to change the fixtures. mlp.pb, saver.pb, training.pb and placed.pb are
graphs, expected.h5 holds what is fed and what TensorFlow fetches.
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


def saver(file):
    """Trains a partitioned resource variable and a ref variable; `save` and `restore` are those of a sharded Saver."""
    tf.set_random_seed(1)
    with tf.Graph().as_default() as graph:
        rng = np.random.RandomState(3)
        with tf.variable_scope("", use_resource=True, partitioner=tf.fixed_size_partitioner(2)):
            kernel = tf.get_variable("kernel", initializer=tf.constant(rng.randn(4, 3), tf.float32))
        bias = tf.get_variable("bias", [3], initializer=tf.zeros_initializer(), use_resource=False)
        y = tf.matmul(tf.constant(rng.rand(5, 4), tf.float32), tf.convert_to_tensor(kernel)) + bias
        tf.train.AdagradOptimizer(0.5).minimize(tf.reduce_sum(y * y), name="step")
        tf.group(tf.global_variables_initializer(), name="init")
        tf.concat([tf.convert_to_tensor(kernel), [bias]], 0, name="values")
        names = tf.train.Saver(sharded=True).as_saver_def()
        with tf.control_dependencies([graph.get_tensor_by_name(names.save_tensor_name)]):
            tf.no_op(name="save_all")
        save("saver.pb", graph)
        with tf.Session() as session:
            session.run("init")
            for _ in range(STEPS):
                session.run("step")
            file["saver/values"] = session.run("values:0")
    file["saver/path"] = "given/model"


if __name__ == "__main__":
    with h5py.File(os.path.join(HERE, "expected.h5"), "w") as expected:
        frozen_mlp(expected)
        saver(expected)
        training(expected, "training", None, None)
        training(expected, "placed", "/job:ps/task:0", "/job:worker/task:0")
