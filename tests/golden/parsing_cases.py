"""Numbers and features out of bytes: raw, comma-separated, and Example messages."""
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, tensor, text


def raw_cases(w):
    data = bytes(range(1, 33))
    for dtype in ["bfloat16", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "complex64",
                  "complex128"]:
        for little_endian in [True, False]:
            w.case("DecodeRaw", text([data]), name=f"{dtype} {little_endian}", out_type=tf.as_dtype(dtype),
                   little_endian=little_endian)
    w.case("DecodeRaw", text([b"\x00\x01"]), name="bool", out_type=tf.bool)
    w.case("DecodeRaw", text(b"abcd"), name="a scalar", out_type=tf.int16)
    w.case("DecodeRaw", text([[b"ab", b"cd"], [b"ef", b"gh"]]), name="a matrix", out_type=tf.uint8)
    w.case("DecodeRaw", text([b"", b""]), name="empty strings", out_type=tf.int32)
    w.case("DecodeRaw", text(np.zeros((0,))), name="no strings", out_type=tf.int32)
    w.case("DecodeRaw", text([b"ab", b"abcd"]), name="other lengths", out_type=tf.int16)
    w.case("DecodeRaw", text([b"abc"]), name="half a number", out_type=tf.int16)


def csv_cases(w):
    defaults = [text([""]), tensor([7], "int32"), tensor([], "float32")]
    for record in ["a,1,2.5", ",1,2", "a,,2", "a,1,", "a,1", "a,1,2,3", '"a,b",1,2', '"a""b",1,2', '"a"b,1,2', 'a"b,1,2', '"a', '"a,1,2',
                   "a,1,2\n", "\r\na,1,2", "a,1\n,2", "a,x,2", "a,1,x", "a, 1 , 2 ", '"",1,2', '"a",1,2', "", "a,99999999999,2", '"a\nb",1,2',
                   "a,1,2,", 'a,1,"2"', "NA,NA,1", 'a,1,"']:
        w.case("DecodeCSV", text([record]), defaults, name=repr(record))
    w.case("DecodeCSV", text(["NA,NA,1"]), defaults, name="NA", na_value="NA")
    w.case("DecodeCSV", text(["a\t1\t2"]), defaults, name="tabs", field_delim="\t")
    w.case("DecodeCSV", text(['"a;1;2']), defaults, name="no quotes", field_delim=";", use_quote_delim=False)
    w.case("DecodeCSV", text(["a,1,2"]), defaults, name="two delimiters", field_delim=",,")
    for columns in [[0, 2, 4], [1, 2, 3], [2, 1, 0], [0, 1], [0, 1, 9], [-1, 0, 1]]:
        w.case("DecodeCSV", text(["0,1,2,3,4", "5,6,7,8,9"]), defaults, name=f"columns {columns}", select_cols=columns)
    for record in ['a,1,2,"x', "a,1,2,3\r\n", 'a,1,2,b"b', "a,1,2,", "a,1,2\n", 'a,1,"2"x']:
        w.case("DecodeCSV", text([record]), defaults, name=f"columns before {record!r}", select_cols=[0, 1, 2])
    w.case("DecodeCSV", text([["a,1,2"], ["b,3,4"]]), defaults, name="a matrix")
    w.case("DecodeCSV", text("a,1,2"), [text(""), tensor(7, "int64"), tensor(1.5, "float64")], name="scalars")
    w.case("DecodeCSV", text(np.zeros((0,))), defaults, name="no records")
    w.case("DecodeCSV", text(["1"]), [tensor([1, 2], "int32")], name="two defaults")


def example(**features):
    message = tf.train.Example()
    for key, values in features.items():
        feature = message.features.feature[key]
        if values is None:
            continue
        if isinstance(values[0], bytes) if values else False:
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], float) if values else False:
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)
    return message.SerializeToString(deterministic=True)


A = example(i=[1, 2], f=[0.5, 1.5], s=[b"x", b"y"], n=[4])
B = example(i=[3, 4], f=[2.5, 3.5], s=[b"z", b""], n=[5, 6, 7])
C = example(i=[5, 6])
NONE = text(np.zeros((0,)))
SHAPE2 = tf.TensorShape([2])
VARIABLE = tf.TensorShape([None])


def parse_cases(w):
    def dense(name, serialized, key, default, shape=SHAPE2, names=NONE):
        shapes = {"dense_shapes": [shape]}
        w.case("ParseExample", text(serialized), names, [], [text(key)], [default], name=name, sparse_types=[], **shapes)
        w.case("ParseExampleV2", text(serialized), names, NONE, text([key]), NONE, [default], name=name, num_sparse=0,
               sparse_types=[], ragged_value_types=[], ragged_split_types=[], **shapes)
        w.case("ParseSingleExample", text(serialized[0]) if serialized else text(""), [default], name=name, num_sparse=0,
               sparse_keys=[], dense_keys=[key], sparse_types=[], **shapes)

    def sparse(name, serialized, key, dtype):
        w.case("ParseExample", text(serialized), NONE, [text(key)], [], [], name=name, sparse_types=[dtype], dense_shapes=[])
        w.case("ParseExampleV2", text(serialized), NONE, text([key]), NONE, NONE, [], name=name, num_sparse=1, sparse_types=[dtype],
               ragged_value_types=[], ragged_split_types=[], dense_shapes=[])
        w.case("ParseSingleExample", text(serialized[0]) if serialized else text(""), [], name=name, num_sparse=1, sparse_keys=[key],
               dense_keys=[], sparse_types=[dtype], dense_shapes=[])

    none = {"i": tensor([], "int64"), "f": tensor([], "float32"), "s": NONE}
    for key in ["i", "f", "s"]:
        dense(f"dense {key}", [A, B], key, none[key])
    dense("dense default", [C, A], "f", tensor([9, 8]))
    dense("dense default of another shape", [C, A], "f", tensor([9, 8, 7]))
    dense("dense missing", [C, A], "f", none["f"])
    dense("dense of another dtype", [A], "f", none["i"])
    dense("dense of another size", [A], "n", none["i"])
    dense("dense matrix", [A, B], "i", none["i"], tf.TensorShape([2, 1]))
    dense("dense scalar", [A], "n", none["i"], tf.TensorShape([]))
    dense("variable", [A, B, C], "n", tensor([-1], "int64"), VARIABLE)
    dense("variable rows", [A, B], "i", tensor([-1], "int64"), tf.TensorShape([None, 2]))
    dense("variable rows that do not fit", [B], "n", tensor([-1], "int64"), tf.TensorShape([None, 2]))
    dense("variable without padding", [A, B], "n", none["i"], VARIABLE)
    dense("unknown inner size", [A], "i", none["i"], tf.TensorShape([2, None]))
    dense("no messages", [], "i", none["i"])
    dense("no message", [b"\xff\xff"], "i", none["i"])
    dense("an empty message", [b""], "i", tensor([1, 2], "int64"))
    dense("an empty feature", [example(i=None)], "i", tensor([1, 2], "int64"))
    for key, dtype in [("i", tf.int64), ("f", tf.float32), ("s", tf.string), ("n", tf.int64)]:
        sparse(f"sparse {key}", [A, B, C], key, dtype)
    sparse("sparse absent", [A, B], "absent", tf.string)
    sparse("sparse of another dtype", [A], "i", tf.float32)
    sparse("sparse, no messages", [], "i", tf.int64)
    w.case("ParseExample", text([A, C, B]), text(["a", "c", "b"]), [text("s"), text("n")], [text("i"), text("f")],
           [none["i"], tensor([0, 0])], name="all kinds", sparse_types=[tf.string, tf.int64], dense_shapes=[SHAPE2, SHAPE2])
    w.case("ParseExample", text([A]), text(["a", "b"]), [text("s")], [], [], name="names do not fit", sparse_types=[tf.string],
           dense_shapes=[])
    w.case("ParseExample", text(A), NONE, [text("s")], [], [], name="a scalar", sparse_types=[tf.string], dense_shapes=[])
    for split in [tf.int32, tf.int64]:
        for serialized in [[A, C, B], []]:
            w.case("ParseExampleV2", text(serialized), NONE, NONE, NONE, text(["n", "s"]), [], name=f"ragged {split.name} {len(serialized)}",
                   num_sparse=0, sparse_types=[], ragged_value_types=[tf.int64, tf.string], ragged_split_types=[split, split],
                   dense_shapes=[])
    w.case("ParseExampleV2", text(B), NONE, text(["s"]), text(["i"]), text(["n"]), [none["i"]], name="one message", num_sparse=1,
           sparse_types=[tf.string], ragged_value_types=[tf.int64], ragged_split_types=[tf.int64], dense_shapes=[SHAPE2])
    w.case("ParseExampleV2", text([B]), NONE, text(["s", "t"]), NONE, NONE, [], name="few types", num_sparse=1,
           sparse_types=[tf.string], ragged_value_types=[], ragged_split_types=[], dense_shapes=[])


def message_of(value, **fields):
    """A TensorProto with the value, or without its elements the fields."""
    proto = tf.make_tensor_proto(value)
    if fields:
        proto = tensor_pb2.TensorProto(dtype=proto.dtype, tensor_shape=proto.tensor_shape, **fields)
    return text(proto.SerializeToString(deterministic=True))


def messages(w):
    for dtype in FLOATS + SIGNED + UNSIGNED + COMPLEX + ["bool"]:
        for shape in [(), (2, 3), (0,)]:
            value = np.ones(shape) if dtype == "bool" else np.arange(np.prod(shape)).reshape(shape) + 0.5
            value = tensor(value, dtype)
            w.case("ParseTensor", message_of(value), out_type=tf.as_dtype(dtype), name=f"{dtype} {list(shape)}")
            w.case("SerializeTensor", value)
    for value in text(b"a\x00b"), text([[b"", b"two"], [b"\xff", b"\n"]]), text([]):
        w.case("ParseTensor", message_of(value), out_type=tf.string, name=f"string {list(value.shape)}")
        w.case("SerializeTensor", value)
    ones = np.ones((2, 2), np.float32)
    for name, fields in [("values", dict(float_val=[1, 2, 3, 4])), ("the last repeats", dict(float_val=[1, 2])),
                         ("no value", dict(version_number=0)), ("more values than elements", dict(float_val=range(5))),
                         ("too little content", dict(tensor_content=b"1234")), ("values of another dtype", dict(int_val=[1])),
                         ("content goes first", dict(tensor_content=ones.tobytes(), float_val=[7]))]:
        w.case("ParseTensor", message_of(ones, **fields), out_type=tf.float32, name=name)
    w.case("ParseTensor", message_of(ones.astype(np.float16), half_val=[15360, 16384]), out_type=tf.float16, name="halves")
    w.case("ParseTensor", message_of(ones.astype(np.complex64), scomplex_val=[1, 2, 3, 4]), out_type=tf.complex64, name="pairs")
    w.case("ParseTensor", message_of(ones), out_type=tf.int32, name="another dtype")
    w.case("ParseTensor", text(b"\xff\xff"), out_type=tf.float32, name="no message")
    w.case("ParseTensor", text(b""), out_type=tf.float32, name="an empty message")
    w.case("ParseTensor", message_of(ones).reshape(1), out_type=tf.float32, name="a vector")
    cut = message_of(ones).item()[:-3]
    w.case("ParseTensor", text(cut), out_type=tf.float32, name="cut off")


def write(w):
    raw_cases(w)
    csv_cases(w)
    parse_cases(w)
    messages(w)
