#!/usr/bin/env python3
"""Writes the graphs of this folder and the files in data/ that they read: readers of records within one step.

Usage: make_graphs.py. See ../exported.py. Names of files are relative to the root of the tree."""
import gzip
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
os.chdir(os.path.join(HERE, "..", "..", ".."))

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_io_ops

from exported import Exported

DATA = "tests/golden/readers/data/"
exported = Exported(__file__)


def write_data():
    os.makedirs(DATA, exist_ok=True)
    contents = {
        "lines.txt": b"one\ntwo\r\n\nfour",
        "more.txt": b"five\nsix\n",
        "empty.txt": b"",
        "fixed.bin": b"HHaabbccFFF",
        "odd.bin": b"HHaabbcFFF",
        "damaged.tfrecord": b"",
    }
    for name, options in (("plain.tfrecord", None), ("gzip.tfrecord", "GZIP"), ("zlib.tfrecord", "ZLIB")):
        with tf.io.TFRecordWriter(DATA + name, options) as writer:
            for record in (b"first", b"", b"third" * 40):
                writer.write(record)
    with open(DATA + "plain.tfrecord", "rb") as file:
        contents["damaged.tfrecord"] = file.read()[:-3] + b"xyz"
        contents["cut.tfrecord"] = contents["damaged.tfrecord"][:30]
    contents["fixed.gz"] = gzip.compress(b"HHaabbccF", mtime=0)
    for name, content in contents.items():
        with open(DATA + name, "wb") as file:
            file.write(content)


def files(*names, close=True):
    """What string_input_producer makes, its runner within the step."""
    queue = tf.FIFOQueue(32, [tf.string], shapes=[[]])
    with tf.control_dependencies([queue.enqueue_many([[DATA + name for name in names]])]):
        filled = queue.close() if close else tf.no_op()
    return queue, filled


def in_turn(first, *makers):
    outputs = []
    previous = [first]
    for make in makers:
        with tf.control_dependencies(previous):
            made = make()
        previous = [x for x in tf.nest.flatten(made) if x is not None]
        outputs.append(made)
    return outputs


def numbers(values):
    """Strings as numbers that tell them apart."""
    return [tf.strings.to_hash_bucket_fast(v, 1 << 30) if v.dtype == tf.string else v for v in tf.nest.flatten(values)]


def read_all(reader, names, count):
    queue, filled = files(*names)
    out = in_turn(filled, *[lambda: reader.read(queue)] * count, reader.num_records_produced, reader.num_work_units_completed)
    return numbers([list(o) if isinstance(o, tuple) else o for o in out])


@exported
def lines():
    return read_all(tf.TextLineReader(), ["lines.txt", "empty.txt", "more.txt"], 5)


@exported
def lines_after_a_header():
    return read_all(tf.TextLineReader(skip_header_lines=1), ["lines.txt", "more.txt"], 4)


@exported
def whole_files():
    return read_all(tf.WholeFileReader(), ["more.txt", "empty.txt", "lines.txt"], 3)


@exported
def identities():
    return read_all(tf.IdentityReader(), ["a", "b"], 2)


@exported
def fixed_lengths():
    return read_all(tf.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=3), ["fixed.bin", "fixed.bin"], 5)


@exported
def fixed_lengths_with_hops():
    return read_all(tf.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=3, hop_bytes=4), ["fixed.bin"], 2)


@exported
def fixed_lengths_before_a_part():
    """The 11 bytes hold two records of 4 between header and footer, or five that begin every second byte and end before
    the part of a sixth."""
    return [read_all(tf.FixedLengthRecordReader(4, header_bytes=1), ["fixed.bin", "fixed.bin"], 4),
            read_all(tf.FixedLengthRecordReader(3, hop_bytes=2), ["fixed.bin"], 5)]


@exported
def records():
    return read_all(tf.TFRecordReader(), ["plain.tfrecord", "plain.tfrecord"], 5)


@exported
def compressed_records():
    options = tf.io.TFRecordOptions(compression_type="GZIP")
    return read_all(tf.TFRecordReader(options=options), ["gzip.tfrecord"], 3)


@exported
def zlib_records():
    options = tf.io.TFRecordOptions(compression_type="ZLIB")
    return read_all(tf.TFRecordReader(options=options), ["zlib.tfrecord"], 3)


@exported
def records_up_to():
    queue, filled = files("lines.txt", "more.txt")
    reader = tf.TextLineReader()
    out = in_turn(filled, *[lambda: reader.read_up_to(queue, 3)] * 3, reader.num_records_produced)
    return numbers([*map(list, out[:3]), out[3]]) + [tf.shape(o[0]) for o in out[:3]]


@exported
def the_last_file_has_ended():
    return read_all(tf.TextLineReader(), ["more.txt"], 3)


@exported
def no_such_file():
    return read_all(tf.TextLineReader(), ["none.txt"], 1)


@exported
def a_damaged_record():
    return read_all(tf.TFRecordReader(), ["damaged.tfrecord"], 3)


@exported
def a_record_that_is_cut_short():
    return read_all(tf.TFRecordReader(), ["cut.tfrecord"], 3)


@exported
def a_reader_begins_anew():
    queue, filled = files("lines.txt", "more.txt")
    reader = tf.TextLineReader()
    out = in_turn(filled, lambda: reader.read(queue), lambda: reader.reset(), lambda: reader.read(queue),
                  reader.num_records_produced, reader.num_work_units_completed)
    return numbers([*out[0], *out[2], out[3], out[4]])


@exported
def a_state_goes_over_to_another_reader():
    queue, filled = files("a", "b", "c")
    first = tf.IdentityReader("first")
    second = tf.IdentityReader("second")
    out = in_turn(filled, lambda: first.read(queue), lambda: first.read(queue), first.serialize_state)
    with tf.control_dependencies([second.restore_state(out[2])]):
        counts = [second.num_records_produced(), second.num_work_units_completed()]
    return counts + in_turn(tf.group(*counts), lambda: numbers(list(second.read(queue))))[0]


@exported
def only_identities_have_a_state():
    return numbers(tf.TextLineReader().serialize_state())


@exported
def a_state_that_is_none():
    reader = tf.IdentityReader()
    with tf.control_dependencies([reader.restore_state("\x08\x05\x10\x01")]):
        return [reader.num_records_produced()]


def with_string_handles(build):
    """The same graph in the ops before V2, whose handles are references to strings: graphs of old versions have them."""
    with tf.Graph().as_default() as made:
        names = [output.name for output in tf.nest.flatten(build())]
        definition = made.as_graph_def()
    for node in definition.node:
        if node.op.endswith("V2") and ("Reader" in node.op or "Queue" in node.op):
            node.op = node.op.removesuffix("V2")
    definition.versions.producer = 25
    return tf.import_graph_def(definition, return_elements=names, name="")


@exported
def old_lines():
    return with_string_handles(records_up_to)


@exported
def old_records():
    return with_string_handles(records)


@exported
def old_whole_files():
    return with_string_handles(whole_files)


@exported
def old_readers_begin_anew():
    return with_string_handles(a_reader_begins_anew)


@exported
def old_identities():
    return with_string_handles(a_state_goes_over_to_another_reader)


@exported
def a_read_waits_for_a_file():
    queue = tf.FIFOQueue(4, [tf.string], shapes=[[]])
    reader = tf.TextLineReader()
    values = [reader.read(queue)[1] for _ in range(3)]
    with tf.control_dependencies([queue.enqueue_many([[DATA + "more.txt", DATA + "lines.txt"]])]):
        return [tf.reduce_sum(tf.stack([tf.cast(n, tf.float64) for n in numbers(values)]))]


@exported
def reads_end_with_a_failed_step():
    queue = tf.FIFOQueue(4, [tf.string], shapes=[[]])
    reader = tf.TextLineReader()
    never = [reader.read(queue)[1] for _ in range(3)]
    return numbers(never) + [tf.strings.to_number("no number")]


@exported
def a_queue_of_other_things():
    queue = tf.FIFOQueue(4, [tf.string, tf.int32], shapes=[[], []])
    with tf.control_dependencies([queue.enqueue([DATA + "more.txt", 1])]):
        return numbers(gen_io_ops.reader_read_v2(tf.TextLineReader().reader_ref, queue.queue_ref)[1])


if __name__ == "__main__":
    write_data()
    exported.write()
