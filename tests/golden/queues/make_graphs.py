#!/usr/bin/env python3
"""Writes the graphs of this folder: queues, mutexes and accumulators within one step.

Usage: make_graphs.py. See ../exported.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import critical_section_ops, data_flow_ops, gen_data_flow_ops

from exported import Exported

exported = Exported(__file__)


def in_turn(*makers):
    """The outputs of the makers' ops, each of which runs when the one before has."""
    outputs = []
    previous = []
    for make in makers:
        with tf.control_dependencies(previous):
            made = make()
        flat = tf.nest.flatten(made)
        previous = [x for x in flat if x is not None]
        outputs.append(made)
    return outputs


@exported
def fifo_keeps_the_order():
    queue = tf.FIFOQueue(10, [tf.float64, tf.int32], shapes=[[2], []])
    rows = tf.reshape(tf.range(8, dtype=tf.float64), [4, 2])
    out = in_turn(lambda: queue.enqueue_many([rows, tf.range(4)]), lambda: queue.enqueue([[8.0, 9.0], 4]), queue.dequeue,
                  lambda: queue.dequeue_many(3), queue.size, queue.dequeue)
    return [*out[2], *out[3], out[4], *out[5]]


@exported
def fifo_with_a_string_handle():
    handle = gen_data_flow_ops.fifo_queue([tf.int64, tf.float32], shapes=[[], [3]], capacity=5)
    types = [tf.int64, tf.float32]
    out = in_turn(
        lambda: gen_data_flow_ops.queue_enqueue_many(handle, [tf.range(4, dtype=tf.int64), tf.ones([4, 3])]),
        lambda: gen_data_flow_ops.queue_enqueue(handle, [tf.constant(7, tf.int64), tf.zeros([3])]),
        lambda: gen_data_flow_ops.queue_size(handle),
        lambda: gen_data_flow_ops.queue_dequeue_many(handle, 2, types),
        lambda: gen_data_flow_ops.queue_close(handle),
        lambda: gen_data_flow_ops.queue_dequeue(handle, types),
        lambda: gen_data_flow_ops.queue_dequeue_up_to(handle, 5, types),
        lambda: gen_data_flow_ops.queue_is_closed(handle))
    return [out[2], *out[3], *out[5], *out[6], out[7]]


@exported
def a_full_queue_lets_in_what_others_make_room_for():
    queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
    enqueue = queue.enqueue_many([tf.range(7)])
    first = queue.dequeue_many(3)
    with tf.control_dependencies([first]):
        second = queue.dequeue_many(4)
    with tf.control_dependencies([enqueue, second]):
        return [tf.identity(first), tf.identity(second), queue.size()]


@exported
def close_lets_out_what_is_left():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    out = in_turn(lambda: queue.enqueue_many([tf.range(5)]), queue.close, lambda: queue.dequeue_up_to(3),
                  lambda: queue.dequeue_up_to(3), queue.is_closed, queue.size)
    return [out[2], out[3], out[4], out[5]]


@exported
def a_closed_queue_is_out_of_range():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    out = in_turn(lambda: queue.enqueue_many([tf.range(2)]), queue.close, lambda: queue.dequeue_many(3))
    return [out[2]]


@exported
def nothing_enters_a_closed_queue():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    in_turn(queue.close, lambda: queue.enqueue([1]))
    with tf.control_dependencies(tf.get_default_graph().get_operations()[-1:]):
        return [queue.size()]


@exported
def shapes_are_checked():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[2]])
    out = in_turn(lambda: queue.enqueue([tf.placeholder_with_default(tf.constant([1, 2, 3]), None)]), queue.size)
    return [out[1]]


@exported
def batches_need_shapes():
    queue = tf.FIFOQueue(10, [tf.int32])
    out = in_turn(lambda: queue.enqueue([[1, 2]]),
                  lambda: gen_data_flow_ops.queue_dequeue_many_v2(queue.queue_ref, 1, [tf.int32]))
    return [out[1][0]]


@exported
def elements_of_any_shape():
    queue = tf.FIFOQueue(10, [tf.float32, tf.string])
    out = in_turn(lambda: queue.enqueue([tf.ones([2, 3]), ["a", "bc"]]), lambda: queue.enqueue([5.0, "def"]), queue.dequeue,
                  queue.dequeue)
    return [out[2][0], tf.strings.length(out[2][1]), out[3][0], tf.strings.length(out[3][1])]


@exported
def shuffled_with_seeds():
    queue = tf.RandomShuffleQueue(100, 4, [tf.int64], shapes=[[]], seed=7)
    out = in_turn(lambda: queue.enqueue_many([tf.range(20, dtype=tf.int64)]), lambda: queue.dequeue_many(5), queue.dequeue,
                  lambda: queue.enqueue_many([tf.range(100, 110, dtype=tf.int64)]), lambda: queue.dequeue_many(12),
                  queue.size, queue.close, lambda: queue.dequeue_up_to(50))
    return [out[1], out[2], out[4], out[5], out[7]]


@exported
def padded_to_the_largest():
    queue = tf.PaddingFIFOQueue(10, [tf.float32, tf.int32], shapes=[[None, None], [None]])
    out = in_turn(lambda: queue.enqueue([tf.ones([2, 1]), [1]]), lambda: queue.enqueue([tf.fill([1, 3], 2.0), [2, 3, 4]]),
                  lambda: queue.enqueue([tf.zeros([0, 2]), []]), lambda: queue.enqueue([tf.fill([2, 2], 5.0), [9, 9]]),
                  lambda: queue.dequeue_many(3), queue.close, lambda: queue.dequeue_up_to(4))
    return [*out[4], *map(tf.shape, out[4]), *out[6], *map(tf.shape, out[6])]


@exported
def padded_batches_of_none():
    queue = tf.PaddingFIFOQueue(10, [tf.float32], shapes=[[None, 2]])
    return [tf.shape(queue.dequeue_many(0))]


@exported
def least_priority_first():
    queue = tf.PriorityQueue(20, [tf.int32, tf.float64], shapes=[[], [2]])
    priorities = tf.constant([5, -3, 5, 0, 2, -3], tf.int64)
    values = tf.reshape(tf.range(12, dtype=tf.float64), [6, 2])
    out = in_turn(lambda: queue.enqueue_many([priorities, tf.range(6), values]), lambda: queue.dequeue_many(2), queue.dequeue,
                  lambda: queue.enqueue([tf.constant(-9, tf.int64), 50, [1.0, 2.0]]), lambda: queue.dequeue_many(4))
    return [*out[1], *out[2], *out[4]]


@exported
def cancelled_enqueues():
    queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
    out = in_turn(lambda: queue.enqueue_many([tf.range(2)]), lambda: queue.close(cancel_pending_enqueues=True),
                  lambda: queue.dequeue_many(2), queue.is_closed)
    return [out[2], out[3]]


@exported
def a_queue_of_many_in_a_loop():
    queue = tf.FIFOQueue(3, [tf.float64], shapes=[[]])

    def body(i, total):
        with tf.control_dependencies([queue.enqueue([tf.cast(i, tf.float64) * 1.5])]):
            return i + 1, total + queue.dequeue()

    return tf.while_loop(lambda i, _: i < 30, body, [0, tf.constant(0.0, tf.float64)], parallel_iterations=3)


@exported
def accumulated_gradients():
    mean = data_flow_ops.ConditionalAccumulator(tf.float64, shape=[2], reduction_type="MEAN")
    out = in_turn(lambda: mean.apply_grad([1.0, 2.0], 0), lambda: mean.apply_grad([4.0, 8.0], 3), mean.num_accumulated,
                  lambda: mean.take_grad(2), lambda: mean.apply_grad([100.0, 100.0], 0), mean.num_accumulated,
                  lambda: mean.set_global_step(5), lambda: mean.apply_grad([7.0, 7.0], 4),
                  lambda: mean.apply_grad([3.0, 5.0], 5), lambda: mean.take_grad(1))
    return [out[2], out[3], out[5], out[9]]


@exported
def summed_gradients_wait_for_enough():
    total = data_flow_ops.ConditionalAccumulator(tf.float32, shape=None, reduction_type="SUM")
    applied = [total.apply_grad(tf.fill([3], float(2**i)), 0) for i in range(5)]
    taken = total.take_grad(5)
    with tf.control_dependencies([*applied, taken]):
        return [tf.identity(taken), total.num_accumulated()]


@exported
def gradients_of_another_shape():
    mean = data_flow_ops.ConditionalAccumulator(tf.float32, shape=[2])
    out = in_turn(lambda: mean.apply_grad(tf.placeholder_with_default(tf.ones([3]), None), 0), mean.num_accumulated)
    return [out[1]]


@exported
def one_after_the_other_under_a_mutex():
    total = tf.Variable(0.0, dtype=tf.float64, use_resource=True)
    section = critical_section_ops.CriticalSection()

    def add(amount):
        def change():
            value = total.read_value()
            with tf.control_dependencies([total.assign(value * 0.0 + value + amount)]):
                return tf.constant(1.0, tf.float64)
        return section.execute(change)

    with tf.control_dependencies([total.initializer]):
        done = [add(float(i)) for i in range(8)]
    with tf.control_dependencies(done):
        return [total.read_value()]


@exported
def all_kinds_with_string_handles():
    types = [tf.int64]
    shuffled = gen_data_flow_ops.random_shuffle_queue(types, shapes=[[]], min_after_dequeue=2, seed=3, seed2=5)
    padded = gen_data_flow_ops.padding_fifo_queue(types, shapes=[[None]])
    ordered = gen_data_flow_ops.priority_queue([[]], types)
    priorities = tf.constant([3, 1, 2], tf.int64)
    out = in_turn(lambda: gen_data_flow_ops.queue_enqueue_many(shuffled, [tf.range(9, dtype=tf.int64)]),
                  lambda: gen_data_flow_ops.queue_dequeue_many(shuffled, 7, types),
                  lambda: gen_data_flow_ops.queue_enqueue(padded, [tf.constant([1, 2, 3], tf.int64)]),
                  lambda: gen_data_flow_ops.queue_enqueue(padded, [tf.constant([4], tf.int64)]),
                  lambda: gen_data_flow_ops.queue_dequeue_many(padded, 2, types),
                  lambda: gen_data_flow_ops.queue_enqueue_many(ordered, [priorities, priorities * 10]),
                  lambda: gen_data_flow_ops.queue_dequeue_many(ordered, 3, [tf.int64, tf.int64]))
    return [*out[1], *out[4], *out[6]]


@exported
def an_accumulator_with_a_string_handle():
    handle = gen_data_flow_ops.conditional_accumulator(tf.float32, shape=[2])
    out = in_turn(lambda: gen_data_flow_ops.accumulator_set_global_step(handle, tf.constant(1, tf.int64)),
                  lambda: gen_data_flow_ops.accumulator_apply_gradient(handle, tf.constant(0, tf.int64), tf.ones([2])),
                  lambda: gen_data_flow_ops.accumulator_apply_gradient(handle, tf.constant(1, tf.int64), [2.0, 5.0]),
                  lambda: gen_data_flow_ops.accumulator_apply_gradient(handle, tf.constant(7, tf.int64), [4.0, 6.0]),
                  lambda: gen_data_flow_ops.accumulator_num_accumulated(handle),
                  lambda: gen_data_flow_ops.accumulator_take_gradient(handle, 2, tf.float32))
    return [out[4], out[5]]


def slices(indices, values):
    return {"grad_indices": tf.constant(indices, tf.int64), "grad_values": tf.constant(values)}


@exported
def accumulated_slices():
    mean = data_flow_ops.SparseConditionalAccumulator(tf.float32, shape=[7, 2])
    out = in_turn(lambda: mean.apply_grad(**slices([1, 4], [[1.0, 2.0], [3.0, 5.0]])),
                  lambda: mean.apply_grad(**slices([0, 4, 6], [[1.0, 1.0], [2.0, 2.0], [7.0, 9.0]])),
                  lambda: mean.apply_grad(**slices([4], [[0.25, 0.5]])), mean.num_accumulated,
                  lambda: mean.take_grad(2), mean.num_accumulated,
                  lambda: mean.apply_grad(**slices([3], [[1.0, 1.0]])), mean.num_accumulated,
                  lambda: mean.set_global_step(4), lambda: mean.apply_grad(**slices([3], [[8.0, 8.0]]), local_step=3),
                  lambda: mean.apply_grad(**slices([5, 2], [[3.0, 4.0], [5.0, 6.0]]), local_step=4),
                  lambda: mean.take_grad(1))
    return [out[3], *out[4], out[5], out[7], *out[11]]


@exported
def summed_slices_wait_for_enough():
    total = data_flow_ops.SparseConditionalAccumulator(tf.float64, shape=None, reduction_type="SUM")
    applied = [total.apply_grad(tf.range(i % 3, dtype=tf.int64), tf.fill([i % 3, 2, 2], tf.constant(2.0**i, tf.float64)),
                                grad_shape=tf.constant([9, 2, 2], tf.int64)) for i in range(6)]
    taken = total.take_grad(6)
    with tf.control_dependencies([*applied, *taken]):
        return [*map(tf.identity, taken), total.num_accumulated()]


@exported
def slices_in_half_precision():
    total = data_flow_ops.SparseConditionalAccumulator(tf.float16, shape=[None])
    out = in_turn(lambda: total.apply_indexed_slices_grad(tf.IndexedSlices(
                      tf.constant([0.1, 0.2], tf.float16), tf.constant([0, 3], tf.int64))),
                  lambda: total.apply_indexed_slices_grad(tf.IndexedSlices(
                      tf.constant([0.3, 0.7, 3.1], tf.float16), tf.constant([0, 2, 3], tf.int64))),
                  lambda: total.take_grad(1))
    return out[2]


@exported
def slices_of_no_gradient():
    total = data_flow_ops.SparseConditionalAccumulator(tf.float32, shape=[4, 3])
    out = in_turn(lambda: total.apply_grad(tf.zeros([0], tf.int64), tf.zeros([0, 3])), lambda: total.take_grad(1))
    return out[1]


def a_wrong_slice(indices, values, accumulator_shape=(4, 2), **more):
    total = data_flow_ops.SparseConditionalAccumulator(tf.float32, shape=accumulator_shape)
    hidden = [tf.placeholder_with_default(tf.constant(x, t), None) for x, t in ((indices, tf.int64), (values, tf.float32))]
    out = in_turn(lambda: gen_data_flow_ops.sparse_accumulator_apply_gradient(
                      total.accumulator_ref, tf.constant(0, tf.int64), *hidden, more.get("whole", [4, 2]),
                      has_known_shape=True), total.num_accumulated)
    return [out[1]]


@exported
def a_slice_beyond_the_end():
    return a_wrong_slice([4], [[1.0, 2.0]])


@exported
def a_slice_of_another_width():
    return a_wrong_slice([1], [[1.0, 2.0, 3.0]])


@exported
def slices_without_a_dimension():
    return a_wrong_slice([], 1.0)


@exported
def more_indices_than_slices():
    return a_wrong_slice([0, 1], [[1.0, 2.0]])


@exported
def indices_that_are_no_vector():
    return a_wrong_slice([[0]], [[1.0, 2.0]])


@exported
def slices_of_another_whole():
    return a_wrong_slice([0], [[1.0, 2.0]], whole=[5, 2])


@exported
def slices_of_a_whole_of_lower_rank():
    return a_wrong_slice([0], [[1.0, 2.0]], whole=[4])


@exported
def a_second_slice_of_another_rank():
    total = data_flow_ops.SparseConditionalAccumulator(tf.float32, shape=None)
    out = in_turn(lambda: total.apply_grad(**slices([1], [[1.0, 2.0]])), lambda: total.apply_grad(**slices([1], [1.0])),
                  total.num_accumulated)
    return [out[2]]


@exported
def no_elements_enter_a_closed_queue():
    queue = tf.FIFOQueue(10, [tf.float32], shapes=[[2]])
    out = in_turn(queue.close, lambda: queue.enqueue_many([tf.zeros([0, 2])]), queue.size)
    return [out[2]]


@exported
def no_elements_of_another_shape():
    handle = gen_data_flow_ops.fifo_queue_v2([tf.float32], shapes=[[2]])
    out = in_turn(lambda: gen_data_flow_ops.queue_enqueue_many_v2(handle, [tf.zeros([0, 3])]),
                  lambda: gen_data_flow_ops.queue_size_v2(handle))
    return [out[1]]


@exported
def no_elements_of_another_dtype():
    handle = gen_data_flow_ops.fifo_queue_v2([tf.float32], shapes=[[2]])
    out = in_turn(lambda: gen_data_flow_ops.queue_enqueue_many_v2(handle, [tf.zeros([0, 2], tf.int32)]),
                  lambda: gen_data_flow_ops.queue_size_v2(handle))
    return [out[1]]


@exported
def a_padding_queue_without_shapes():
    return [gen_data_flow_ops.queue_size_v2(gen_data_flow_ops.padding_fifo_queue_v2([tf.float32]))]


if __name__ == "__main__":
    exported.write()
