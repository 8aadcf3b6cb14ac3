#!/usr/bin/env python3
"""Writes graphs at the edges of what ops and functions mean, and what TensorFlow makes of them: what a function runs
beside its outputs, tensors without elements, variables that change their shape, objects that two nodes share, and what
is refused: `python3 make_graphs.py`. See ../exported.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from exported import Exported

import numpy as np
import tensorflow.compat.v1 as tf
from google.protobuf import text_format
from tensorflow.python.framework import function as defun
from tensorflow.python.ops import gen_data_flow_ops, gen_functional_ops, gen_lookup_ops, gen_resource_variable_ops
from tensorflow.python.ops import gen_state_ops

# Nothing is rewritten, so that what a read of a variable without a value gives is not a matter of folding.
plain_config = tf.ConfigProto()
plain_config.graph_options.rewrite_options.disable_meta_optimizer = True
plain_config.graph_options.optimizer_options.opt_level = -1
graph = Exported(__file__, config=plain_config)
raw = tf.raw_ops


def in_turn(*makers):
    """The outputs of the makers' ops, each of which runs when the one before has."""
    outputs = []
    previous = []
    for make in makers:
        with tf.control_dependencies(previous):
            made = make()
        previous = [x for x in tf.nest.flatten(made) if x is not None]
        outputs.append(made)
    return outputs


def hidden(value, shape=None):
    """The value behind an op that tells shape inference nothing but `shape`."""
    return raw.PlaceholderWithDefault(input=value, shape=shape)


# ---- What a function runs beside what it gives.

ONE = """node_def { name: "%(name)s" op: "Const" attr { key: "dtype" value { type: DT_DOUBLE } } attr { key: "value"
value { tensor { dtype: DT_DOUBLE tensor_shape {} double_val: %(value)s } } } }"""
ADD = """node_def { name: "%(name)s" op: "AssignAddVariableOp" input: "%(handle)s" input: "%(by)s:output:0" %(after)s
attr { key: "dtype" value { type: DT_DOUBLE } } }"""
PASS = """signature { name: "%(name)s" is_stateful: true input_arg { name: "x" type: DT_DOUBLE }
input_arg { name: "v" type: DT_RESOURCE } output_arg { name: "y" type: DT_DOUBLE }
output_arg { name: "w" type: DT_RESOURCE } %(control)s } ret { key: "y" value: "out:z:0" } ret { key: "w" value: "v" }"""


def adder(name, control=(), call=""):
    """A function of x and a variable: gives x + 1, adds 1 to the variable by `first`, 10 by `second`, which comes after
    `third`, which adds 100, and what `call` says. `control`: what its control outputs name."""
    outputs = "".join(f'control_output: "c_{node}" ' for node in control)
    text = PASS % {"name": name, "control": outputs}
    text += "".join(f'control_ret {{ key: "c_{node}" value: "{node}" }}' for node in control)
    for node, value in ("one", 1), ("ten", 10), ("hundred", 100):
        text += ONE % {"name": node, "value": value}
    text += ADD % {"name": "first", "handle": "v", "by": "one", "after": ""}
    text += ADD % {"name": "third", "handle": "v", "by": "hundred", "after": ""}
    text += ADD % {"name": "second", "handle": "v", "by": "ten", "after": 'input: "^third"'}
    text += """node_def { name: "out" op: "AddV2" input: "x" input: "one:output:0"
               attr { key: "T" value { type: DT_DOUBLE } } }"""
    return "function { " + text + call + " }"


BELOW_THREE = "function { " + ONE % {"name": "three", "value": 2.5} + ONE % {"name": "thousand", "value": 1000} + ADD % {
    "name": "count", "handle": "v", "by": "thousand", "after": ""} + """
signature { name: "below" is_stateful: true input_arg { name: "x" type: DT_DOUBLE }
input_arg { name: "v" type: DT_RESOURCE } output_arg { name: "holds" type: DT_BOOL } } ret { key: "holds" value: "less:z:0" }
node_def { name: "less" op: "Less" input: "x" input: "three:output:0" attr { key: "T" value { type: DT_DOUBLE } } } }"""
TYPES = 'attr { key: "%s" value { list { type: DT_DOUBLE type: DT_RESOURCE } } } '
NAMED = 'attr { key: "%s" value { func { name: "%s" } } } '
LOWERED = 'attr { key: "_lower_using_switch_merge" value { b: true } } '


def caller(op, function, name="call", inputs=("x", "v"), tag="node", lowered=True, condition="p"):
    """The text of a node that calls the function by `op`; an op that is the function's own name calls it by name."""
    types = TYPES % "Tin" + TYPES % "Tout"
    if op.endswith("If"):
        inputs = (condition, *inputs)
        types += 'attr { key: "Tcond" value { type: DT_BOOL } } '
        types += NAMED % ("then_branch", function) + NAMED % ("else_branch", function)
    elif op.endswith("While"):
        types = TYPES % "T" + NAMED % ("cond", "below") + NAMED % ("body", function)
    elif op.endswith("PartitionedCall"):
        types += NAMED % ("f", function)
    else:
        types = ""
    if lowered and (op.endswith("If") or op.endswith("While")):
        types += LOWERED
    return tag + ' { name: "%s" op: "%s" %s %s }' % (name, op, " ".join(f'input: "{x}"' for x in inputs), types)


def called(op, control, lowered=True, functions=None, name="f"):
    """What the call gives, and what the variable then holds."""
    handle = raw.VarHandleOp(dtype=tf.float64, shape=[], shared_name="counted")
    with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=tf.constant(0.0, tf.float64))]):
        x = tf.identity(hidden(tf.constant(0.0, tf.float64), []))
        holds = tf.identity(hidden(True, []))
    text = "".join(f'node {{ name: "{n}" op: "Placeholder" attr {{ key: "dtype" value {{ type: {t} }} }} }}'
                   for n, t in (("x", "DT_DOUBLE"), ("v", "DT_RESOURCE"), ("p", "DT_BOOL")))
    library = (functions or adder("f", control)) + BELOW_THREE
    text += caller(op, name, lowered=lowered) + "library { " + library + " } versions { producer: 1882 }"
    y, = tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), {"x": x, "v": handle, "p": holds}, ["call:0"],
                             name="in")
    with tf.control_dependencies([y]):
        return [y, raw.ReadVariableOp(resource=handle, dtype=tf.float64)]


for op, title in (("PartitionedCall", "a_call"), ("StatefulPartitionedCall", "a_stateful_call"), ("If", "an_if"),
                  ("While", "a_while"), ("f", "a_call_by_name")):
    for control, what in ((), "nothing"), (("first",), "one"), (("second",), "what_follows"), (("first", "second"), "two"):
        graph(lambda op=op, control=control: called(op, control), f"{title}_that_must_run_{what}")
for op, title in ("If", "an_if"), ("While", "a_while"), ("StatelessIf", "a_stateless_if"):
    graph(lambda op=op: called(op, (), lowered=False), f"{title}_that_is_not_lowered_runs_all")

for op in "If", "While", "f":
    for outer in "PartitionedCall", "If", "While":
        for lowered in True, False:
            for control in (), ("inner",):
                inner = caller(op, "f", "inner", ("x", "v"), "node_def", lowered, "yes:output:0")
                inner += """node_def { name: "yes" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr {
                            key: "value" value { tensor { dtype: DT_BOOL tensor_shape {} bool_val: true } } } }"""
                both = adder("f") + adder("g", control, inner)
                title = f"{op.lower()}_in_{outer.lower()}{'' if lowered else '_not_lowered'}{'_returned' if control else ''}"
                graph(lambda both=both, outer=outer, lowered=lowered: called(outer, (), lowered, both, "g"), title)


# ---- What of a call, conditional or loop runs for one output of it, or for nothing but its end. As TensorFlow is set by
# itself: without its rewriting some calls run by a kernel, as a whole.

PAIR = """signature { name: "%s" is_stateful: true input_arg { name: "x" type: DT_DOUBLE } input_arg { name: "u" type: DT_DOUBLE }
input_arg { name: "v" type: DT_RESOURCE } output_arg { name: "y" type: DT_DOUBLE } output_arg { name: "z" type: DT_DOUBLE }
output_arg { name: "w" type: DT_RESOURCE } %s } ret { key: "y" value: "first:z:0" } ret { key: "z" value: "second:z:0" }
ret { key: "w" value: "v" } """
PAIR_TYPES = TYPES.replace("list { ", "list { type: DT_DOUBLE ")


def pair_of(name, call="", x="x", named=("named",)):
    """A function of x, u and a variable: gives x + 1, which comes after it adds 1 to the variable, and u + 1, which comes
    after it adds 10; what `named` names adds 100, and what nothing needs 1000. `call`: a node more; `x`: what it reads."""
    text = PAIR % (name, "".join(f'control_output: "c_{node}" ' for node in named))
    text += "".join(f'control_ret {{ key: "c_{node}" value: "{node}" }}' for node in named)
    for node, value in ("by_first", 1), ("by_second", 10), ("named", 100), ("unneeded", 1000):
        text += ONE % {"name": node + "_by", "value": value}
        text += ADD % {"name": node, "handle": "v", "by": node + "_by", "after": ""}
    text += ONE % {"name": "one", "value": 1}
    for node, of in ("first", x), ("second", "u"):
        text += f"""node_def {{ name: "{node}" op: "AddV2" input: "{of}" input: "one:output:0" input: "^by_{node}"
                    attr {{ key: "T" value {{ type: DT_DOUBLE }} }} }}"""
    return "function { " + text + call + " }"


BELOW_PAIR = "function { " + ONE % {"name": "limit", "value": 1.5} + """
signature { name: "below_pair" input_arg { name: "x" type: DT_DOUBLE } input_arg { name: "u" type: DT_DOUBLE }
input_arg { name: "v" type: DT_RESOURCE } output_arg { name: "holds" type: DT_BOOL } } ret { key: "holds" value: "less:z:0" }
node_def { name: "less" op: "Less" input: "x" input: "limit:output:0" attr { key: "T" value { type: DT_DOUBLE } } } }"""
CHOICES = """node_def { name: "yes" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value {
tensor { dtype: DT_BOOL tensor_shape {} bool_val: true } } } } node_def { name: "index" op: "Const" attr { key: "dtype"
value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }"""


def pair_caller(op, function, name="call", inputs=("x", "u", "v"), tag="node", lowered=True, choices=("p", "i")):
    types = PAIR_TYPES % "Tin" + PAIR_TYPES % "Tout"
    if op.endswith("If"):
        inputs = (choices[0], *inputs)
        types += 'attr { key: "Tcond" value { type: DT_BOOL } } '
        types += NAMED % ("then_branch", function) + NAMED % ("else_branch", function)
    elif op.endswith("Case"):
        inputs = (choices[1], *inputs)
        types += f'attr {{ key: "branches" value {{ list {{ func {{ name: "{function}" }} func {{ name: "{function}" }} }} }} }}'
    elif op.endswith("While"):
        types = PAIR_TYPES % "T" + NAMED % ("cond", "below_pair") + NAMED % ("body", function)
    else:
        types += NAMED % ("f", function)
    return tag + ' { name: "%s" op: "%s" %s %s }' % (name, op, " ".join(f'input: "{x}"' for x in inputs),
                                                    types + (LOWERED if lowered else ""))


def part_of_pair(op, needs, lowered=True, library=None, function="f"):
    """What the variable holds after what `needs` the call has run: "y", "z", or "^": waits for it."""
    handle = raw.VarHandleOp(dtype=tf.float64, shape=[], shared_name="counted")
    with tf.control_dependencies([raw.AssignVariableOp(resource=handle, value=tf.constant(0.0, tf.float64))]):
        zero = tf.identity(hidden(tf.constant(0.0, tf.float64), []))
        holds, index = tf.identity(hidden(True, [])), tf.identity(hidden(1, []))
    text = "".join(f'node {{ name: "{n}" op: "Placeholder" attr {{ key: "dtype" value {{ type: {t} }} }} }}'
                   for n, t in (("x", "DT_DOUBLE"), ("u", "DT_DOUBLE"), ("v", "DT_RESOURCE"), ("p", "DT_BOOL"),
                                ("i", "DT_INT32")))
    text += pair_caller(op, function, lowered=lowered)
    text += "library { " + (library or pair_of("f")) + BELOW_PAIR + "} versions { producer: 1882 }"
    *outputs, call = tf.import_graph_def(
        text_format.Parse(text, tf.GraphDef()), {"x": zero, "u": zero, "v": handle, "p": holds, "i": index},
        ["call:0", "call:1", "call"], name="in")
    values = [outputs["yz".index(need)] + 0.0 for need in needs if need != "^"]
    with tf.control_dependencies(values + [call] * ("^" in needs)):
        return [*values, raw.ReadVariableOp(resource=handle, dtype=tf.float64)]


for op in "If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile", "StatefulPartitionedCall":
    for needs in "y", "z", "yz", "^", "y^":
        graph(lambda op=op, needs=needs: part_of_pair(op, needs),
              f"{op.lower()}_for_{needs.replace('^', '_its_end').strip('_')}", config=None)
for op in "If", "Case", "While":
    graph(lambda op=op: part_of_pair(op, "y", lowered=False), f"{op.lower()}_that_is_not_lowered_for_y", config=None)
for op in "If", "Case", "While", "StatefulPartitionedCall":
    for outer, lowered in ("PartitionedCall", True), ("If", True), ("While", True), ("If", False), ("While", False):
        for what, x, named in ("read", "inner:output:0", ()), ("named", "x", ("inner",)), ("left", "x", ()):
            inner = CHOICES + pair_caller(op, "f", "inner", tag="node_def", choices=("yes:output:0", "index:output:0"))
            both = pair_of("f") + pair_of("g", inner, x, named)
            if (op, outer, what) == ("While", "PartitionedCall", "read"):
                continue  # what else of the loop runs depends on how TensorFlow rewrites the call
            graph(lambda given=(outer, "y", lowered, both, "g"): part_of_pair(*given),
                  f"{op.lower()}_{what}_in_{outer.lower()}{'' if lowered else '_not_lowered'}_for_y", config=None)


# ---- The gradient of a function inside of a loop, a branch and a function.

@defun.Defun(tf.float64, tf.float64, func_name="SquareTimes")
def square_times(x, y):
    return x * x * y


def symbolic(x, y, dy):
    return gen_functional_ops.symbolic_gradient([x, y, dy], [tf.float64, tf.float64], square_times)


def scalar(value):
    return tf.constant(value, tf.float64)


@graph
def a_symbolic_gradient_in_a_loop():
    def body(i, x):
        dx, dy = symbolic(x, scalar(0.5), scalar(1.0))
        return i + 1, x + 0.1 * dx - 0.01 * dy
    return tf.while_loop(lambda i, x: i < 4, body, [0, scalar(1.5)])


@graph
def a_symbolic_gradient_in_a_branch_of_a_loop():
    def body(i, x):
        return i + 1, tf.cond(x < 2.0, lambda: symbolic(x, scalar(1.0), tf.ones_like(x))[0], lambda: x + 1.0)
    return tf.while_loop(lambda i, x: i < 5, body, [0, scalar(0.75)])


@graph
def a_symbolic_gradient_in_a_functional_loop():
    types = [tf.float64, tf.float64]
    below = defun.Defun(tf.float64, tf.float64, func_name="Below")(lambda i, x: i < 3.0)

    @defun.Defun(*types, func_name="Step")
    def step(i, x):
        dx, dy = symbolic(x, i, scalar(1.0))
        return i + 1.0, x + 0.1 * dx + 0.01 * dy

    return gen_functional_ops._while([scalar(0.0), scalar(1.5)], below, step)


@graph
def gradient_of_the_split_of_a_growing_array():
    value = tf.reshape(tf.range(12, dtype=tf.float64), [6, 2])
    array = tf.TensorArray(tf.float64, size=0, dynamic_size=True, infer_shape=False)
    array = array.split(value * value, [1, 2, 3])
    y = tf.reduce_sum(array.read(0)) + 2.0 * tf.reduce_sum(array.read(2) ** 2)
    return [array.size(), y, tf.gradients(y, value)[0]]


@graph
def gradient_of_the_split_of_a_growing_array_that_is_joined():
    value = tf.reshape(tf.range(12, dtype=tf.float64), [6, 2])
    array = tf.TensorArray(tf.float64, size=1, dynamic_size=True, infer_shape=False)
    array = array.split(value * value, [4, 0, 2])
    y = tf.reduce_sum(array.concat() ** 3.0)
    return [array.size(), y, tf.gradients(y, value)[0]]


@graph
def gradient_of_the_unstacking_of_a_growing_array():
    value = tf.reshape(tf.range(6, dtype=tf.float64), [3, 2])
    array = tf.TensorArray(tf.float64, size=0, dynamic_size=True).unstack(value * value)
    y = tf.reduce_sum(array.read(1) ** 2)
    return [array.size(), y, tf.gradients(y, value)[0]]


@graph
def gradient_of_part_of_a_split():
    value = tf.reshape(tf.range(12, dtype=tf.float64), [6, 2])
    array = tf.TensorArray(tf.float64, size=3, infer_shape=False).split(value * value, [1, 2, 3])
    y = tf.reduce_sum(array.read(1))
    return [y, tf.gradients(y, value)[0]]


@graph
def gradient_of_a_split_that_a_write_follows():
    x, y = tf.constant([1.0, 2.0, 3.0], tf.float64), tf.constant([4.0], tf.float64)
    array = tf.TensorArray(tf.float64, size=3, dynamic_size=True).split(x, [1, 1, 1]).write(3, y)
    joined = array.concat()
    return [joined, array.size(), *tf.gradients(joined ** 2.0, [x])]


@graph
def gradients_of_a_split_and_of_the_write_that_follows():
    x, y = tf.constant([1.0, 2.0, 3.0], tf.float64), tf.constant([4.0, 5.0], tf.float64)
    array = tf.TensorArray(tf.float64, size=0, dynamic_size=True, infer_shape=False).split(x, [1, 2]).write(2, y)
    joined = array.concat()
    return [joined, *tf.gradients(joined ** 2.0, [x, y])]


@graph
def gradients_of_a_split_of_which_a_part_is_read():
    x, y = tf.constant([1.0, 2.0, 3.0], tf.float64), tf.constant([4.0], tf.float64)
    array = tf.TensorArray(tf.float64, size=3, dynamic_size=True).split(x, [1, 1, 1]).write(3, y)
    return [array.read(1), *tf.gradients(array.read(1), [x, y])]


@graph
def a_split_into_fewer_parts_than_elements():
    value = tf.reshape(tf.range(12, dtype=tf.float64), [6, 2])
    array = tf.TensorArray(tf.float64, size=4, infer_shape=False).split(value, [1, 2, 3])
    return [array.size()]


@graph
def a_split_of_a_growing_array_into_fewer_parts():
    value = tf.reshape(tf.range(12, dtype=tf.float64), [6, 2])
    array = tf.TensorArray(tf.float64, size=4, dynamic_size=True, infer_shape=False).split(value, [1, 2, 3])
    return [array.size(), array.read(2)]


# ---- Quantised types.

QUANTISED = [tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32]
PLAIN = {tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint16: tf.int16, tf.quint16: tf.uint16, tf.qint32: tf.int32}


def plain(value):
    return raw.Bitcast(input=value, type=PLAIN[value.dtype])


def cast(value, dtype):
    return raw.Cast(x=value, DstT=dtype)


@graph
def casts_to_quantised_types():
    out = []
    for dtype in QUANTISED:
        for source in tf.float64, tf.float32, tf.int32, tf.uint8, tf.int64, tf.bool, tf.float16:
            out.append(plain(cast(cast(hidden(tf.constant([0.0, 1.0, 2.75, 100.0], tf.float64)), source), dtype)))
    return out


@graph
def casts_from_quantised_types():
    out = []
    for dtype in QUANTISED:
        value = raw.Bitcast(input=cast(hidden(tf.constant([0, 1, 2, 101], tf.int32)), PLAIN[dtype]), type=dtype)
        for target in tf.float64, tf.float32, tf.int32, tf.uint8, tf.int64, tf.bool, tf.bfloat16:
            out.append(cast(value, target))
        out += [plain(cast(value, target)) for target in QUANTISED]
    return out


# ---- Variables that change their shape.

def handle_of(shape, name, dtype=tf.float64):
    return raw.VarHandleOp(dtype=dtype, shape=shape, shared_name=name)


def read(handle, dtype=tf.float64):
    return raw.ReadVariableOp(resource=handle, dtype=dtype)


def assign(handle, *values, **options):
    return raw.AssignVariableOp(resource=handle, value=hidden(tf.constant(values, tf.float64)), **options)


@graph
def a_resource_variable_of_another_shape():
    v = handle_of([2], "reshaped")
    out = in_turn(lambda: assign(v, 1.0, 2.0), lambda: tf.identity(read(v)), lambda: assign(v, 3.0, 4.0, 5.0),
                  lambda: [tf.reduce_sum(read(v)), read(v) * 2.0, raw.VariableShape(input=v), tf.shape(read(v))],
                  lambda: raw.AssignAddVariableOp(resource=v, value=hidden(tf.constant([1.0, 1.0, 1.0], tf.float64))),
                  lambda: [tf.identity(read(v)), raw.ResourceGather(resource=v, indices=[2, 0], dtype=tf.float64)])
    return [out[1], *out[3], *out[5]]


@graph
def a_resource_variable_of_another_rank():
    v = handle_of([2], "of_another_rank")
    out = in_turn(lambda: assign(v, [1.0, 2.0], [3.0, 4.0]), lambda: [hidden(read(v) + 1.0), tf.rank(hidden(read(v))), tf.size(hidden(read(v)))])
    return out[1]


@graph
def a_first_value_of_another_shape_that_is_validated():
    v = handle_of([2], "first")
    out = in_turn(lambda: assign(v, 1.0, 2.0, 3.0, validate_shape=True), lambda: tf.identity(read(v)))
    return out[1]


@graph
def a_second_value_of_another_shape_that_is_validated():
    v = handle_of([2], "second")
    out = in_turn(lambda: assign(v, 1.0, 2.0), lambda: assign(v, 1.0, 2.0, 3.0, validate_shape=True),
                  lambda: tf.identity(read(v)))
    return out[2]


ASSIGNS = """function { signature { name: "assigns" is_stateful: true input_arg { name: "v" type: DT_RESOURCE }
output_arg { name: "y" type: DT_BOOL } control_output: "done" } ret { key: "y" value: "yes:output:0" }
control_ret { key: "done" value: "assign" } node_def { name: "yes" op: "Const" attr { key: "dtype" value { type: DT_BOOL } }
attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape {} bool_val: true } } } }
node_def { name: "three" op: "Const" attr { key: "dtype" value { type: DT_DOUBLE } } attr { key: "value" value { tensor {
dtype: DT_DOUBLE tensor_shape { dim { size: 3 } } double_val: [1, 2, 3] } } } }
node_def { name: "assign" op: "AssignVariableOp" input: "v" input: "three:output:0" attr { key: "dtype" value {
type: DT_DOUBLE } } attr { key: "validate_shape" value { b: %s } } } }"""


def assigned_in_a_branch(lowered, validate, is_second):
    """A variable of two elements that a branch assigns three."""
    v = handle_of([2], "assigned_in_a_branch")
    with tf.control_dependencies([assign(v, 7.0, 8.0)] if is_second else []):
        holds = tf.identity(hidden(True, []))
    text = """node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
              node { name: "v" op: "Placeholder" attr { key: "dtype" value { type: DT_RESOURCE } } }
              node { name: "call" op: "If" input: "p" input: "v" attr { key: "Tcond" value { type: DT_BOOL } }
              attr { key: "Tin" value { list { type: DT_RESOURCE } } } attr { key: "Tout" value { list { type: DT_BOOL } } } """
    text += NAMED % ("then_branch", "assigns") + NAMED % ("else_branch", "assigns") + (LOWERED if lowered else "")
    text += "} library { " + ASSIGNS % str(validate).lower() + "} versions { producer: 1882 }"
    call, = tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), {"p": holds, "v": v}, ["call"], name="in")
    with tf.control_dependencies([call]):
        return [read(v) * 2.0, raw.VariableShape(input=v)]


for lowered in True, False:
    for validate in False, True:
        for is_second in False, True:
            graph(lambda *what, given=(lowered, validate, is_second): assigned_in_a_branch(*given),
                  f"{'another' if is_second else 'a_first'}_shape_in_a_branch{'' if lowered else '_not_lowered'}"
                  f"{'_validated' if validate else ''}")


@graph
def a_sum_of_another_shape():
    v = handle_of([2], "sum")
    out = in_turn(lambda: assign(v, 1.0, 2.0),
                  lambda: raw.AssignAddVariableOp(resource=v, value=hidden(tf.constant([1.0], tf.float64))),
                  lambda: tf.identity(read(v)))
    return out[2]


@graph
def a_reference_of_another_shape():
    v = gen_state_ops.variable_v2([2], tf.float64)
    out = in_turn(lambda: gen_state_ops.assign(v, hidden(tf.constant([1.0, 2.0], tf.float64))),
                  lambda: tf.identity(v) * 2.0,
                  lambda: gen_state_ops.assign(v, hidden(tf.constant([1.0, 2.0, 3.0], tf.float64)), validate_shape=False),
                  lambda: [tf.identity(v) * 2.0, tf.reduce_sum(v), tf.concat([v, v], 0)])
    return [out[1], *out[3]]


@graph
def a_reference_of_another_shape_that_is_validated():
    v = gen_state_ops.variable_v2([2], tf.float64)
    out = in_turn(lambda: gen_state_ops.assign(v, hidden(tf.constant([1.0, 2.0], tf.float64))),
                  lambda: gen_state_ops.assign(v, hidden(tf.constant([1.0, 2.0, 3.0], tf.float64))),
                  lambda: tf.identity(v))
    return [out[2]]


@graph
def a_scatter_of_variants():
    def lists(*values):
        return tf.stack([raw.TensorListFromTensor(tensor=scalar([v]), element_shape=tf.constant([], tf.int32))
                         for v in values])
    v = handle_of([3], "variants", tf.variant)
    out = in_turn(lambda: raw.AssignVariableOp(resource=v, value=lists(1.0, 2.0, 3.0)),
                  lambda: raw.ResourceScatterUpdate(resource=v, indices=[2, 0], updates=lists(5.0, 7.0)),
                  lambda: tf.identity(read(v, tf.variant)))
    return [raw.TensorListStack(input_handle=out[2][i], element_shape=tf.constant([], tf.int32), element_dtype=tf.float64)
            for i in range(3)]


@graph
def scatters_of_what_does_not_add():
    b, s = handle_of([3], "bools", tf.bool), handle_of([3], "texts", tf.string)
    out = in_turn(lambda: raw.AssignVariableOp(resource=b, value=[True, True, False]),
                  lambda: raw.ResourceScatterUpdate(resource=b, indices=[2, 0], updates=[True, False]),
                  lambda: raw.AssignVariableOp(resource=s, value=["1", "2", "3"]),
                  lambda: raw.ResourceScatterUpdate(resource=s, indices=[2, 0], updates=["7", "8"]),
                  lambda: raw.ResourceScatterNdUpdate(ref=s, indices=[[1]], updates=["9"]),
                  lambda: raw.ResourceScatterNdUpdate(ref=b, indices=[[1]], updates=[False]),
                  lambda: [tf.identity(read(b, tf.bool)), tf.strings.to_number(read(s, tf.string))])
    return out[6]


@graph
def a_scatter_into_quantised_numbers():
    v = handle_of([3], "quantised", tf.qint8)
    q = lambda *x: raw.Bitcast(input=tf.constant(x, tf.int8), type=tf.qint8)
    out = in_turn(lambda: raw.AssignVariableOp(resource=v, value=q(1, 2, 3)),
                  lambda: raw.ResourceScatterUpdate(resource=v, indices=[2, 0], updates=q(5, 7)),
                  lambda: plain(read(v, tf.qint8)))
    return [out[2]]


# ---- A list that a loop fills.

def empty(dtype, shape=()):
    return raw.EmptyTensorList(element_shape=tf.constant(shape, tf.int32), max_num_elements=-1, element_dtype=dtype)


@graph
def a_loop_that_replaces_an_empty_list_by_one_of_another_dtype():
    def body(i, _):
        return i + 1, raw.TensorListPushBack(input_handle=empty(tf.float64), tensor=tf.cast(i, tf.float64))
    i, made = tf.while_loop(lambda i, _: i < 3, body, [0, empty(tf.int32)])
    return [i, raw.TensorListStack(input_handle=made, element_shape=tf.constant([], tf.int32), element_dtype=tf.float64)]


@graph
def a_loop_that_replaces_an_empty_list_by_one_of_another_shape():
    def body(i, _):
        return i + 1, raw.TensorListPushBack(input_handle=empty(tf.float64, (2,)), tensor=[1.5, tf.cast(i, tf.float64)])
    i, made = tf.while_loop(lambda i, _: i < 3, body, [0, empty(tf.float64, (3,))])
    return [i, raw.TensorListStack(input_handle=made, element_shape=tf.constant([2], tf.int32), element_dtype=tf.float64)]


@graph
def a_branch_that_gives_a_list_of_another_dtype():
    made = tf.cond(hidden(True, []), lambda: raw.TensorListPushBack(input_handle=empty(tf.float64), tensor=scalar(3.0)),
                   lambda: empty(tf.int32))
    return [raw.TensorListStack(input_handle=made, element_shape=tf.constant([], tf.int32), element_dtype=tf.float64)]


# ---- Nothing.

def shaped(*shape, dtype=tf.float32):
    return hidden(tf.zeros(shape, dtype), shape)


def first_shapes(*values):
    """The shapes of the values, which the plan may know, and as they are."""
    return [raw.Shape(input=hidden(value)) for value in values] + [tf.size(value) for value in values]


@graph
def pools_of_no_channels():
    x = shaped(2, 4, 4, 0)
    pools = [tf.nn.avg_pool2d(x, 2, 2, "VALID"), tf.nn.max_pool2d(x, 2, 2, "SAME"), tf.nn.avg_pool2d(x, 3, 1, "SAME")]
    return first_shapes(*pools)


@graph
def the_gradient_of_an_average_of_no_channels():
    x = shaped(2, 4, 4, 4, 0)
    return first_shapes(tf.gradients(tf.nn.avg_pool3d(x, 2, 2, "VALID"), x)[0])


@graph
def pools_of_no_images():
    x = shaped(0, 4, 4, 3)
    average, largest = tf.nn.avg_pool2d(x, 2, 2, "VALID"), tf.nn.max_pool2d(x, 2, 2, "SAME")
    return first_shapes(average, largest, tf.gradients(average, x)[0])


@graph
def pools_of_no_channels_in_space():
    x = shaped(2, 4, 4, 4, 0)
    return first_shapes(tf.nn.avg_pool3d(x, 2, 2, "VALID"), tf.nn.max_pool3d(x, 2, 2, "SAME"))


@graph
def pools_of_no_height():
    x = shaped(2, 0, 4, 3)
    return first_shapes(tf.nn.avg_pool2d(x, 2, 2, "SAME"), tf.nn.max_pool2d(x, 2, 2, "SAME"))


@graph
def convolutions_of_no_images():
    x, f = shaped(0, 4, 4, 3), shaped(2, 2, 3, 5)
    z = tf.nn.conv2d(x, f, 1, "SAME")
    return first_shapes(*tf.gradients(z, [x, f]))


@graph
def a_convolution_that_makes_no_channels():
    return first_shapes(tf.nn.conv2d(shaped(2, 4, 4, 3), shaped(2, 2, 3, 0), 1, "SAME"))


@graph
def other_images_of_nothing():
    x = shaped(2, 4, 4, 0)
    return first_shapes(raw.BiasAdd(value=x, bias=shaped(0)), raw.BiasAddGrad(out_backprop=x), tf.nn.softmax(shaped(3, 0)),
                        tf.nn.log_softmax(shaped(0, 3)), tf.nn.lrn(shaped(2, 4, 4, 0)),
                        tf.space_to_depth(x, 2), tf.image.resize_bilinear(shaped(0, 4, 4, 3), [2, 2]))


@graph
def pools_of_channels_that_turn_out_to_be_none():
    x = raw.PlaceholderWithDefault(input=tf.zeros([2, 4, 4, 0]), shape=[None, None, None, None])
    return first_shapes(tf.nn.avg_pool2d(x, 2, 2, "VALID"), tf.nn.max_pool2d(x, 2, 2, "VALID"))


def indices(*shape):
    return hidden(tf.zeros(shape, tf.int32), shape)


@graph
def scatters_into_nothing():
    return first_shapes(
        raw.ScatterNd(indices=indices(0, 1), updates=shaped(0, 3), shape=[0, 3]),
        raw.ScatterNd(indices=indices(0, 1), updates=shaped(0), shape=[0]),
        raw.ScatterNd(indices=indices(0, 1), updates=shaped(0), shape=[4]),
        raw.ScatterNd(indices=indices(2, 0, 1), updates=shaped(2, 0), shape=[0]),
        raw.TensorScatterUpdate(tensor=shaped(0, 3), indices=indices(0, 1), updates=shaped(0, 3)),
        raw.TensorScatterAdd(tensor=shaped(0), indices=indices(0, 1), updates=shaped(0)))


def unknown(*shape, dtype=tf.float32):
    return hidden(tf.zeros(shape, dtype))


for title, build in {
        "slices_of_nothing": lambda: raw.ScatterNd(indices=unknown(2, 1, dtype=tf.int32), updates=unknown(2, 0),
                                                   shape=hidden([3, 0])),
        "slices_into_no_rows": lambda: raw.ScatterNd(indices=unknown(2, 1, dtype=tf.int32), updates=unknown(2, 3),
                                                     shape=hidden([0, 3])),
        "no_slices": lambda: raw.ScatterNd(indices=unknown(0, 1, dtype=tf.int32), updates=unknown(0, 3),
                                           shape=hidden([0, 3])),
        "slices_of_an_empty_tensor": lambda: raw.TensorScatterUpdate(
            tensor=unknown(3, 0), indices=unknown(2, 1, dtype=tf.int32), updates=unknown(2, 0)),
        "no_slices_of_an_empty_tensor": lambda: raw.TensorScatterAdd(
            tensor=unknown(0, 3), indices=unknown(0, 1, dtype=tf.int32), updates=unknown(0, 3)),
        "no_coordinates": lambda: raw.ScatterNd(indices=unknown(0, dtype=tf.int32), updates=unknown(0), shape=hidden([0])),
        "no_coordinates_of_rows": lambda: raw.ScatterNd(indices=unknown(0, dtype=tf.int32), updates=unknown(0, 3),
                                                        shape=hidden([0, 3])),
        "updates_of_no_coordinates": lambda: raw.TensorScatterUpdate(
            tensor=unknown(0), indices=unknown(2, 0, dtype=tf.int32), updates=unknown(2, 0)),
        "no_coordinates_of_a_whole": lambda: raw.ScatterNd(indices=unknown(0, dtype=tf.int32), updates=unknown(3),
                                                           shape=hidden([3])),
        "updates_without_elements": lambda: raw.ScatterNd(indices=unknown(2, 0, 1, dtype=tf.int32), updates=unknown(2, 0),
                                                          shape=hidden([0])),
}.items():
    graph(lambda build=build: first_shapes(build()), f"a_scatter_of_{title}_at_run_time")


@graph
def a_scatter_without_coordinates():
    return first_shapes(raw.ScatterNd(indices=indices(2, 0), updates=shaped(2, 3), shape=[3]))


@graph
def a_scatter_of_a_vector_of_coordinates():
    return first_shapes(raw.ScatterNd(indices=indices(1), updates=shaped(3), shape=[2, 3]))


@graph
def variables_of_nothing():
    v, w = handle_of([0, 3], "no_rows", tf.float32), handle_of([3, 0], "no_columns", tf.float32)
    out = in_turn(lambda: [raw.AssignVariableOp(resource=v, value=shaped(0, 3)),
                           raw.AssignVariableOp(resource=w, value=shaped(3, 0))],
                  lambda: raw.ResourceScatterAdd(resource=v, indices=indices(0), updates=shaped(0, 3)),
                  lambda: raw.ResourceScatterAdd(resource=w, indices=indices(2), updates=shaped(2, 0)),
                  lambda: raw.ResourceScatterUpdate(resource=w, indices=indices(2), updates=shaped(2, 0)),
                  lambda: raw.ResourceScatterNdAdd(ref=v, indices=indices(0, 1), updates=shaped(0, 3)),
                  lambda: raw.ResourceGather(resource=w, indices=indices(2), dtype=tf.float32),
                  lambda: raw.ResourceGather(resource=v, indices=indices(0), dtype=tf.float32))
    return first_shapes(out[5], out[6])


@graph
def gathers_from_nothing():
    return first_shapes(tf.gather(shaped(0, 3), indices(0)), tf.gather(shaped(3, 0), indices(2)),
                        tf.gather_nd(shaped(0), indices(0, 1)), tf.gather_nd(shaped(0, 3), indices(0, 1)))


@graph
def a_gather_of_slices_of_nothing():
    return first_shapes(tf.gather_nd(shaped(3, 0), indices(2, 1)))


@graph
def a_gather_of_rows_that_are_not_there():
    return first_shapes(tf.gather(shaped(0, 3), indices(2)))


@graph
def segments_of_nothing():
    return first_shapes(tf.unsorted_segment_sum(shaped(0, 3), indices(0), 2), tf.segment_sum(shaped(0, 3), indices(0)),
                        tf.unsorted_segment_max(shaped(3, 0), indices(3), 2))


# ---- Objects that two nodes share.

def two_queues(first, second):
    """An element through the first queue and out by the second."""
    a = first("a")
    with tf.control_dependencies([a]):
        b = second("b")
    out = in_turn(lambda: gen_data_flow_ops.queue_enqueue_v2(a, [tf.constant([1.0, 2.0], tf.float64)]),
                  lambda: gen_data_flow_ops.queue_enqueue_v2(b, [tf.constant([3.0, 4.0], tf.float64)]),
                  lambda: gen_data_flow_ops.queue_size_v2(b))
    return [out[2]]


def padding(shape, capacity=10):
    return lambda name: gen_data_flow_ops.padding_fifo_queue_v2([tf.float64], shapes=[shape], capacity=capacity,
                                                                shared_name="shared", name=name)


def fifo(shape=None, capacity=10, dtype=tf.float64):
    return lambda name: gen_data_flow_ops.fifo_queue_v2([dtype], shapes=[shape] if shape else [], capacity=capacity,
                                                        shared_name="shared", name=name)


def shuffle(seed=0, seed2=0, least=0, capacity=10, shape=(2,)):
    return lambda name: gen_data_flow_ops.random_shuffle_queue_v2(
        [tf.float64], shapes=[shape], capacity=capacity, min_after_dequeue=least, seed=seed, seed2=seed2,
        shared_name="shared", name=name)


def priority(shape=(2,), capacity=10):
    return lambda name: gen_data_flow_ops.priority_queue_v2([shape], [tf.float64], capacity=capacity, shared_name="shared",
                                                            name=name)


SHARED = {
    "padding_queues_of_compatible_shapes": (padding([None]), padding([2])),
    "padding_queues_of_compatible_shapes_the_other_way": (padding([2]), padding([None])),
    "padding_queues_of_other_shapes": (padding([2]), padding([3])),
    "padding_queues_of_other_ranks": (padding([None]), padding([None, None])),
    "padding_queues_of_other_capacities": (padding([2]), padding([2], 11)),
    "fifo_queues_of_the_same_shapes": (fifo([2]), fifo([2])),
    "fifo_queues_of_other_shapes": (fifo([2]), fifo([3])),
    "fifo_queues_with_and_without_shapes": (fifo([2]), fifo()),
    "fifo_queues_of_other_capacities": (fifo([2]), fifo([2], 12)),
    "fifo_queues_without_bounds": (fifo([2], -1), fifo([2], -2)),
    "fifo_queues_of_other_dtypes": (fifo([2]), fifo([2], dtype=tf.float32)),
    "shuffle_queues_of_the_same_seeds": (shuffle(3, 4), shuffle(3, 4)),
    "shuffle_queues_of_other_seeds": (shuffle(3, 4), shuffle(3, 5)),
    "shuffle_queues_of_other_first_seeds": (shuffle(3, 4), shuffle(2, 4)),
    "shuffle_queues_with_and_without_seeds": (shuffle(3, 4), shuffle()),
    "shuffle_queues_without_and_with_seeds": (shuffle(), shuffle(3, 4)),
    "shuffle_queues_without_seeds": (shuffle(), shuffle()),
    "shuffle_queues_that_keep_other_numbers": (shuffle(3, 4, 1), shuffle(3, 4, 2)),
    "shuffle_queues_of_other_capacities": (shuffle(3, 4), shuffle(3, 4, capacity=11)),
    "shuffle_queues_of_other_shapes": (shuffle(3, 4), shuffle(3, 4, shape=(3,))),
    "a_fifo_and_a_shuffle_queue": (fifo([2]), shuffle(3, 4)),
    "a_fifo_and_a_padding_queue": (fifo([2]), padding([2])),
}
for title, pair in SHARED.items():
    graph(lambda pair=pair: two_queues(*pair), f"shared_{title}")


def priorities(first, second):
    a, b = first("a"), second("b")
    out = in_turn(lambda: gen_data_flow_ops.queue_enqueue_v2(a, [tf.constant(2, tf.int64), tf.zeros([2], tf.float64)]),
                  lambda: gen_data_flow_ops.queue_size_v2(b))
    return [out[1]]


graph(lambda: priorities(priority(), priority()), "shared_priority_queues")
graph(lambda: priorities(priority(), priority((3,))), "shared_priority_queues_of_other_shapes")
graph(lambda: priorities(priority(), priority(capacity=4)), "shared_priority_queues_of_other_capacities")


def accumulators(first, second):
    handles = [gen_data_flow_ops.conditional_accumulator(tf.float64, shared_name="shared", name=name, **given)
               for name, given in (("a", first), ("b", second))]
    return [gen_data_flow_ops.accumulator_num_accumulated(handle) for handle in handles]


graph(lambda: accumulators({"shape": [2]}, {"shape": [2]}), "shared_accumulators")
graph(lambda: accumulators({"shape": [2]}, {"shape": [3]}), "shared_accumulators_of_other_shapes")
graph(lambda: accumulators({"shape": [2]}, {"shape": [2], "reduction_type": "SUM"}), "shared_accumulators_of_other_sums")


def table(**given):
    return gen_lookup_ops.mutable_hash_table_of_tensors_v2(tf.int64, tf.float64, **given)


@graph
def a_table_of_vectors():
    t = table(value_shape=[2])
    out = in_turn(lambda: gen_lookup_ops.lookup_table_insert_v2(t, tf.constant([1, 2], tf.int64), scalar([[1.0, 2.0],
                                                                                                        [3.0, 4.0]])),
                  lambda: gen_lookup_ops.lookup_table_find_v2(t, tf.constant([2, 5], tf.int64), scalar([0.5, 0.25])))
    return [out[1]]


@graph
def a_table_of_matrices():
    return [gen_lookup_ops.lookup_table_size_v2(table(value_shape=[2, 2]))]


@graph
def a_table_of_tensors_that_are_scalars():
    return [gen_lookup_ops.lookup_table_size_v2(table(value_shape=[]))]


@graph
def a_table_of_vectors_of_nothing():
    return [gen_lookup_ops.lookup_table_size_v2(table(value_shape=[0]))]


@graph
def a_table_of_vectors_of_any_length():
    return [gen_lookup_ops.lookup_table_size_v2(table(value_shape=[None]))]


@graph
def an_anonymous_table_of_matrices():
    t = raw.AnonymousMutableHashTableOfTensors(key_dtype=tf.int64, value_dtype=tf.float64, value_shape=[2, 2])
    return [gen_lookup_ops.lookup_table_size_v2(t)]


def shared_tables(first, second):
    tables = [gen_lookup_ops.mutable_hash_table_v2(key, value, shared_name="shared", name=name)
              for name, (key, value) in (("a", first), ("b", second))]
    return [gen_lookup_ops.lookup_table_size_v2(t) for t in tables]


graph(lambda: shared_tables((tf.int64, tf.float64), (tf.int64, tf.float64)), "shared_tables")
graph(lambda: shared_tables((tf.int64, tf.float64), (tf.int64, tf.float32)), "shared_tables_of_other_values")
graph(lambda: shared_tables((tf.int64, tf.float64), (tf.string, tf.float64)), "shared_tables_of_other_keys")


def temporary(name, value=1.0, shape=()):
    t = gen_state_ops.temporary_variable(shape, tf.float64, name)
    return gen_state_ops.assign(t, tf.fill(shape, scalar(value)))


@graph
def two_temporary_variables_of_one_name():
    a, b = temporary("t"), temporary("t")
    with tf.control_dependencies([a, b]):
        return [gen_state_ops.destroy_temporary_variable(a, "t"), gen_state_ops.destroy_temporary_variable(b, "t")]


@graph
def a_temporary_variable_after_another_of_its_name():
    out = in_turn(lambda: gen_state_ops.destroy_temporary_variable(temporary("t"), "t"),
                  lambda: gen_state_ops.destroy_temporary_variable(temporary("t", 2.0), "t"))
    return out


@graph
def temporary_variables_of_two_names():
    a, b = temporary("t"), temporary("u", 2.0)
    with tf.control_dependencies([a, b]):
        return [gen_state_ops.destroy_temporary_variable(a, "t"), gen_state_ops.destroy_temporary_variable(b, "u")]


@graph
def temporary_variables_in_a_loop():
    def body(i, x):
        value = gen_state_ops.destroy_temporary_variable(temporary("t"), "t")
        return i + 1, x + value
    return tf.while_loop(lambda i, x: i < 30, body, [0, scalar(0.0)], parallel_iterations=10)


# ---- Variables without a value.

def unset(op):
    def build():
        return op(gen_state_ops.variable_v2([2, 3], tf.float64))
    return build


for title, op in {
        "rank": lambda v: raw.Rank(input=v),
        "shape": lambda v: raw.Shape(input=v), "size": lambda v: raw.Size(input=v),
        "shapes": lambda v: raw.ShapeN(input=[v, tf.zeros([2], tf.float64)])[1],
        "identity": lambda v: raw.Shape(input=tf.identity(v)),
        "zeros": lambda v: raw.ZerosLike(x=v), "ones": lambda v: raw.OnesLike(x=v),
        "identities": lambda v: raw.IdentityN(input=[v, v])[0], "stop": lambda v: raw.StopGradient(input=v),
        "reshape": lambda v: raw.Reshape(tensor=v, shape=[6]), "expand": lambda v: raw.ExpandDims(input=v, axis=0),
        "squeeze": lambda v: raw.Squeeze(input=v), "sum": lambda v: raw.Sum(input=v, axis=[0, 1]),
        "zero_rows": lambda v: raw.Slice(input=v, begin=[0, 0], size=[0, 3]),
        "broadcast_args": lambda v: raw.BroadcastGradientArgs(s0=raw.Shape(input=v), s1=[3])[0],
        "range": lambda v: raw.Range(start=0, limit=raw.Rank(input=v), delta=1),
        "fill": lambda v: raw.Fill(dims=raw.Shape(input=v), value=scalar(1.0)),
}.items():
    graph(unset(op), f"the_{title}_of_a_variable_without_a_value")


@graph
def a_test_for_a_value():
    return [gen_state_ops.is_variable_initialized(gen_state_ops.variable_v2([2, 3], tf.float64))]


@graph
def the_shape_of_a_resource_variable_without_a_value():
    return [raw.VariableShape(input=handle_of([2, 3], "unset"))]


@graph
def the_shape_of_what_a_resource_variable_without_a_value_holds():
    return [raw.Shape(input=read(handle_of([2, 3], "unset_too")))]


# ---- Shapes that only code needs which does not run.

MATRIX = [tf.float64, tf.float64]


def lowered(outputs):
    """The node of the outputs, which is then put in the place of its functions."""
    outputs[0].op._set_attr("_lower_using_switch_merge", tf.AttrValue(b=True))
    return outputs


@defun.Defun(*MATRIX, func_name="Product")
def product(x, w):
    return tf.reduce_sum(tf.matmul(x, w)), tf.reshape(x, [7])


@defun.Defun(*MATRIX, func_name="NoProduct")
def no_product(x, w):
    return tf.reduce_sum(x) + tf.reduce_sum(w), tf.reshape(x, [-1])


@defun.Defun(*MATRIX, func_name="Multiplied")
def multiplied(x, w):
    return tf.matmul(x, w), w


def matrices():
    return tf.ones([2, 3], tf.float64), tf.ones([4, 2], tf.float64)


def branch(condition, hides, lowers):
    def build():
        condition_value = hidden(condition, []) if hides else tf.constant(condition)
        out = gen_functional_ops._if(condition_value, [*matrices()], MATRIX, product, no_product)
        return lowered(out) if lowers else out
    return build


for hides in True, False:
    for lowers in True, False:
        title = f"{'' if hides else '_that_is_constant'}{'_lowered' if lowers else ''}"
        graph(branch(False, hides, lowers), f"a_branch_not_taken{title}_may_not_fit")
        graph(branch(True, hides, lowers), f"a_branch_taken{title}_must_fit")


def loop(turns, lowers):
    def build():
        below = defun.Defun(*MATRIX, func_name="Turns")(lambda x, w: tf.reduce_sum(x) < 5.0 + turns)
        out = gen_functional_ops._while([*matrices()], below, multiplied)
        return lowered(out) if lowers else out
    return build


for lowers in True, False:
    graph(loop(0, lowers), f"a_loop_of_no_turns{'_lowered' if lowers else ''}_may_not_fit")
    graph(loop(9, lowers), f"a_loop_of_turns{'_lowered' if lowers else ''}_must_fit")


@graph
def a_case_not_chosen_may_not_fit():
    return gen_functional_ops.case(hidden(tf.constant(1), []), [*matrices()], MATRIX, [product, no_product, product])


@graph
def nested_branches_not_taken_may_not_fit():
    @defun.Defun(*MATRIX, func_name="Inner")
    def inner(x, w):
        return gen_functional_ops._if(tf.reduce_sum(x) > 1.0, [x, w], MATRIX, product, no_product)
    return gen_functional_ops._if(hidden(False, []), [*matrices()], MATRIX, inner, no_product)


# ---- How far an op goes in its sequence of numbers.

def three_times(op):
    """What the node gives in three iterations, one after the other."""
    def build():
        def body(i, array):
            return i + 1, array.write(i, tf.cast(tf.reshape(op(), [-1]), tf.float64))
        array = tf.TensorArray(tf.float64, 3)
        return tf.while_loop(lambda i, _: i < 3, body, [0, array], parallel_iterations=1)[1].stack()
    return build


SEEDS = {"seed": 5, "seed2": 8}
for title, op in {
        "uniform_numbers": lambda: raw.RandomUniform(shape=[3], dtype=tf.float64, **SEEDS),
        "uniform_floats": lambda: raw.RandomUniform(shape=[301], dtype=tf.float32, **SEEDS)[:3],
        "uniform_integers": lambda: raw.RandomUniformInt(shape=[7], minval=0, maxval=1000, **SEEDS),
        "uniform_long_integers": lambda: raw.RandomUniformInt(shape=[7], minval=tf.constant(0, tf.int64),
                                                              maxval=tf.constant(1000, tf.int64), **SEEDS),
        "normal_numbers": lambda: raw.RandomStandardNormal(shape=[5], dtype=tf.float64, **SEEDS),
        "truncated_numbers": lambda: raw.TruncatedNormal(shape=[5], dtype=tf.float64, **SEEDS),
        "gammas": lambda: raw.RandomGamma(shape=[3], alpha=tf.constant([0.5, 2.5], tf.float64), **SEEDS),
        "poissons": lambda: raw.RandomPoissonV2(shape=[3], rate=tf.constant([0.5, 12.5], tf.float64), dtype=tf.int64, **SEEDS),
        "choices": lambda: raw.Multinomial(logits=tf.constant([[0.1, 0.5, 1.0], [1.0, 0.0, 0.0]], tf.float64), num_samples=4,
                                           **SEEDS),
        "orders": lambda: raw.RandomShuffle(value=tf.range(5), **SEEDS),
        "orders_of_nine": lambda: raw.RandomShuffle(value=tf.range(9), **SEEDS),
        "candidates": lambda: raw.UniformCandidateSampler(true_classes=[[tf.constant(1, tf.int64)]], num_true=1,
                                                          num_sampled=4, unique=True, range_max=20, **SEEDS)[0],
        "log_uniform_candidates": lambda: raw.LogUniformCandidateSampler(
            true_classes=[[tf.constant(1, tf.int64)]], num_true=1, num_sampled=4, unique=False, range_max=20, **SEEDS)[0],
}.items():
    graph(three_times(op), f"{title}_go_on")

graph.write()
