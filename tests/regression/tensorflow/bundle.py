"""Reads a checkpoint of TensorFlow's: PREFIX.index, a table in LevelDB's format, and the data files beside it."""
import struct

TABLE_MAGIC = 0xDB4775248B80FB57
MASK_DELTA = 0xA282EAD8
DT_STRING = 7


class Damaged(Exception):
    """A checksum does not fit, or a file is not of its form."""


def make_crc_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


CRC_TABLE = make_crc_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF


def take_varint(data, at):
    number = shift = 0
    while True:
        if at >= len(data):
            raise Damaged("a number ends too early")
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def fixed32(data, at):
    if at < 0 or at + 4 > len(data):
        raise Damaged("a number lies behind the end")
    return struct.unpack_from("<I", data, at)[0]


def read_block(table, offset, size):
    """The entries of a block, whose checksum follows it."""
    stored = table[offset : offset + size + 1]
    if len(stored) != size + 1 or stored[-1] != 0 or fixed32(table, offset + size + 1) != masked(crc32c(stored)):
        raise Damaged(f"the block at byte {offset}")
    block = stored[:-1]
    end = size - 4 - 4 * fixed32(block, size - 4)
    entries, key, at = [], b"", 0
    while at < end:
        shared, at = take_varint(block, at)
        more, at = take_varint(block, at)
        length, at = take_varint(block, at)
        key = key[:shared] + block[at : at + more]
        entries.append((key, block[at + more : at + more + length]))
        at += more + length
    return entries


def read_table(path):
    """The entries of a table, in their order."""
    table = open(path, "rb").read()
    footer = table[-48:]
    if len(footer) < 48 or struct.unpack("<Q", footer[40:])[0] != TABLE_MAGIC:
        raise Damaged("no table")
    at, handles = 0, []
    for _ in range(4):
        number, at = take_varint(footer, at)
        handles.append(number)
    read_block(table, *handles[:2])
    entries = []
    for last, handle in read_block(table, *handles[2:]):
        offset, at = take_varint(handle, 0)
        size, _ = take_varint(handle, at)
        entries += read_block(table, offset, size)
        if entries[-1][0] > last:
            raise Damaged("a block has a key behind its last")
    keys = [key for key, _ in entries]
    if keys != sorted(set(keys)):
        raise Damaged("the keys are not in their order")
    return entries


def fields(message):
    """The fields of a protobuf message by their numbers, each a list."""
    found, at = {}, 0
    while at < len(message):
        tag, at = take_varint(message, at)
        if tag & 7 == 0:
            value, at = take_varint(message, at)
        elif tag & 7 == 2:
            size, at = take_varint(message, at)
            value, at = message[at : at + size], at + size
        elif tag & 7 == 5:
            value, at = fixed32(message, at), at + 4
        else:
            raise Damaged("a field of another type")
        found.setdefault(tag >> 3, []).append(value)
    return found


def read_strings(data, count, crc):
    lengths, at, of_lengths = [], 0, b""
    for _ in range(count):
        length, at = take_varint(data, at)
        lengths.append(length)
        of_lengths += struct.pack("<I", length)
    word = struct.pack("<I", masked(crc32c(of_lengths)))
    if data[at : at + 4] != word:
        raise Damaged("the lengths of strings")
    rest = data[at + 4 :]
    if masked(crc32c(of_lengths + word + rest)) != crc or sum(lengths) != len(rest):
        raise Damaged("strings")
    strings, at = [], 0
    for length in lengths:
        strings.append(rest[at : at + length])
        at += length
    return strings


def read_bundle(prefix):
    """All tensors by their names: the number of the dtype, the shape, and the bytes, of strings a list."""
    (first, header), *entries = read_table(prefix + ".index")
    if first != b"":
        raise Damaged("no header")
    files = fields(header)[1][0]
    data = [open(f"{prefix}.data-{i:05}-of-{files:05}", "rb").read() for i in range(files)]
    tensors = {}
    for key, value in entries:
        entry = fields(value)
        dims = [fields(dim) for dim in fields(entry[2][0]).get(2, [])]
        shape = [dim.get(1, [0])[0] for dim in dims]
        offset, size = entry.get(4, [0])[0], entry.get(5, [0])[0]
        content = data[entry.get(3, [0])[0]][offset : offset + size]
        crc = entry.get(6, [0])[0]
        if len(content) != size:
            raise Damaged(f"{key} lies behind the end of its file")
        if entry[1][0] == DT_STRING:
            count = 1
            for dim in shape:
                count *= dim
            content = read_strings(content, count, crc)
        elif masked(crc32c(content)) != crc:
            raise Damaged(f"{key}")
        tensors[key.decode()] = (entry[1][0], shape, content)
    return tensors
