#!/usr/bin/env python3
"""Writes graphs of TensorList ops and what TensorFlow gets from them: `python3 make_graphs.py`. See exported.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import Exported

import tensorflow.compat.v1 as tf

graph = Exported(__file__)
raw = tf.raw_ops
UNKNOWN = -1


def constant(*values):
    return tf.constant(values, tf.float64)


def reserve(size, shape=(2,), dtype=tf.float64):
    return raw.TensorListReserve(element_shape=tf.constant(shape, tf.int32), num_elements=size, element_dtype=dtype)


def empty(shape=(2,), dtype=tf.float64, most=-1):
    return raw.EmptyTensorList(element_shape=tf.constant(shape, tf.int32), max_num_elements=most, element_dtype=dtype)


def hidden(handle):
    """The list behind an op that says nothing of its elements to shape inference."""
    return raw.PlaceholderWithDefault(input=handle, shape=[])


def set_item(handle, index, *values, **options):
    return raw.TensorListSetItem(input_handle=handle, index=index, item=constant(*values), **options)


def get_item(handle, index, shape=(2,), dtype=tf.float64):
    return raw.TensorListGetItem(input_handle=handle, index=index, element_shape=tf.constant(shape, tf.int32),
                                 element_dtype=dtype)


def push(handle, *values):
    return raw.TensorListPushBack(input_handle=handle, tensor=constant(*values))


def pop(handle, shape=(2,), dtype=tf.float64):
    return raw.TensorListPopBack(input_handle=handle, element_shape=tf.constant(shape, tf.int32), element_dtype=dtype)


def stack(handle, shape=(2,), dtype=tf.float64, size=-1):
    return raw.TensorListStack(input_handle=handle, element_shape=tf.constant(shape, tf.int32), element_dtype=dtype,
                               num_elements=size)


def length(handle):
    return raw.TensorListLength(input_handle=handle)


def element_shape(handle, dtype=tf.int32):
    return raw.TensorListElementShape(input_handle=handle, shape_type=dtype)


def from_tensor(tensor, shape=(2,)):
    return raw.TensorListFromTensor(tensor=tensor, element_shape=tf.constant(shape, tf.int32))


def matrix(rows, columns=2):
    return tf.reshape(tf.range(1.0, rows * columns + 1.0, dtype=tf.float64), [rows, columns])


def concat(handle, shape=UNKNOWN, leading=()):
    return raw.TensorListConcatV2(input_handle=handle, element_shape=tf.constant(shape, tf.int32),
                                  leading_dims=tf.constant(leading, tf.int64), element_dtype=tf.float64)


@graph
def set_and_get():
    one = set_item(reserve(3), 1, 1.5, 2.5)
    two = set_item(one, 0, -1.0, 3.0)
    grown = set_item(two, 5, 7.0, 8.0, resize_if_index_out_of_bounds=True)
    return [get_item(one, 0), get_item(one, 1), get_item(two, 0), get_item(two, 1), get_item(grown, 5),
            get_item(grown, 4), length(two), length(grown)]


@graph
def unset_elements():
    """The shape of zeros comes from the list, from what is asked for, or from other elements."""
    ragged = set_item(reserve(2, UNKNOWN), 1, 1.0, 2.0, 3.0)
    asked = reserve(2, UNKNOWN)
    half = raw.TensorListReserve(element_shape=tf.constant([-1, 2], tf.int64), num_elements=1, element_dtype=tf.int32)
    return [get_item(ragged, 0, UNKNOWN), get_item(asked, 1, (2, 1)), get_item(half, 0, (3, -1), tf.int32),
            stack(ragged, UNKNOWN), stack(asked, (1,)), *pop(asked, (4,))[1:], stack(reserve(0, (3,)), (3,))]


@graph
def push_and_pop():
    three = push(push(push(empty(), 1.0, 2.0), 3.0, 4.0), 5.0, 6.0)
    two, last = pop(three)
    one, middle = pop(two)
    other = push(one, 9.0, 8.0)
    return [stack(three), last, middle, stack(other), stack(two), length(one), length(empty())]


@graph
def pushes_up_to_the_bound():
    return [stack(push(push(empty(most=2), 1.0, 2.0), 3.0, 4.0))]


@graph
def every_dtype():
    results = []
    for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8,
                  tf.uint16, tf.uint32, tf.uint64, tf.bool):
        rows = tf.cast(matrix(2), dtype)
        handle = from_tensor(rows)
        results += [stack(handle, dtype=dtype), get_item(handle, 1, dtype=dtype), get_item(reserve(1, dtype=dtype), 0,
                                                                                          dtype=dtype)]
    for dtype in (tf.complex64, tf.complex128):
        handle = from_tensor(tf.cast(matrix(2), dtype))
        results.append(tf.math.real(stack(handle, dtype=dtype)))
    words = from_tensor(tf.constant([["a", "bcd"], ["", "ef"]]))
    results += [tf.strings.length(stack(words, dtype=tf.string)),
                tf.strings.length(get_item(reserve(1, dtype=tf.string), 0, dtype=tf.string))]
    return results


@graph
def rows_of_tensors():
    scalars = from_tensor(constant(1.0, 2.0, 3.0), ())
    none = from_tensor(tf.zeros([0, 2], tf.float64))
    deep = from_tensor(tf.reshape(matrix(6), [2, 3, 2]), (3, -1))
    return [stack(scalars, ()), length(none), stack(none), stack(deep, (-1, 2), size=2), element_shape(deep),
            get_item(scalars, 2, ())]


@graph
def element_shapes():
    return [element_shape(empty((3, -1))), element_shape(empty(UNKNOWN)), element_shape(reserve(1, ())),
            element_shape(from_tensor(matrix(2), (-1,)), tf.int64), element_shape(push(empty((-1,)), 1.0, 2.0))]


@graph
def resized():
    handle = from_tensor(matrix(3))
    def resize(size):
        return raw.TensorListResize(input_handle=handle, size=size)
    return [stack(resize(2)), stack(resize(5)), length(resize(0)), stack(handle)]


@graph
def gathered():
    handle = from_tensor(matrix(4))
    def gather(handle, indices, shape=(2,)):
        return raw.TensorListGather(input_handle=handle, indices=tf.constant(indices, tf.int32),
                                    element_shape=tf.constant(shape, tf.int32), element_dtype=tf.float64)
    return [gather(handle, [2, 0, 2]), gather(handle, []), gather(set_item(reserve(3, UNKNOWN), 0, 4.0), [1, 0], UNKNOWN)]


@graph
def scattered():
    rows = matrix(3)
    indices = tf.constant([4, 0, 2], tf.int32)
    shape = tf.constant([2], tf.int32)
    first = raw.TensorListScatter(tensor=rows, indices=indices, element_shape=shape)
    second = raw.TensorListScatterV2(tensor=rows, indices=indices, element_shape=shape, num_elements=7)
    fitting = raw.TensorListScatterV2(tensor=rows, indices=indices, element_shape=shape, num_elements=-1)
    into = raw.TensorListScatterIntoExistingList(input_handle=from_tensor(matrix(4) * 10), tensor=rows, indices=indices)
    return [stack(first), stack(second), stack(fitting), stack(into)]


@graph
def concatenated():
    ragged = push(push(push(empty((-1,)), 1.0, 2.0), 3.0), *[])
    known = from_tensor(matrix(3))
    holes = set_item(reserve(3, (-1,)), 1, 1.0, 2.0)
    old = raw.TensorListConcat(input_handle=known, element_dtype=tf.float64, element_shape=[2])
    return [*concat(ragged), *concat(known, (2,)), *concat(holes, (-1,), (3, 9, 1)), *concat(holes), *old,
            *concat(reserve(2, (3,)), (3,))]


@graph
def split():
    def parts(lengths, shape=(-1, 2)):
        return raw.TensorListSplit(tensor=matrix(6), element_shape=tf.constant(shape, tf.int32),
                                   lengths=tf.constant(lengths, tf.int64))
    ragged = parts([1, 0, 5])
    return [get_item(ragged, 0, UNKNOWN), get_item(ragged, 1, UNKNOWN), get_item(ragged, 2, UNKNOWN),
            stack(parts([3, 3], UNKNOWN), UNKNOWN), element_shape(ragged)]


@graph
def lists_of_lists():
    a, b = from_tensor(matrix(2)), from_tensor(matrix(3) * 10)
    both = raw.TensorListConcatLists(input_a=a, input_b=b, element_dtype=tf.float64)
    batch = raw.TensorListPushBackBatch(input_handles=tf.stack([a, b]), tensor=matrix(2) * 100)
    first, second = tf.unstack(batch, num=2)
    nested = raw.TensorListPushBack(input_handle=empty((), tf.variant), tensor=a)
    nested = raw.TensorListPushBack(input_handle=nested, tensor=b)
    rest, last = pop(nested, (), tf.variant)
    return [stack(both), stack(first), stack(second), stack(last), length(rest), stack(get_item(nested, 0, (), tf.variant))]


@graph
def sums_and_zeros():
    a, b = from_tensor(matrix(2)), from_tensor(matrix(2) * 10, (-1,))
    holes = set_item(reserve(2), 1, 1.0, 2.0)
    total = raw.AddN(inputs=[a, b, holes])
    return [stack(total), element_shape(total), stack(raw.AddN(inputs=[holes])), stack(tf.zeros_like(a)),
            stack(raw.AddN(inputs=[holes, holes])), length(tf.zeros_like(holes))]


@graph
def filled_in_a_loop():
    def body(i, handle, old):
        return i + 1, raw.TensorListSetItem(input_handle=handle, index=i, item=tf.cast([i, i * i], tf.float64)), handle
    _, handle, old = tf.while_loop(lambda i, *_: i < 20, body, [0, reserve(20), reserve(20)])
    return [stack(handle), stack(old)]


@graph
def pushed_and_popped_in_loops():
    def forward(i, x, kept):
        return i + 1, tf.sin(x) * 1.5, raw.TensorListPushBack(input_handle=kept, tensor=x)
    _, x, kept = tf.while_loop(lambda i, *_: i < 10, forward, [0, constant(0.5, 1.0), empty()])
    def backward(i, d, kept):
        kept, x = pop(kept)
        x.set_shape([2])
        return i + 1, d * tf.cos(x) * 1.5, kept
    _, d, left = tf.while_loop(lambda i, *_: i < 10, backward, [0, tf.ones_like(x), kept])
    return [x, d, length(left)]


@graph
def taken_in_a_branch():
    a, b = from_tensor(matrix(2)), from_tensor(matrix(4) * 10, (-1,))
    def choose(condition):
        return tf.cond(condition, lambda: push(a, 7.0, 8.0), lambda: raw.TensorListResize(input_handle=b, size=3))
    x = tf.identity(constant(1.0))
    return [stack(choose(x[0] > 0)), stack(choose(x[0] < 0))]


@graph
def gradients():
    x = matrix(3)
    y = constant(0.5, -2.0)
    handle = from_tensor(x * x)
    handle = raw.TensorListSetItem(input_handle=handle, index=1, item=y * y * y)
    handle = raw.TensorListPushBack(input_handle=handle, tensor=y * 2)
    weights = tf.range(1.0, 9.0, dtype=tf.float64)
    total = tf.reduce_sum(tf.reshape(stack(handle), [-1]) * weights) + tf.reduce_sum(get_item(handle, 0) * y)
    return tf.gradients(total, [x, y])


@graph
def gradients_of_rows():
    x = matrix(4)
    parts = raw.TensorListSplit(tensor=x * x, element_shape=tf.constant([-1, 2], tf.int32),
                                lengths=tf.constant([3, 1], tf.int64))
    joined = concat(parts, (-1, 2)).tensor
    scattered = raw.TensorListScatterV2(tensor=tf.sin(joined), indices=tf.constant([3, 1, 0, 5], tf.int32),
                                        element_shape=tf.constant([2], tf.int32), num_elements=6)
    rows = raw.TensorListGather(input_handle=scattered, indices=tf.constant([5, 2, 3], tf.int32),
                                element_shape=tf.constant([2], tf.int32), element_dtype=tf.float64)
    return tf.gradients(rows * matrix(3), [x])


@graph
def get_beyond_the_end():
    return [get_item(reserve(3), tf.identity(3))]


@graph
def get_of_another_dtype():
    return [get_item(hidden(reserve(3)), 0, dtype=tf.float32)]


@graph
def set_another_shape():
    return [stack(set_item(hidden(reserve(3)), 0, 1.0, 2.0, 3.0))]


@graph
def set_below_zero():
    return [stack(set_item(reserve(3), tf.identity(-1), 1.0, 2.0))]


@graph
def pop_of_nothing():
    return [pop(empty())[1]]


@graph
def push_beyond_the_bound():
    return [stack(push(push(empty(most=1), 1.0, 2.0), 1.0, 2.0))]


@graph
def zeros_of_no_shape():
    return [stack(reserve(2, UNKNOWN), UNKNOWN)]


@graph
def stack_of_another_length():
    return [stack(from_tensor(matrix(3)), size=2)]


@graph
def stack_of_different_shapes():
    return [stack(push(push(empty(UNKNOWN), 1.0), 1.0, 2.0), UNKNOWN)]


@graph
def negative_size():
    return [length(reserve(tf.identity(-1)))]


@graph
def gather_beyond_the_end():
    return [raw.TensorListGather(input_handle=from_tensor(matrix(2)), indices=tf.constant([0, 2]),
                                 element_shape=tf.constant([2]), element_dtype=tf.float64)]


@graph
def scatter_beyond_the_size():
    return [stack(raw.TensorListScatterV2(tensor=matrix(2), indices=tf.constant([0, 2]), element_shape=tf.constant([2]),
                                          num_elements=2))]


@graph
def split_into_too_little():
    return [length(raw.TensorListSplit(tensor=matrix(3), element_shape=tf.constant([-1, 2]),
                                       lengths=tf.constant([1, 1], tf.int64)))]


@graph
def concat_of_scalars():
    return [concat(hidden(from_tensor(constant(1.0, 2.0), ()))).tensor]


@graph
def sum_of_different_lengths():
    return [stack(raw.AddN(inputs=[reserve(2), reserve(3)]))]


def gathered_from_array(element_shape):
    array = raw.TensorArrayV3(size=2, dtype=tf.float64)
    flow = raw.TensorArrayScatterV3(handle=array.handle, indices=[0, 1], value=constant([1.0, 2.0], [3.0, 4.0]),
                                    flow_in=array.flow)
    return [raw.TensorArrayGatherV3(handle=array.handle, indices=[1, 0], flow_in=flow, dtype=tf.float64,
                                    element_shape=element_shape)]


@graph
def gathered_from_an_array():
    return gathered_from_array([2])


@graph
def gathered_from_an_array_as_another_shape():
    return gathered_from_array([1])


if __name__ == "__main__":
    graph.write()
