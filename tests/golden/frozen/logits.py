"""Prints the logits of the first 8 test images by TensorFlow: logits.py GRAPH FILE.h5"""
import sys

import h5py
import tensorflow as tf

graph_def = tf.compat.v1.GraphDef()
with open(sys.argv[1], "rb") as file:
    graph_def.ParseFromString(file.read())
with h5py.File(sys.argv[2]) as file:
    images = file["/test/image"][:8]
with tf.Graph().as_default():
    tf.import_graph_def(graph_def, name="")
    with tf.compat.v1.Session() as session:
        for row in session.run("logits:0", {"batch/image:0": images}):
            print(*[repr(float(value)) for value in row])
