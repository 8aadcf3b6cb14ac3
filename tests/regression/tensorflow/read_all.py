"""Reads a checkpoint by TensorFlow's three readers, and compares each variable with the shards, bit by bit.

    read_all.py CHECKPOINT
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.dont_write_bytecode = True

import numpy
import tensorflow as tf
from bundle import DT_STRING, read_bundle

CHECKPOINT = sys.argv[1]
PREFIX = f"{CHECKPOINT}/tf"
TENSORS = read_bundle(PREFIX)  # compare.py has compared these with h5py's
v1 = tf.compat.v1


def same(name, value):
    dtype, shape, content = TENSORS[name]
    assert list(numpy.shape(value)) == shape, (name, numpy.shape(value))
    if dtype == DT_STRING:
        flat = numpy.asarray(value, dtype=object).ravel().tolist()
        assert flat == content, name
    else:
        assert numpy.ascontiguousarray(value).tobytes() == content, name


def by_reader():
    reader = tf.train.load_checkpoint(PREFIX)
    assert set(reader.get_variable_to_shape_map()) == set(TENSORS)
    for name in TENSORS:
        same(name, reader.get_tensor(name))


def by_saver():
    # TensorFlow assigns no variables of DT_QINT16 and DT_QUINT16.
    names = [name for name, (dtype, _, _) in TENSORS.items() if dtype not in (15, 16)]
    with tf.Graph().as_default(), v1.Session() as session:
        variables = {}
        for name in names:
            dtype, shape, _ = TENSORS[name]
            variables[name] = v1.Variable(v1.placeholder(tf.dtypes.as_dtype(dtype), shape), name=name,
                                          use_resource=False)
        v1.train.Saver(variables).restore(session, PREFIX)
        for name in names:
            same(name, session.run(variables[name]))


def zeros(dtype, shape):
    if dtype == tf.string:
        return tf.fill(shape, "")
    if dtype.is_quantized:
        return tf.bitcast(tf.zeros(shape, dtype.name[1:]), dtype)
    return tf.zeros(shape, dtype)


def by_checkpoint():
    variables = {}
    for number, (name, (dtype, shape, _)) in enumerate(TENSORS.items()):
        variables[f"v{number}"] = tf.Variable(zeros(tf.dtypes.as_dtype(dtype), shape), name=name)
    status = tf.train.Checkpoint(**variables).read(PREFIX)
    status.assert_existing_objects_matched()
    for number, name in enumerate(TENSORS):
        variable = variables[f"v{number}"]
        if not variable.dtype.is_quantized:  # which become no arrays
            same(name, variable.numpy())


by_reader()
by_saver()
by_checkpoint()
print(f"{len(TENSORS)} variables by three readers")
