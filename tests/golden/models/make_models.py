"""Makes the MetaGraphs and SavedModels of this folder, and what TensorFlow computes from them (expected.h5).

Run it in this folder: python make_models.py
"""

import os
import shutil

import h5py
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
X = np.array([[1, 2], [3, 4], [-5, 0.5]], np.float32)
WORDS = np.array([b"b", b"a", b"nothing", b"c"], dtype=object)
W = np.array([[0.25, -1], [2, 8]], np.float32)
expected = h5py.File("expected.h5", "w")


def save(name, value):
    value = np.asarray(value)
    if value.dtype == object:
        expected.create_dataset(name, data=value, dtype=h5py.string_dtype())
    else:
        expected[name] = value


def queue_runners():
    """Two stages: numbers of two epochs into one queue, batches of what is made of them into another."""
    with tf.Graph().as_default(), tf1.Session() as session:
        scale = tf1.get_variable("scale", initializer=np.float32(1.5))
        number = tf1.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue(name="number")
        batch = tf1.train.batch([tf.cast(number, tf.float32) * scale], batch_size=4, name="batch")
        tf.negative(batch, name="y")
        other = tf1.FIFOQueue(2, tf.float32, shapes=[[]], name="unused")
        broken = other.enqueue(tf1.placeholder(tf.float32, [], name="never_fed"))
        tf1.train.add_queue_runner(tf1.train.QueueRunner(other, [broken]))
        tf1.train.export_meta_graph("queue_runners.meta", clear_devices=True)
        tf1.get_collection_ref(tf1.GraphKeys.QUEUE_RUNNERS).pop()
        session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
        coordinator = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(session, coordinator)
        got = []
        try:
            while True:
                got.append(session.run("y:0"))
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        coordinator.join(threads)
        save("queue_runners/y", np.stack(got))


def a_runner_that_fails():
    """Its third element is no number."""
    with tf.Graph().as_default():
        texts = tf1.train.input_producer(tf.constant(["1", "2", "x", "4"]), num_epochs=1, shuffle=False).dequeue()
        number = tf.strings.to_number(texts, name="to_number")
        tf.identity(tf1.train.batch([number], batch_size=4), name="y")
        tf1.train.export_meta_graph("a_runner_that_fails.meta", clear_devices=True)


def saved_model_v1():
    """Graphs of two sets of tags; variables, a table from an asset, two signatures."""
    shutil.rmtree("saved_model_v1", ignore_errors=True)
    with open("/tmp/words.txt", "w", encoding="utf-8") as file:
        file.write("a\nb\nc\n")
    builder = tf1.saved_model.Builder("saved_model_v1")
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [None, 2], name="x_in")
        w = tf1.get_variable("w", initializer=W, use_resource=False)
        y = tf.matmul(x, w)
        words = tf1.placeholder(tf.string, [None], name="words_in")
        init = tf.lookup.TextFileInitializer("/tmp/words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                             tf.lookup.TextFileIndex.LINE_NUMBER)
        ids = tf.lookup.StaticHashTable(init, -1).lookup(words)
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        info = tf1.saved_model.build_tensor_info
        by_name = tf1.saved_model.signature_def_utils.build_signature_def
        builder.add_meta_graph_and_variables(
            session, ["serve"],
            signature_def_map={
                "serving_default": by_name({"x": info(x)}, {"y": info(y)}, "predict"),
                "look_up": by_name({"words": info(words)}, {"ids": info(ids)}, "predict"),
            },
            assets_collection=tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS),
            main_op=tf1.tables_initializer())
        save("saved_model_v1/y", session.run(y, {x: X}))
        save("saved_model_v1/ids", session.run(ids, {words: WORDS}))
    with tf.Graph().as_default(), tf1.Session() as session:
        tf.constant(7.0, name="seven")
        builder.add_meta_graph(["serve", "gpu"])
    builder.save()


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(W, name="w")
        init = tf.lookup.TextFileInitializer("/tmp/words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                             tf.lookup.TextFileIndex.LINE_NUMBER)
        self.table = tf.lookup.StaticHashTable(init, -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x"),
                                  tf.TensorSpec([None], tf.string, name="words")])
    def call(self, x, words):
        y = tf.matmul(x, self.w)
        if tf.reduce_sum(y) > 0:
            y = -y
        return {"y": y, "ids": self.table.lookup(words)}


def saved_model_v2():
    """An object graph: the signature is a function that captures a variable and a table."""
    shutil.rmtree("saved_model_v2", ignore_errors=True)
    model = Model()
    tf.saved_model.save(model, "saved_model_v2", signatures=model.call)
    os.remove("saved_model_v2/fingerprint.pb")
    got = tf.saved_model.load("saved_model_v2").signatures["serving_default"](
        x=tf.constant(X), words=tf.constant(WORDS.tolist()))
    save("saved_model_v2/y", got["y"].numpy())
    save("saved_model_v2/ids", got["ids"].numpy())


save("x", X)
save("words", WORDS)
save("w", W)
queue_runners()
a_runner_that_fails()
saved_model_v1()
saved_model_v2()
os.remove("/tmp/words.txt")
