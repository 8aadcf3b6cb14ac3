"""Runs ops of TensorFlow and writes what went in and what came out as golden cases.

The file format is described in FORMAT.md. A case is one call of Writer.case(); families of cases (every dtype, every
way to broadcast) are built on it in FAMILY_cases.py.
"""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library, op_def_registry
from tensorflow.python.ops import gen_lookup_ops, gen_resource_variable_ops, gen_state_ops

BF16 = tf.bfloat16.as_numpy_dtype
FLOATS = ["bfloat16", "float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


def tensor(values, dtype="float32"):
    """An array of a dtype by its dfrun name."""
    if dtype == "string":
        return np.array(values, dtype=object)
    return np.array(values).astype(tf.as_dtype(dtype).as_numpy_dtype)


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def s32(value):
    """A scalar, or whatever shape the value has."""
    return np.array(value, np.int32)


def text(value):
    return np.array(value, object)


def _character(byte):
    if byte in b'"\\':
        return "\\" + chr(byte)
    if byte == ord("\n"):
        return "\\n"
    return chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}"


def _element(v):
    if isinstance(v, np.void):  # a quantised integer
        return str(int(v[0]))
    if isinstance(v, (bytes, str)):
        return '"' + "".join(_character(b) for b in (v if isinstance(v, bytes) else v.encode())) + '"'
    if isinstance(v, (bool, np.bool_)):
        return str(int(v))
    if isinstance(v, (complex, np.complexfloating)):
        return _element(v.real) + ":" + _element(v.imag)
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    if np.isnan(v):
        return "nan"
    # The shortest text that reads back to the same bits; a 16-bit number is one of float32 too.
    text = repr(float(v)) if isinstance(v, np.float64) else str(np.float32(v))
    return text[:-2] if text.endswith(".0") else text


class Variable:
    """An input that is a variable: a ref, or a handle where the op takes a resource. Without a value: not initialised,
    declared with `shape`."""

    def __init__(self, value=None, dtype=None, shape=(2,)):
        self.value = value
        self.shape = shape if value is None else np.shape(value)
        self.dtype = _dtype(value) if dtype is None else tf.as_dtype(dtype)

    def create(self, is_ref, name):
        """The tensor that stands for it, and the ops that set and read it."""
        if is_ref:
            tensor = gen_state_ops.variable_v2(self.shape, self.dtype)
            set_value = None if self.value is None else gen_state_ops.assign(tensor, self.value)
            return tensor, set_value, lambda: tf.identity(tensor)
        tensor = gen_resource_variable_ops.var_handle_op(dtype=self.dtype, shape=self.shape, shared_name=name)
        set_value = None if self.value is None else gen_resource_variable_ops.assign_variable_op(tensor, self.value)
        return tensor, set_value, lambda: gen_resource_variable_ops.read_variable_op(tensor, self.dtype)


class Table:
    """An input that is the handle of a table, which the op `op` made, with these keys and values. Without keys: not
    filled, of these dtypes."""

    def __init__(self, op, keys=None, values=None, dtypes=None):
        self.op, self.keys, self.values = op, keys, values
        self.key_dtype, self.value_dtype = dtypes or (_dtype(keys), _dtype(values))

    def create(self, _, name):
        """The handle, and the ops that fill the table and read it."""
        handle = op_def_library.apply_op(self.op, key_dtype=self.key_dtype, value_dtype=self.value_dtype, shared_name=name,
                                         container="", use_node_name_sharing=False)
        fill = gen_lookup_ops.initialize_table_v2 if self.op == "HashTableV2" else gen_lookup_ops.lookup_table_insert_v2
        filled = None if self.keys is None else fill(handle, self.keys, self.values)
        return handle, filled, lambda: gen_lookup_ops.lookup_table_export_v2(handle, self.key_dtype, self.value_dtype)

    def text(self):
        if self.keys is None:
            return f"{self.op} {self.key_dtype.name} => {self.value_dtype.name}"
        return f"{self.op} {_tensor_text(self.keys)} => {_tensor_text(self.values)}"


def _input_text(value):
    if isinstance(value, Table):
        return "table " + value.text()
    if isinstance(value, Variable):
        return "var " + _tensor_text(value.dtype if value.value is None else value.value)
    return "in " + _tensor_text(value)


def _after_text(value):
    if isinstance(value, tuple):
        return "held " + " => ".join(_tensor_text(part) for part in value)
    return "after " + _tensor_text(value)


def _tensor_text(a):
    if isinstance(a, tf.DType):
        return a.name
    a = np.asarray(a)
    name = "string" if a.dtype == object else tf.as_dtype(a.dtype).name
    shape = ",".join(str(d) for d in a.shape)
    return f"{name}[{shape}]" + "".join(" " + _element(v) for v in a.reshape(-1))


def _attr_text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, tf.DType):
        return v.name
    if isinstance(v, tf.TensorShape):
        return "?" if v.rank is None else str([-1 if d is None else d for d in v.as_list()])
    if isinstance(v, str):
        return f"'{v}'"
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(_attr_text(x) for x in v) + "]"
    return str(v)


class Writer:
    def __init__(self):
        self.blocks = []
        self.names = set()

    def case(self, op, *inputs, name=None, ulps=0, error="InvalidArgument", outputs=None, undefined=(), spare=(),
             **attrs):
        """One case. An input that is a list stands for a repeated argument (N * T), a Variable for a variable. Errors of
        TensorFlow are part of the case; `error`: what such an error is. `ulps`: how far floating-point results may be
        away. `outputs`: what must come out of an op that TensorFlow lacks, computed by other ops of it, or "error".
        `undefined`: outputs that TensorFlow leaves without a value, and that must come out as empty vectors. `spare`:
        outputs that hold nothing, a scalar 0 as TensorFlow's own kernels give it, where oneDNN's give an empty vector."""
        lines = [f"case {op} {self._name(op, name or _describe(inputs))}"]
        lines += [f"attr {k}={_attr_text(v)}" for k, v in attrs.items()]
        lines += [f"attr {k}={n}" for k, n in _counts(op, inputs).items()]
        flat = [t for i in inputs for t in (i if isinstance(i, list) else [i])]
        lines += [_input_text(t) for t in flat]
        try:
            if outputs is None:
                results = run(op, inputs, attrs)
            else:
                results = None if outputs == "error" else (outputs, [])
        except NoKernel:
            print(f"{lines[0]}: TensorFlow has no kernel, left out")
            return
        if results is None:
            lines.append("error " + error)
        else:
            outputs, variables = results
            shapes = {**{i: 0 for i in undefined}, **{i: () for i in spare}}
            outputs = [np.zeros(shapes[i], o.dtype) if i in shapes else o for i, o in enumerate(outputs)]
            if ulps and any(_is_floating(v.dtype) for v in outputs + variables if isinstance(v, np.ndarray)):
                lines.append(f"ulps {ulps:g}")
            lines += ["out " + _tensor_text(o) for o in outputs]
            lines += [_after_text(v) for v in variables]
        self.blocks.append("\n".join(lines) + "\n")

    def _name(self, op, name):
        unique, n = f"{op} {name}", 2
        while unique in self.names:
            unique, n = f"{op} {name} #{n}", n + 1
        self.names.add(unique)
        return unique[len(op) + 1:]

    def text(self):
        return f"# Written by generate.py with TensorFlow {tf.__version__}; see FORMAT.md.\n\n" + "\n".join(self.blocks)


def _is_floating(dtype):
    return dtype.kind in "fcV"


def _describe(inputs):
    firsts = [i[0] if isinstance(i, list) and i else i for i in inputs]
    firsts = [np.asarray(f.value if isinstance(f, Variable) else f.keys if isinstance(f, Table) else f) for f in firsts]
    if not firsts:
        return "no input"
    name = "string" if firsts[0].dtype == object else tf.as_dtype(firsts[0].dtype).name
    return name + " " + " ".join(str(list(f.shape)).replace(" ", "") for f in firsts)


def _counts(op, inputs):
    """Lengths of repeated arguments, of an op that has several, so that its inputs alone do not tell them. None of an op
    that TensorFlow lacks."""
    definition = op_def_registry.get(op)
    arguments = definition.input_arg if definition else []
    counts = {a.number_attr: len(i) for a, i in zip(arguments, inputs) if a.number_attr}
    return counts if len(counts) > 1 else {}


def _defaults(definition, given):
    """The attrs that have a default, are not given and do not follow from the inputs."""
    inferred = {a.type_attr for a in definition.input_arg} | {a.number_attr for a in definition.input_arg}
    defaults = {}
    for attr in definition.attr:
        if not attr.HasField("default_value") or attr.name in given or attr.name in inferred:
            continue
        value = attr.default_value
        kind = value.WhichOneof("value")
        if kind == "type":
            defaults[attr.name] = tf.as_dtype(value.type)
        elif kind == "list":
            defaults[attr.name] = list(value.list.i)
        else:
            defaults[attr.name] = getattr(value, kind)
    return defaults


def run(op, inputs, attrs):
    """The outputs and then the variables as arrays, or None where TensorFlow refuses. A ref output is not among the
    outputs. A graph of its own a case: random ops start anew."""
    definition = op_def_registry.get(op)
    feeds, variables = {}, []

    def argument(value, is_ref):
        if isinstance(value, (Variable, Table)):
            variables.append(value.create(is_ref, f"variable{len(variables)}"))
            return variables[-1][0]
        # A placeholder, so that nothing is folded or simplified on the way.
        holder = tf.compat.v1.placeholder(_dtype(value), np.shape(value))
        feeds[holder] = value
        return holder

    with tf.Graph().as_default() as graph:
        arguments = {}
        for arg, given in zip(definition.input_arg, inputs):
            is_list = isinstance(given, list)
            values = [argument(v, arg.is_ref) for v in (given if is_list else [given])]
            arguments[arg.name] = values if is_list else values[0]
        try:
            # The suite's nodes have this name too.
            op_def_library.apply_op(op, **arguments, **attrs, **_defaults(definition, attrs), name="node")
            operation = graph.get_operations()[-1]
            fetches = [o for o in operation.outputs if not o.dtype._is_ref_dtype]
            with tf.compat.v1.Session() as session:
                session.run([set_value for _, set_value, _ in variables if set_value is not None])
                outputs, _ = session.run([fetches, operation], feeds)
                after = [_read(session, *variable) for variable in variables]
            return [_array(v, fetch.dtype) for v, fetch in zip(outputs, fetches)], after
        except tf.errors.UnimplementedError as error:
            raise NoKernel(op) from error
        except (ValueError, tf.errors.InvalidArgumentError, tf.errors.InternalError, tf.errors.OutOfRangeError,
                tf.errors.FailedPreconditionError, tf.errors.NotFoundError,
                tf.errors.AbortedError) as error:  # Aborted: oneDNN found the shapes at odds
            if "No OpKernel" in str(error):
                raise NoKernel(op) from error
            return None


def _array(value, dtype):
    """A fetched value as an array of its dtype."""
    if isinstance(value, bytes):
        return np.array(value, object)  # a string as numpy's own type would lose the NULs at its end
    value = np.asarray(value)
    return value.astype(dtype.as_numpy_dtype) if dtype.is_quantized else value  # they come as plain integers


def _read(session, tensor, _, read):
    """The value of a variable now, the keys and values of a table by key; the dtypes where there are none."""
    value = read()
    try:
        if not isinstance(value, tuple):
            return _array(session.run(value), value.dtype)
        keys, values = (_array(v, part.dtype) for v, part in zip(session.run(value), value))
        order = np.argsort(keys, kind="stable")
        return keys[order], values[order]
    except (tf.errors.FailedPreconditionError, tf.errors.AbortedError):  # Aborted: a table that is not filled
        return tuple(v.dtype for v in value) if isinstance(value, tuple) else value.dtype.base_dtype


class NoKernel(Exception):
    """TensorFlow has no CPU kernel of the op for these dtypes."""


def _dtype(value):
    a = np.asarray(value)
    return tf.string if a.dtype == object else tf.as_dtype(a.dtype)
