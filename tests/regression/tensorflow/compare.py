"""Compares what a bundle's table gives with what h5py reads from the shards and what the manifest says.

    compare.py CHECKPOINT        prints the number of variables; the status is 1, with a line, where a checksum fails
"""
import json
import sys

import h5py
from bundle import Damaged, crc32c, read_bundle

DTYPES = {"DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_INT8": 6, "DT_STRING": 7,
          "DT_COMPLEX64": 8, "DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11, "DT_QUINT8": 12, "DT_QINT32": 13,
          "DT_BFLOAT16": 14, "DT_QINT16": 15, "DT_QUINT16": 16, "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19,
          "DT_UINT32": 22, "DT_UINT64": 23}


def compare(checkpoint):
    manifest = json.load(open(f"{checkpoint}/manifest.json"))
    tensors = read_bundle(f"{checkpoint}/tf")
    for shard in manifest["shards"]:
        raw = open(f"{checkpoint}/{shard['file']}", "rb").read()
        file = h5py.File(f"{checkpoint}/{shard['file']}", "r")
        for variable in shard["variables"]:
            name = variable["name"]
            dtype, shape, content = tensors.pop(name)
            assert dtype == DTYPES[variable["dtype"]], name
            assert shape == [int(size) for size in variable["shape"]], name
            values = file[f"/{name}:0"][()]
            if variable["dtype"] == "DT_STRING":
                flat = values.ravel().tolist() if shape else [values]
                assert content == [bytes(value) for value in flat], name
                assert "offset" not in variable, name
                continue
            assert content == values.tobytes(), name
            assert crc32c(content) == variable["crc32c"], name
            if content:
                begin = int(variable["offset"])
                assert raw[begin : begin + len(content)] == content, name
                assert len(content) < 4096 or begin % 4096 == 0, (name, begin)
    assert not tensors, tensors
    return sum(len(shard["variables"]) for shard in manifest["shards"])


try:
    print(compare(sys.argv[1]))
except Damaged as damage:
    print(f"damaged: {damage}")
    sys.exit(1)
