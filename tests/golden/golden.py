"""Runs ops of TensorFlow and writes what went in and what came out as golden cases.

The file format is described in FORMAT.md. A case is one call of Writer.case(); families of cases (every dtype, every
way to broadcast) are built on it in FAMILY_cases.py.
"""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library, op_def_registry

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


def _element(v):
    if isinstance(v, (bytes, str)):
        text = v.decode("latin-1") if isinstance(v, bytes) else v
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
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


def _tensor_text(a):
    a = np.asarray(a)
    name = "string" if a.dtype == object else tf.as_dtype(a.dtype).name
    shape = ",".join(str(d) for d in a.shape)
    return f"{name}[{shape}]" + "".join(" " + _element(v) for v in a.reshape(-1))


def _attr_text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, tf.DType):
        return v.name
    if isinstance(v, str):
        return f"'{v}'"
    return str(v)


class Writer:
    def __init__(self, path):
        self.path = path
        self.blocks = []
        self.names = set()

    def case(self, op, *inputs, name=None, ulps=0, **attrs):
        """One case. An input that is a list stands for a repeated argument (N * T). Errors of TensorFlow are part of
        the case. `ulps`: how far floating-point results may be away."""
        lines = [f"case {op} {self._name(op, name or _describe(inputs))}"]
        lines += [f"attr {k}={_attr_text(v)}" for k, v in attrs.items()]
        flat = [t for i in inputs for t in (i if isinstance(i, list) else [i])]
        lines += ["in " + _tensor_text(t) for t in flat]
        try:
            outputs = run(op, inputs, attrs)
        except NoKernel:
            print(f"{lines[0]}: TensorFlow has no kernel, left out")
            return
        if outputs is None:
            lines.append("error InvalidArgument")
        else:
            if ulps and any(o.dtype.kind in "fcV" for o in outputs):
                lines.append(f"ulps {ulps:g}")
            lines += ["out " + _tensor_text(o) for o in outputs]
        self.blocks.append("\n".join(lines) + "\n")

    def _name(self, op, name):
        unique, n = f"{op} {name}", 2
        while unique in self.names:
            unique, n = f"{op} {name} #{n}", n + 1
        self.names.add(unique)
        return unique[len(op) + 1:]

    def write(self):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(f"# Written by generate.py with TensorFlow {tf.__version__}; see FORMAT.md.\n\n")
            f.write("\n".join(self.blocks))
        print(f"{self.path}: {len(self.blocks)} cases")


def _describe(inputs):
    first = inputs[0][0] if isinstance(inputs[0], list) else inputs[0]
    first = np.asarray(first)
    name = "string" if first.dtype == object else tf.as_dtype(first.dtype).name
    shapes = [str(list(np.asarray(i[0] if isinstance(i, list) else i).shape)).replace(" ", "") for i in inputs]
    return name + " " + " ".join(shapes)


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
    """The outputs as arrays, or None where TensorFlow refuses. A graph of its own a case: random ops start anew."""
    definition = op_def_registry.get(op)
    arguments = {}
    feeds = {}
    with tf.Graph().as_default():
        for arg, given in zip(definition.input_arg, inputs):
            values = given if isinstance(given, list) else [given]
            # Placeholders, so that nothing is folded or simplified on the way.
            holders = [tf.compat.v1.placeholder(_dtype(v), np.shape(v)) for v in values]
            feeds.update(zip(holders, values))
            arguments[arg.name] = holders if isinstance(given, list) else holders[0]
        try:
            result = op_def_library.apply_op(op, **arguments, **attrs, **_defaults(definition, attrs))
            if isinstance(result, tf.Operation):
                return []
            fetches = list(result) if isinstance(result, (list, tuple)) else [result]
            with tf.compat.v1.Session() as session:
                return [np.asarray(v) for v in session.run(fetches, feeds)]
        except tf.errors.UnimplementedError as error:
            raise NoKernel(op) from error
        except (ValueError, tf.errors.InvalidArgumentError, tf.errors.InternalError, tf.errors.OutOfRangeError) as error:
            if "No OpKernel" in str(error):
                raise NoKernel(op) from error
            return None


class NoKernel(Exception):
    """TensorFlow has no CPU kernel of the op for these dtypes."""


def _dtype(value):
    a = np.asarray(value)
    return tf.string if a.dtype == object else tf.as_dtype(a.dtype)
