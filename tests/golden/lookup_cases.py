"""Tables from keys to values. The order in which TensorFlow exports keys is none: they are sorted here."""
import numpy as np
import tensorflow as tf

from golden import Table, tensor, text

FIXED, MUTABLE = "HashTableV2", "MutableHashTableV2"


KEYS = {"string": text(["b", "a", ""]), "int32": tensor([5, -1, 0], "int32"), "int64": tensor([5, -1, 0], "int64")}
VALUES = {"string": text(["x", "", "y z"]), "int32": tensor([1, 2, 3], "int32"), "int64": tensor([1, 2, 3], "int64"),
          "float32": tensor([0.5, 1, 2]), "float64": tensor([0.5, 1, 2], "float64"), "bool": tensor([1, 0, 1], "bool")}
ABSENT = {"string": text("none"), "bool": tensor(0, "bool")}


def absent(dtype):
    return ABSENT.get(dtype, tensor(-7, dtype))


def find_cases(w):
    for op in [FIXED, MUTABLE]:
        for key, keys in KEYS.items():
            for value, values in VALUES.items():
                asked = text(["a", "?", "b"]) if key == "string" else tensor([-1, 9, 5], key)
                w.case("LookupTableFindV2", Table(op, keys, values), asked, absent(value), name=f"{op} {key} {value}")
        table = Table(op, KEYS["string"], VALUES["int64"])
        for shape in [(), (0,), (2, 2), (1, 0, 2)]:
            w.case("LookupTableFindV2", table, np.full(shape, "a", object), absent("int64"), name=f"{op} keys {list(shape)}")
        w.case("LookupTableFindV2", table, text(["a"]), tensor([1, 2, 3], "int64"), name=f"{op} three defaults")
        w.case("LookupTableFindV2", table, tensor([1], "int32"), absent("int64"), name=f"{op} other keys")
        w.case("LookupTableFindV2", table, text(["a"]), absent("float32"), name=f"{op} another value")
    w.case("LookupTableFindV2", Table(MUTABLE, KEYS["string"], VALUES["int64"]), text(["a", "?", "!"]),
           tensor([7, 8, 9], "int64"), name="a default a key")
    w.case("LookupTableFindV2", Table(FIXED, KEYS["string"], VALUES["int64"]), text(["a", "?", "!"]),
           tensor([7, 8, 9], "int64"), name="a default a key of a fixed table")
    w.case("LookupTableFindV2", Table(FIXED, dtypes=(tf.string, tf.int64)), text(["a"]), absent("int64"), name="not filled",
           error="FailedPrecondition")


def fill_cases(w):
    for op in ["LookupTableInsertV2", "LookupTableImportV2"]:
        for key, keys in KEYS.items():
            for value, values in VALUES.items():
                w.case(op, Table(MUTABLE, keys[:2], values[:2]), keys[1:], values[::-1][1:], name=f"{key} {value}")
        table = Table(MUTABLE, KEYS["string"], VALUES["int64"])
        w.case(op, table, text(["a", "c", "a"]), tensor([7, 8, 9], "int64"), name="a key twice")
        w.case(op, table, text([]), tensor([], "int64"), name="nothing")
        w.case(op, table, text(["a", "c"]), tensor([7], "int64"), name="few values")
        w.case(op, table, text(["a"]), tensor([7], "float32"), name="other values")
        w.case(op, table, tensor([7], "int32"), tensor([7], "int64"), name="other keys")
        w.case(op, table, text([["p", "q"]]), tensor([[7, 8]], "int64"), name="a matrix")
    for key, keys in KEYS.items():
        for value, values in VALUES.items():
            w.case("InitializeTableV2", Table(FIXED, dtypes=(tf.as_dtype(key), tf.as_dtype(value))), keys, values,
                   name=f"{key} {value}")
    empty, full = Table(FIXED, dtypes=(tf.string, tf.int64)), Table(FIXED, KEYS["string"], VALUES["int64"])
    for op, kind in [("InitializeTableV2", ""), ("LookupTableImportV2", "HashTableV2 ")]:
        w.case(op, empty, text(["a", "a"]), tensor([1, 1], "int64"), name=kind + "a key twice")
        w.case(op, empty, text(["a", "a"]), tensor([1, 2], "int64"), name=kind + "a key with two values",
               error="FailedPrecondition")
        w.case(op, empty, text([]), tensor([], "int64"), name=kind + "nothing")
        w.case(op, empty, text(["a", "b"]), tensor([1], "int64"), name=kind + "few values")
        w.case(op, empty, text([["a"]]), tensor([[1]], "int64"), name=kind + "a matrix")
        w.case(op, full, KEYS["string"], VALUES["int64"], name=kind + "the same again")
        w.case(op, full, text(["c"]), tensor([1], "int64"), name=kind + "other data", error="FailedPrecondition")


def other_cases(w):
    for key, keys in KEYS.items():
        for value in ["int64", "string"]:
            table = Table(MUTABLE, keys, VALUES[value])
            w.case("LookupTableRemoveV2", table, keys[:2], name=f"{key} {value}")
            w.case("LookupTableRemoveV2", table, keys[:0], name=f"nothing {key} {value}")
            for op in [FIXED, MUTABLE]:
                w.case("LookupTableSizeV2", Table(op, keys, VALUES[value]), name=f"{op} {key} {value}")
                one = Table(op, keys[1:2], VALUES[value][:1])
                w.case("LookupTableExportV2", one, name=f"{op} {key} {value}", Tkeys=tf.as_dtype(key), Tvalues=tf.as_dtype(value))
    table = Table(MUTABLE, KEYS["int32"], VALUES["int32"])
    w.case("LookupTableRemoveV2", table, tensor([5, 5, 77], "int32"), name="twice and absent")
    w.case("LookupTableRemoveV2", table, text(["a"]), name="other keys")
    w.case("LookupTableRemoveV2", table, tensor(5, "int32"), name="a scalar")
    w.case("LookupTableRemoveV2", table, tensor([[5], [0]], "int32"), name="a matrix")
    w.case("LookupTableSizeV2", Table(FIXED, dtypes=(tf.string, tf.int64)), name="not filled")
    w.case("LookupTableSizeV2", Table(MUTABLE, dtypes=(tf.string, tf.int64)), name="empty")
    w.case("LookupTableExportV2", Table(MUTABLE, dtypes=(tf.string, tf.int64)), name="empty", Tkeys=tf.string, Tvalues=tf.int64)
    w.case("LookupTableExportV2", table, name="other dtypes", Tkeys=tf.string, Tvalues=tf.int64)


def write(w):
    find_cases(w)
    fill_cases(w)
    other_cases(w)
