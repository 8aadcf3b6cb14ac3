"""HDF5 files of numbers, strings and enums of many layouts, and what dfrun reads of them.

layouts.py make        writes layouts.h5 and all.yaml, and a spec NAME.yaml for each layout that is to be refused
layouts.py check FILE  compares the tensors of FILE with those that h5py reads, and with those that the bits say
"""
import math
import sys

import h5py
import numpy as np

h5t = h5py.h5t
np.seterr(invalid="ignore")  # a signalling NaN is cast
ROWS = 1024
LITTLE, BIG = h5t.ORDER_LE, h5t.ORDER_BE


def float_type(size, fields, bias, order=LITTLE, precision=0, offset=0, norm=h5t.NORM_IMPLIED):
    made = (h5t.IEEE_F64LE if size <= 8 else h5t.NATIVE_LDOUBLE).copy()
    made.set_fields(*fields)
    made.set_precision(precision or 8 * size)
    made.set_size(size)
    made.set_offset(offset)
    made.set_ebias(bias)
    made.set_order(order)
    made.set_norm(norm)
    return made


def int_type(size, precision, offset=0, signed=True, order=LITTLE):
    made = (h5t.STD_I64LE if signed else h5t.STD_U64LE).copy()
    if size > 8:
        made.set_size(size)
    made.set_precision(precision)
    made.set_size(size)
    made.set_offset(offset)
    made.set_order(order)
    return made


def enum_type(base, **members):
    made = h5t.enum_create(base)
    for name, value in members.items():
        made.enum_insert(name.encode(), value)
    return made


def table_type(**fields):
    made = h5t.create(h5t.COMPOUND, sum(t.get_size() for t in fields.values()))
    at = 0
    for name, field in fields.items():
        made.insert(name.encode(), at, field)
        at += field.get_size()
    return made


def text_type(padding):
    made = h5t.C_S1.copy()
    made.set_size(6)
    made.set_strpad(padding)
    return made


BFLOAT16 = float_type(2, (15, 7, 8, 0, 7), 127)
F24 = float_type(3, (23, 15, 8, 0, 15), 127)
HALF = float_type(2, (15, 10, 5, 0, 10), 15)
FLOATS = {
    "bfloat16": BFLOAT16,
    "bfloat16_big": float_type(2, (15, 7, 8, 0, 7), 127, BIG),
    "half": HALF,
    "half_big": float_type(2, (15, 10, 5, 0, 10), 15, BIG),
    "half_of_bias_20": float_type(2, (15, 10, 5, 0, 10), 20),
    "half_in_4": float_type(4, (15, 10, 5, 0, 10), 15, LITTLE, 16),
    "sign_at_0": float_type(2, (0, 11, 5, 1, 10), 15),
    "gap": float_type(2, (15, 9, 5, 0, 7), 15, BIG),
    "e5m2": float_type(1, (7, 2, 5, 0, 2), 15),
    "e4m3": float_type(1, (7, 3, 4, 0, 3), 7),
    "f24": F24,
    "f32_big": h5t.IEEE_F32BE,
    "f32_of_11": float_type(4, (31, 20, 11, 0, 20), 1023),
    "f48_big": float_type(6, (47, 36, 11, 0, 36), 1023, BIG),
    "f64_big": h5t.IEEE_F64BE,
}
INTS = {
    "i8_of_7": int_type(1, 7),
    "u8_of_3_at_2": int_type(1, 3, 2, signed=False),
    "i12": int_type(2, 12),
    "u12_at_4_big": int_type(2, 12, 4, False, BIG),
    "i16_big": h5t.STD_I16BE,
    "i24": int_type(3, 24),
    "u24_of_20_big": int_type(3, 20, 0, False, BIG),
    "i40_big": int_type(5, 40, 0, True, BIG),
    "u64_of_50": int_type(8, 50, 7, signed=False),
    "i64_big": h5t.STD_I64BE,
}
ENUMS = {
    "bool": enum_type(h5t.NATIVE_INT8, FALSE=0, TRUE=1),
    "bool_of_u32_big": enum_type(h5t.STD_U32BE, FALSE=0, TRUE=1),
    "bool_turned": enum_type(h5t.NATIVE_INT8, FALSE=1, TRUE=0),
    "bool_of_5": enum_type(h5t.NATIVE_INT8, FALSE=0, TRUE=5),
    "enum_of_i16_big": enum_type(h5t.STD_I16BE, A=-5, B=300),
    "enum_of_i12": enum_type(int_type(2, 12), A=-5, B=300),
}
TABLES = {
    "c64_big": table_type(r=h5t.IEEE_F32BE, i=h5t.IEEE_F32BE),
    "c128": table_type(r=h5t.IEEE_F64LE, i=h5t.IEEE_F64LE),
    "int_pair": table_type(r=h5t.STD_I32LE, i=h5t.STD_I32LE),
    "half_pair": table_type(r=HALF, i=HALF),
    "table": table_type(b=BFLOAT16, n=INTS["u12_at_4_big"], list=h5t.array_create(F24, (3,))),
}
TEXTS = {"text_ended": h5t.STR_NULLTERM, "text_padded": h5t.STR_NULLPAD, "text_spaced": h5t.STR_SPACEPAD}
# What is to be refused, and a word of the message.
REFUSED = {
    "f64_of_15": (float_type(8, (63, 48, 15, 0, 48), 16383), "15 exponent bits with the bias 16383 and 48 mantissa bits"),
    "long_double": (h5t.NATIVE_LDOUBLE, "in 16 bytes"),
    "half_from_bit_3": (float_type(4, (15, 10, 5, 0, 10), 15, LITTLE, 16, 3), "from bit 3 on"),
    "explicit_bit": (float_type(4, (31, 23, 8, 0, 23), 127, norm=h5t.NORM_NONE), "23 explicit mantissa bits"),
    "i12_big": (int_type(2, 12, 0, True, BIG), "int12 in 2 bytes, big-endian"),
    "i128": (int_type(16, 128), "int128 in 16 bytes"),
    "bits": (h5t.STD_B8LE, "bit fields of 8 bits"),
    "array_of_f64_of_15": (h5t.array_create(float_type(8, (63, 48, 15, 0, 48), 16383), (2,)), "15 exponent bits"),
    "enum_of_i12_big": (enum_type(int_type(2, 12, 0, True, BIG), A=1), "an enum of int12 in 2 bytes, big-endian"),
}
# Tensors of the input, by the dataset's name and the field.
SOURCES = {name: name for name in [*FLOATS, *INTS, *ENUMS, *TEXTS, "c64_big", "c128", "packed"]}
SOURCES |= {"int_pair_r": "int_pair:r", "half_pair_i": "half_pair:i", "table_b": "table:b", "table_n": "table:n",
            "table_list": "table:list", "lists": "lists", "bytes": "bytes"}
# What h5py has no dtype for, or none that it reads; HDF5 reads it as this one.
AS = {"i24": "i4", "u24_of_20_big": "u4", "i40_big": "i8", "int_pair_r": [("r", "i4")], "half_pair_i": [("i", "f2")],
      "table_b": [("b", "f4")], "table_n": [("n", "u2")], "table_list": [("list", "f4", (3,))]}


def write(file, name, made, raw, layout=None):
    space = h5py.h5s.create_simple((len(raw),))
    data = h5py.h5d.create(file.id, name.encode(), made, space, layout)
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(raw).view(f"V{made.get_size()}").reshape(-1), mtype=made)


def bits(size):
    """All there are of one or two bytes, else the first and last ones and some between."""
    if size <= 2:
        all_bits = np.arange(1 << (8 * size), dtype=f"<u{size}")
        return np.resize(all_bits[:: max(1, len(all_bits) // ROWS)], ROWS).view("u1").reshape(ROWS, size)
    raw = np.random.default_rng(7).integers(0, 256, (ROWS, size), dtype="u1")
    raw[0], raw[1] = 0, 255
    return raw


def list_of(row):
    return [row % 100 - 50, row % 100 - 128]


def make():
    spec = "dfrun: 1\ninputs:\n  in: {hdf5: %s, batch: all, tensors: {%s}}\nrun: {fetch: [%s], save: out.h5}\n"
    with h5py.File("layouts.h5", "w") as file:
        for name, made in (FLOATS | INTS | ENUMS | TABLES).items():
            raw = bits(made.get_size())
            if name.startswith(("bool", "enum")):
                raw = raw // 32 if made.get_size() == 1 else raw
            write(file, name, made, raw)
        packed = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        packed.set_chunk((100,))
        packed.set_deflate(1)
        write(file, "packed", BFLOAT16, bits(2), packed)
        words = np.resize(np.array([b"ab    ", b"a\0b   ", b"abcdef", b"\0\0z\0\0\0", b"      "], "V6"), ROWS)
        for name, padding in TEXTS.items():
            write(file, name, text_type(padding), words)
        for name, dtype in {"lists": ">i2", "bytes": "i1"}.items():
            lists = file.create_dataset(name, (ROWS,), h5py.vlen_dtype(dtype))
            for i in range(ROWS):
                lists[i] = np.array(list_of(i), dtype)
    tensors = ", ".join(f"{name}: '/{source}'" for name, source in SOURCES.items())
    open("all.yaml", "w").write(spec % ("layouts.h5", tensors, ", ".join(f"in/{name}" for name in SOURCES)))
    with h5py.File("refused.h5", "w") as file:
        for name, (made, _) in REFUSED.items():
            write(file, name, made, np.zeros((3, made.get_size()), "u1"))
            open(f"{name}.yaml", "w").write(spec % ("refused.h5", f"x: /{name}", "in/x"))
    for name, (_, text) in REFUSED.items():
        print(f"{name}|{text}")


def value_of(made, row):
    """The number that the bits of a float or an integer are."""
    number = int.from_bytes(bytes(row), "little" if made.get_order() == LITTLE else "big") >> made.get_offset()
    number &= (1 << made.get_precision()) - 1
    if made.get_class() == h5t.INTEGER:
        is_negative = made.get_sign() == h5t.SGN_2 and number >> (made.get_precision() - 1)
        return number - (1 << made.get_precision()) if is_negative else number
    sign, exponent_at, exponent_bits, mantissa_at, mantissa_bits = made.get_fields()
    exponent = (number >> exponent_at) & ((1 << exponent_bits) - 1)
    mantissa = (number >> mantissa_at) & ((1 << mantissa_bits) - 1)
    if exponent == (1 << exponent_bits) - 1:
        value = math.nan if mantissa else math.inf
    else:
        value = math.ldexp(mantissa + ((1 << mantissa_bits) if exponent else 0),
                           max(exponent, 1) - made.get_ebias() - mantissa_bits)
    return -value if (number >> sign) & 1 else value


def same(name, got, wanted):
    if wanted.dtype.kind == "f" or wanted.dtype.kind == "c":
        assert np.array_equal(got, wanted, equal_nan=True), (name, got[:9], wanted[:9])
    else:
        assert (got == wanted).all(), (name, got[:9], wanted[:9])


def by_h5py(file, name):
    """The values of a tensor's dataset as HDF5 converts them to the dtype of h5py."""
    dataset = file[SOURCES[name].partition(":")[0]]
    if name in ("lists", "bytes"):  # h5py gives the bytes of the former in the wrong order
        return np.array([list_of(row) for row in range(ROWS)], "i2" if name == "lists" else "i1")
    if name not in AS:
        return dataset[...]
    wanted = np.zeros(ROWS, AS[name])
    dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, wanted, h5t.py_create(wanted.dtype))
    return wanted[wanted.dtype.names[0]] if wanted.dtype.names else wanted


def check(path):
    with h5py.File("layouts.h5") as file, h5py.File(path) as out:
        for name in SOURCES:
            got, dtype = out["in/" + name][...], out["in/" + name].attrs["dtype"].decode()
            wanted = by_h5py(file, name)
            if name.startswith(("bfloat16", "packed", "table_b")):
                assert dtype == "DT_BFLOAT16", (name, dtype)
                got = (got.astype("u4") << 16).view("f4")
            elif name.startswith("text"):
                got = np.array([bytes(text) for text in got], "S6")
            assert got.dtype == wanted.dtype.newbyteorder("="), (name, got.dtype, wanted.dtype)
            same(name, got, wanted)
            if name in FLOATS or name in INTS:
                made, kind = (FLOATS | INTS)[name], "f8" if name in FLOATS else object
                same(name, got.astype(kind), np.array([value_of(made, row) for row in bits(made.get_size())], kind))


if __name__ == "__main__":
    make() if sys.argv[1] == "make" else check(sys.argv[2])
