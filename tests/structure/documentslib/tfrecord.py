"""Writes TFRecord files of Example messages, for documents whose examples read such files."""
import gzip
import struct

CRC32C = [0] * 256
for _byte in range(256):
    _crc = _byte
    for _ in range(8):
        _crc = (_crc >> 1) ^ (0x82F63B78 if _crc & 1 else 0)
    CRC32C[_byte] = _crc


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC32C[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(number):
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def field(number, payload):
    """A length-delimited field of a protobuf message."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def feature(values):
    """Of float32 values where the first is a float, else of int64."""
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def example(features):
    """An Example of {name: values}."""
    entries = [field(1, field(1, name.encode()) + field(2, feature(values))) for name, values in features.items()]
    return field(1, b"".join(entries))


def write(path, examples):
    """`examples`: dicts of features. The file is compressed by gzip."""
    with gzip.open(path, "wb") as file:
        for each in examples:
            data = example(each)
            length = struct.pack("<Q", len(data))
            file.write(length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data)))
