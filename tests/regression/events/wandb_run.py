"""Reads the file of a run of Weights & Biases by the format alone, and compares it with a run directory.
wandb_run.py RUN DIRECTORY: number by number and both ways."""
import calendar
import json
import os
import struct
import sys
import time
import zlib

from reader import fields, one

BLOCK = 32768
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def pieces(data):
    """(end, type, data) of each piece; an error for a damaged file."""
    assert data[:7] == b":W&B" + struct.pack("<HB", 0xBEE1, 0), data[:7]
    at = 7
    while at < len(data):
        left = BLOCK - at % BLOCK
        if left < 7:
            assert data[at : at + left] == bytes(left), f"no zeros at the end of the block at byte {at}"
            at += left
        crc, length, kind = struct.unpack_from("<IHB", data, at)
        assert at % BLOCK + 7 + length <= BLOCK, f"the piece at byte {at} crosses a block"
        piece = data[at + 7 : at + 7 + length]
        assert len(piece) == length, f"the piece at byte {at} is cut short"
        assert zlib.crc32(bytes([kind]) + piece) == crc, f"the piece at byte {at} is damaged"
        at += 7 + length
        yield at, kind, piece


def records(data):
    """The message of each record."""
    whole = None
    for at, kind, piece in pieces(data):
        assert (kind in (FULL, FIRST)) == (whole is None), f"the order of pieces before byte {at}"
        whole = (whole or b"") + piece
        if kind in (FULL, LAST):
            yield fields(whole)
            whole = None
    assert whole is None, "the last record is cut short"


def items(message, number):
    """Name to value of the items in a field, nested ones by a tuple; the words of Python's JSON as numbers."""
    found = {}
    for item in message.get(number, []):
        item = fields(item)
        names = [name.decode() for name in item.get(2, [])] or [one(item, 1).decode()]
        name = names[0] if len(names) == 1 else tuple(names)
        assert name not in found, name
        found[name] = json.loads(one(item, 16))
    return found


class Run:
    """A run as a file tells it."""

    def __init__(self, path):
        self.run, self.summary, self.exit, self.rows = None, None, None, []
        for i, record in enumerate(records(open(path, "rb").read())):
            assert one(record, 1, 0) == i + 1, record
            kinds = set(record) - {1}
            assert kinds == {21} if i == 0 else kinds == {17} if i == 1 else kinds < {2, 3, 18}, (i, kinds)
            if 17 in record:
                self.run = fields(one(record, 17))
                self.config = items(fields(one(self.run, 4)), 1)
            elif 2 in record:
                assert self.summary is None and self.exit is None, "history behind the end"
                history = fields(one(record, 2))
                row = items(history, 1)
                assert one(fields(one(history, 2)), 1, 0) == row["_step"], row
                self.rows.append(row)
            elif 3 in record:
                assert self.summary is None
                self.summary = items(fields(one(record, 3)), 1)
            elif 18 in record:
                self.exit = fields(one(record, 18))

    def text(self, number):
        return one(self.run, number).decode()


def starts(run):
    """The records of the starts of a run, the last one last."""
    number, found = 1, []
    while os.path.exists(f"{run}/run-{number}.json"):
        found.append(json.load(open(f"{run}/run-{number}.json")))
        number += 1
    return found + [json.load(open(f"{run}/run.json"))]


def seconds(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def expected_rows(run):
    words = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}
    first, rows = seconds(starts(run)[0]["begin"]), {}
    for line in open(f"{run}/metrics.jsonl"):
        line = json.loads(line)
        step, wall_s = line.pop("step"), line.pop("wall_s")
        begin = max(seconds(s["begin"]) for s in starts(run) if s["from_step"] < step or s["from_step"] == 0)
        row = rows.setdefault(step, {"_step": step, "_runtime": begin - first + wall_s, "_timestamp": begin + wall_s})
        row.update((name, words.get(value, value)) for name, value in line.items())
    return [rows[step] for step in sorted(rows)]


def check(run, directory):
    name = os.path.basename(directory)
    identity = name.split("-", 3)[3] if name[12:20].isdigit() and "_" in name[12:] else name[12:]
    found, all_starts = Run(f"{directory}/run-{identity}.wandb"), starts(run)
    last, rows = all_starts[-1], expected_rows(run)
    assert (found.text(1), found.text(8)) == (identity, os.path.basename(run)), found.run
    assert found.text(3) == os.path.splitext(os.path.basename(last["spec"]))[0], found.run
    assert one(fields(one(found.run, 17)), 1) == seconds(all_starts[0]["begin"]), found.run
    assert found.config == last["hparams"], (found.config, last["hparams"])
    # By their texts: NaN is equal to itself there.
    for row, of_run in zip(found.rows, rows):
        assert list(map(repr, sorted(row.items()))) == list(map(repr, sorted(of_run.items()))), (row, of_run)
    assert len(found.rows) == len(rows) > 0, (len(found.rows), len(rows))
    summary = {}
    for row in rows:
        summary.update(row)
    if last["end"] is None:
        assert found.exit is None, found.exit
    else:
        runtime = seconds(last["end"]) - seconds(all_starts[0]["begin"])
        assert (one(found.exit, 1, 0), one(found.exit, 2, 0)) == (last["exit"], runtime), found.exit
        summary["_wandb", "runtime"] = runtime
    assert repr(sorted(found.summary.items(), key=repr)) == repr(sorted(summary.items(), key=repr)), found.summary
    return sum(map(len, rows))


if __name__ == "__main__":
    print(check(sys.argv[1], sys.argv[2]), "values")
