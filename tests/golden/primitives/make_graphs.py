#!/usr/bin/env python3
"""Writes graphs of ops that one node alone does not show (references, stacks, tables, ...), and what TensorFlow gets
from them: `python3 make_graphs.py`. See exported.py.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import Exported

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_control_flow_ops as flow
from tensorflow.python.ops import gen_data_flow_ops as data
from tensorflow.python.ops import gen_state_ops as state

graph = Exported(__file__)
raw = tf.raw_ops


def constant(*values):
    return tf.constant(values, tf.float64)


def set_variable(op, name, *values):
    """A reference to a variable that has just been given this value."""
    variable = op(shape=[len(values)], dtype=tf.float64, shared_name=name)
    return state.assign(variable, constant(*values))


@graph
def reference_in_a_loop():
    """A loop that hands a reference round and adds to the variable behind it."""
    v = set_variable(state.variable_v2, "v", 1.0, 2.0)
    entered = flow.ref_enter(v, frame_name="loop")
    count = raw.Enter(data=0, frame_name="loop")
    merged, _ = flow.ref_merge([entered, entered])
    counted, _ = raw.Merge(inputs=[count, count])
    limit, one = (raw.Enter(data=value, frame_name="loop", is_constant=True) for value in (5, 1))
    goes_on = raw.LoopCond(input=counted < limit)
    leaves, stays = flow.ref_switch(merged, goes_on)
    done, again = raw.Switch(data=counted, pred=goes_on)
    added = state.assign_add(stays, raw.Enter(data=constant(1.0, 10.0), frame_name="loop", is_constant=True))
    merged.op._update_input(1, flow.ref_next_iteration(added))
    with tf.control_dependencies([added]):
        counted.op._update_input(1, raw.NextIteration(data=again + one))
    return [tf.identity(flow.ref_exit(leaves)), raw.Exit(data=done)]


def gradient_after_the_loop(x):
    """Of what a loop gives, made under a control dependency on that: counters enter the loop that wait for its end."""
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.sin(y) * x + y * y), (0, x))
    with tf.control_dependencies([tf.reduce_sum(y)]):
        return tf.gradients(y, x)[0]


@graph
def gradient_that_waits_for_its_loop():
    return [gradient_after_the_loop(constant(0.5, -0.25))]


@graph
def gradients_that_wait_for_their_loops_in_branches():
    x = constant(0.5, -0.25)
    return [tf.cond(tf.constant(taken), lambda: gradient_after_the_loop(x * 1.5), lambda: -x) for taken in (True, False)]


@graph
def gradient_that_waits_for_its_loop_in_a_loop():
    x = constant(0.5, -0.25)
    return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, gradient_after_the_loop(y)), (0, x))


@graph
def gradient_of_two_loops_that_wait_for_the_second():
    x = constant(0.5, -0.25)
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))
    z = tf.scan(lambda a, b: tf.tanh(a * b), y, constant(0.5)[0])
    with tf.control_dependencies([z]):
        return [z, *tf.gradients(z, x)]


@graph
def references_handed_on():
    """What is done to a reference that went through RefIdentity and RefSelect is done to the variable."""
    v, w = (set_variable(state.variable_v2, name, *values) for name, values in (("v", (1.0, 2.0)), ("w", (3.0, 4.0))))
    first = state.assign_add(raw.RefIdentity(input=v), constant(10.0, 10.0))
    with tf.control_dependencies([first]):
        second = state.assign_sub(raw.RefSelect(index=tf.constant(1), inputs=[v, w]), constant(0.5, 1.5))
    with tf.control_dependencies([second]):
        return [tf.identity(v), tf.identity(raw.RefIdentity(input=w)), tf.identity(second)]


@graph
def reference_that_is_not_there():
    v = set_variable(state.variable_v2, "v", 1.0, 2.0)
    return [tf.identity(raw.RefSelect(index=tf.constant(2), inputs=[v, v]))]


@graph
def reference_by_a_switch():
    results = []
    for taken in (False, True):
        v = set_variable(state.variable_v2, f"v{taken}", 1.0, 2.0)
        left, right = flow.ref_switch(v, tf.identity(taken))
        merged, index = flow.ref_merge([state.assign_add(left, constant(1.0, 1.0)),
                                        state.assign_sub(right, constant(1.0, 1.0))])
        results += [tf.identity(merged), index]
    return results


@graph
def variable_trained_in_a_loop():
    """What the loops read is the variable as the iterations before have left it."""
    v = set_variable(state.variable_v2, "trained", 1.0, 2.0)
    read = tf.identity(v)
    def step(i):
        with tf.control_dependencies([state.assign_sub(v, 0.2 * (read - tf.cast(i, tf.float64)))]):
            return i + 1
    def steps(i):
        with tf.control_dependencies([tf.while_loop(lambda j: j < 3, step, [i], parallel_iterations=1)]):
            return i + 1
    with tf.control_dependencies([tf.while_loop(lambda i: i < 2, steps, [0], parallel_iterations=1)]):
        return [v + 0]


@graph
def variable_changed_before_a_branch():
    """What the branch reads is the variable after what its condition waited for."""
    v = set_variable(state.variable_v2, "changed", 1.0, 2.0)
    read = tf.identity(v)
    with tf.control_dependencies([read]):
        added = state.assign_add(v, constant(10.0, 20.0))
    with tf.control_dependencies([added]):
        taken = tf.constant(True)
    def branch():
        doubled = read * 2
        with tf.control_dependencies([doubled]):
            state.assign_sub(v, constant(1.0, 1.0))
            return doubled
    return [tf.cond(taken, branch, lambda: read)]


@graph
def variables_of_both_ages():
    old = set_variable(state.variable, "old", 3.0)
    new = set_variable(state.variable_v2, "new", 4.0)
    unset = state.variable_v2(shape=[1], dtype=tf.float64, shared_name="unset")
    return [old + new, state.is_variable_initialized(new), state.is_variable_initialized(unset)]


@graph
def resource_variables():
    v = raw.VarHandleOp(dtype=tf.float64, shape=[2], shared_name="v")
    before = raw.VarIsInitializedOp(resource=v)
    with tf.control_dependencies([before]):
        assigned = raw.AssignVariableOp(resource=v, value=constant(1.0, 2.0))
    with tf.control_dependencies([assigned]):
        value = raw.ReadVariableOp(resource=v, dtype=tf.float64)
    with tf.control_dependencies([value]):
        destroyed = raw.DestroyResourceOp(resource=v)
    with tf.control_dependencies([destroyed]):
        return [before, value, raw.VarIsInitializedOp(resource=v)]


@graph
def temporary_variable():
    temporary = state.temporary_variable(shape=[2], dtype=tf.float64, var_name="sum")
    filled = state.assign_add(state.assign(temporary, constant(1.0, 2.0)), constant(10.0, 20.0))
    return [state.destroy_temporary_variable(filled, var_name="sum")]


@graph
def old_stack():
    handle = data._stack(elem_type=tf.float64)
    with tf.control_dependencies([data.stack_push(handle, constant(1.0, 2.0))]):
        pushed = data.stack_push(handle, constant(3.0))
    with tf.control_dependencies([pushed]):
        newest = data.stack_pop(handle, elem_type=tf.float64)
    with tf.control_dependencies([newest]):
        oldest = data.stack_pop(handle, elem_type=tf.float64)
    with tf.control_dependencies([oldest]):
        closed = data.stack_close(handle)
    with tf.control_dependencies([closed]):
        return [pushed, newest, tf.identity(oldest)]


@graph
def stack_with_a_bound():
    handle = raw.StackV2(max_size=2, elem_type=tf.float64)
    pushed = raw.StackPushV2(handle=handle, elem=constant(1.0, 2.0))
    with tf.control_dependencies([pushed]):
        popped = raw.StackPopV2(handle=handle, elem_type=tf.float64)
    with tf.control_dependencies([popped]):
        closed = raw.StackCloseV2(handle=handle)
    with tf.control_dependencies([closed]):
        return [pushed, tf.identity(popped)]


@graph
def push_beyond_the_bound():
    handle = raw.StackV2(max_size=1, elem_type=tf.float64)
    with tf.control_dependencies([raw.StackPushV2(handle=handle, elem=constant(1.0))]):
        second = raw.StackPushV2(handle=handle, elem=constant(2.0))
    with tf.control_dependencies([second]):
        return [raw.StackPopV2(handle=handle, elem_type=tf.float64)]


@graph
def a_read_element_is_not_written():
    handle, flow_in = raw.TensorArrayV3(size=2, dtype=tf.float64, element_shape=[1], clear_after_read=False)
    zeros = raw.TensorArrayReadV3(handle=handle, index=0, flow_in=flow_in, dtype=tf.float64)
    with tf.control_dependencies([zeros]):
        return [raw.TensorArrayWriteV3(handle=handle, index=0, value=constant(1.0), flow_in=flow_in)]


@graph
def zeros_are_read_once():
    handle, flow_in = raw.TensorArrayV3(size=2, dtype=tf.float64, element_shape=[1])
    zeros = raw.TensorArrayReadV3(handle=handle, index=0, flow_in=flow_in, dtype=tf.float64)
    with tf.control_dependencies([zeros]):
        return [raw.TensorArrayReadV3(handle=handle, index=0, flow_in=flow_in, dtype=tf.float64)]


@graph
def fewer_parts_than_elements():
    handle, flow_in = raw.TensorArrayV3(size=2, dtype=tf.float64, dynamic_size=True)
    return [raw.TensorArraySplitV3(handle=handle, value=constant(1.0), lengths=[1], flow_in=flow_in)]


@graph
def tensor_array_and_its_gradients():
    handle, flow_in = raw.TensorArrayV3(size=3, dtype=tf.float64, element_shape=[2], clear_after_read=False)
    flow_in = raw.TensorArrayScatterV3(handle=handle, indices=[0, 1, 2], flow_in=flow_in,
                                       value=tf.reshape(constant(*range(6)), [3, 2]))
    grads, grad_flow = raw.TensorArrayGradWithShape(handle=handle, flow_in=flow_in, shape_to_prepend=[2], source="g")
    for _ in range(2):
        grad_flow = raw.TensorArrayWriteV3(handle=grads, index=1, flow_in=grad_flow,
                                           value=tf.reshape(constant(1.0, 2.0, 3.0, 4.0), [2, 2]))
    size = raw.TensorArraySizeV3(handle=handle, flow_in=flow_in)
    added = raw.TensorArrayReadV3(handle=grads, index=1, flow_in=grad_flow, dtype=tf.float64)
    unset = raw.TensorArrayReadV3(handle=grads, index=0, flow_in=grad_flow, dtype=tf.float64)
    last = raw.TensorArrayReadV3(handle=handle, index=2, flow_in=flow_in, dtype=tf.float64)
    with tf.control_dependencies([size, last, added, unset]):
        closed = raw.TensorArrayCloseV3(handle=handle)
    with tf.control_dependencies([closed]):
        return [size, added, unset, tf.identity(last)]


@graph
def tables():
    fixed = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="fixed")
    changing = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float64, shared_name="changing")
    rows = raw.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.float64, value_shape=[2],
                                           shared_name="rows")
    keys = tf.constant([3, 1, 2], tf.int64)
    filled = [raw.InitializeTableV2(table_handle=fixed, keys=["a", "b"], values=tf.constant([1, 2], tf.int64)),
              raw.LookupTableInsertV2(table_handle=changing, keys=keys, values=constant(0.5, 1.5, 2.5)),
              raw.LookupTableInsertV2(table_handle=rows, keys=keys, values=tf.reshape(constant(*range(6)), [3, 2]))]
    with tf.control_dependencies(filled):
        return [raw.LookupTableFindV2(table_handle=fixed, keys=["b", "c", "a"], default_value=tf.constant(-1, tf.int64)),
                raw.LookupTableFindV2(table_handle=changing, keys=tf.constant([2, 9], tf.int64),
                                      default_value=tf.constant(-1.0, tf.float64)),
                raw.LookupTableFindV2(table_handle=rows, keys=tf.constant([[1], [9]], tf.int64),
                                      default_value=constant(-1.0, -2.0)),
                raw.LookupTableSizeV2(table_handle=fixed), raw.LookupTableSizeV2(table_handle=rows)]


@graph
def placeholders_with_defaults():
    given = raw.PlaceholderWithDefault(input=constant(1.0, 2.0), shape=[None])
    with tf.control_dependencies([raw.ControlTrigger()]):
        return [given * 2, tf.shape(given)]


@graph
def random_algorithm():
    return [raw.StatelessRandomGetAlg()]


if __name__ == "__main__":
    graph.write()
