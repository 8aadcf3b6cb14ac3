"""Reads event files by the format alone: records, protobuf's wire format, the messages of TensorBoard."""
import os
import struct


def _table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = _table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The records of a file up to one that is cut short; an error for one that is damaged."""
    at = 0
    while at + 12 <= len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        if masked_crc(data[at : at + 8]) != crc:
            raise ValueError(f"the length at byte {at} is damaged")
        if at + 16 + length > len(data):
            return
        record = data[at + 12 : at + 12 + length]
        if masked_crc(record) != struct.unpack_from("<I", data, at + 12 + length)[0]:
            raise ValueError(f"the record at byte {at} is damaged")
        yield record
        at += 16 + length


def varint(data, at):
    number, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def fields(data):
    """Number to the list of values of a message: ints, or bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        elif kind == 5:
            value, at = data[at : at + 4], at + 4
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"wire type {kind}")
        found.setdefault(key >> 3, []).append(value)
    return found


def one(message, number, default=b""):
    return message.get(number, [default])[-1]


def files(directory):
    if not os.path.isdir(directory):
        return []
    return [f"{directory}/{name}" for name in sorted(os.listdir(directory)) if "tfevents" in name]


def events(directory):
    """(step, wall time, event) of all files, each of which must begin with the version."""
    for path in files(directory):
        for i, record in enumerate(records(open(path, "rb").read())):
            event = fields(record)
            if i == 0 and one(event, 3) != b"brain.Event:2":
                raise ValueError(f"{path}: no version")
            if i > 0:
                yield one(event, 2, 0), struct.unpack("<d", one(event, 1))[0], event


def values(directory):
    """(step, tag, plugin, tensor, content) of all values of summaries."""
    plugins = {}
    for step, _, event in events(directory):
        for summary in event.get(5, []):
            for value in fields(summary).get(1, []):
                value = fields(value)
                tag = one(value, 1).decode()
                data = fields(one(fields(one(value, 9)), 1))
                plugins.setdefault(tag, one(data, 1).decode())
                yield step, tag, plugins[tag], fields(one(value, 8)), one(data, 2)


def scalars(directory):
    """tag -> {step: value}; a later file replaces the steps from its own on, as TensorBoard has it."""
    kept = {}
    for step, tag, plugin, tensor, _ in values(directory):
        if plugin != "scalars":
            continue
        assert one(tensor, 1) == 1 and one(tensor, 2) == b"", tag  # float32, rank 0
        of_tag = kept.setdefault(tag, {})
        for later in [s for s in of_tag if s >= step]:
            del of_tag[later]
        of_tag[step] = struct.unpack("<f", one(tensor, 5))[0]
    return kept


def hparams(directory):
    """The hyperparameters of the session, and its status: 1 success, 2 failure, None without an end."""
    start, status = None, None
    for _, tag, plugin, _, content in values(directory):
        if plugin != "hparams":
            continue
        data = fields(content)
        if tag == "_hparams_/session_start_info":
            start = {}
            for entry in fields(one(data, 3)).get(1, []):
                entry = fields(entry)
                value = fields(one(entry, 2))
                if 2 in value:
                    start[one(entry, 1).decode()] = struct.unpack("<d", value[2][0])[0]
                elif 3 in value:
                    start[one(entry, 1).decode()] = value[3][0].decode()
                else:
                    start[one(entry, 1).decode()] = bool(one(value, 4, 0))
        else:
            status = one(fields(one(data, 4)), 1, 0)
    return start, status


def graph(directory):
    """Name to device of the nodes of the last graph."""
    nodes = {}
    for _, _, event in events(directory):
        if 4 in event:
            nodes = {}
            for node in fields(one(event, 4)).get(1, []):
                node = fields(node)
                nodes[one(node, 1).decode()] = one(node, 4).decode()
    return nodes


def times(directory):
    """tag -> {(device, node): microseconds} of traced steps."""
    found = {}
    for _, _, event in events(directory):
        if 8 not in event:
            continue
        tagged = fields(one(event, 8))
        of_tag = found.setdefault(one(tagged, 1).decode(), {})
        for device in fields(one(fields(one(tagged, 2)), 1)).get(1, []):
            device = fields(device)
            for node in device.get(2, []):
                node = fields(node)
                of_tag[one(device, 1).decode(), one(node, 1).decode()] = one(node, 5, 0)
    return found
