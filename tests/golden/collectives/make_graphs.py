#!/usr/bin/env python3
"""Writes graphs of collectives and what TensorFlow gets from them: `python3 make_graphs.py`. See exported.py.

TensorFlow runs participant k on its logical device CPU:k; in the files it is on task k, so that ranks can take its part.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import Exported

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_collective_ops as collective

MOST = 4
graph = Exported(__file__, config=tf.ConfigProto(device_count={"CPU": MOST}, experimental=tf.ConfigProto.Experimental(
    collective_group_leader="/job:localhost/replica:0/task:0")),
                 devices={f"/device:CPU:{k}": f"/job:worker/task:{k}" for k in range(MOST)})


def on_each(size, make):
    """make(k) on device k."""
    results = []
    for k in range(size):
        with tf.device(f"/device:CPU:{k}"):
            results.append(make(k))
    return results


def value(k, shape, dtype=np.float64):
    """Small integers, so that sums are the same in every order."""
    count = int(np.prod(shape))
    return tf.identity(tf.constant(((np.arange(count) * (k + 3)) % 17 + 1).reshape(shape).astype(dtype)))


def reduce(size, shape, merge="Add", final="Id", key=1, dtype=np.float64):
    return on_each(size, lambda k: collective.collective_reduce(
        value(k, shape, dtype), group_size=size, group_key=size, instance_key=key, merge_op=merge, final_op=final,
        subdiv_offsets=[0]))


@graph
def sums_of_two():
    return reduce(2, [5])


@graph
def sums_of_three():
    return reduce(3, [4, 2])


@graph
def means_of_four():
    return reduce(4, [7], final="Div")


@graph
def every_merge():
    return [*reduce(2, [3], "Mul"), *reduce(2, [3], "Min", key=2), *reduce(2, [3], "Max", key=3)]


@graph
def every_dtype():
    return [part for key, dtype in enumerate((np.float16, np.float32, np.float64, np.int32, np.int64))
            for part in reduce(2, [3], dtype=dtype, key=key + 1)]


@graph
def large_sums():
    sums = reduce(3, [100, 101])
    return [part for total in sums for part in (tf.reduce_sum(total), total[99, 98:])]


@graph
def large_sums_with_roundings():
    sums = on_each(4, lambda k: collective.collective_reduce(
        value(k, [90, 103]) * (0.1 + k), group_size=4, group_key=4, instance_key=1, merge_op="Add", final_op="Div",
        subdiv_offsets=[0]))
    return [part for total in sums for part in (total[:1], total[89:])]


@graph
def gathers():
    return on_each(3, lambda k: collective.collective_gather(value(k, [2, 2]), group_size=3, group_key=3, instance_key=1,
                                                             shape=[6, 2]))


@graph
def broadcasts():
    def part(k):
        keys = {"group_size": 3, "group_key": 3, "instance_key": 1, "shape": [4]}
        if k == 1:
            return collective.collective_bcast_send(value(k, [4]), **keys)
        return collective.collective_bcast_recv(T=tf.float64, **keys)
    return on_each(3, part)


@graph
def one_behind_the_other():
    first = reduce(2, [3])
    return on_each(2, lambda k: collective.collective_reduce(
        first[k] * (k + 1), group_size=2, group_key=2, instance_key=2, merge_op="Add", final_op="Id", subdiv_offsets=[0]))


def keys(size, key=1):
    return {"group_size": tf.constant(size), "group_key": tf.constant(10 + size), "instance_key": tf.constant(key)}


def reduce_v2(size, shape, merge="Add", final="Id", key=1, dtype=np.float64):
    return on_each(size, lambda k: collective.collective_reduce_v2(
        value(k, shape, dtype), **keys(size, key), ordering_token=[], merge_op=merge, final_op=final))


@graph
def sums_by_inputs():
    return [*reduce_v2(2, [5]), *reduce_v2(3, [4, 2], final="Div"), *reduce_v2(2, [], "Max", key=2, dtype=np.int64)]


@graph
def every_merge_by_inputs():
    return [*reduce_v2(2, [3], "Mul"), *reduce_v2(2, [3], "Min", key=2), *reduce_v2(2, [3], "Max", key=3)]


@graph
def large_sums_by_inputs():
    return [part for total in reduce_v2(3, [101, 100]) for part in (tf.reduce_sum(total), total[100, 97:])]


@graph
def gathers_by_inputs():
    return on_each(3, lambda k: collective.collective_gather_v2(value(k, [2, 2]), **keys(3), ordering_token=[]))


@graph
def broadcasts_by_inputs():
    def part(k):
        if k == 2:
            return collective.collective_bcast_send_v2(value(k, [4, 3]), **keys(3))
        return collective.collective_bcast_recv_v2(T=tf.float64, shape=tf.constant([4, 3]), **keys(3))
    return on_each(3, part)


if __name__ == "__main__":
    graph.write()
