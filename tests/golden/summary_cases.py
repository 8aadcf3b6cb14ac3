"""Summaries, and ops that check values or speak."""
import numpy as np
import tensorflow as tf

from golden import FLOATS, SIGNED, UNSIGNED, tensor, text

REAL = FLOATS + SIGNED + UNSIGNED


def scalar_cases(w):
    for dtype in REAL:
        w.case("ScalarSummary", text("loss"), tensor(3, dtype))
    w.case("ScalarSummary", text(["a", "b/c"]), tensor([1.5, -2]))
    w.case("ScalarSummary", text([["a"], [""]]), tensor([[np.nan], [np.inf]]), name="not finite")
    w.case("ScalarSummary", text(np.zeros((0,))), tensor(np.zeros((0,))), name="empty")
    w.case("ScalarSummary", text(["a", "b"]), tensor([1]), name="few values")
    w.case("ScalarSummary", text("a"), tensor([1]), name="a vector for a scalar")
    w.case("ScalarSummary", text("a"), tensor(1e300, "float64"), name="beyond float32")


def histogram_cases(w):
    for dtype in REAL:
        w.case("HistogramSummary", text("w"), tensor([1, 2, 2, 100], dtype))
    for name, x in [("zeros", np.zeros(5)), ("signs", [-1, 0, 1, -2.5, 1e-13, -1e-13]), ("extremes", [1e300, -1e300, 1e20]),
                    ("limits", [1e-12, 1.1e-12, 1.1]), ("a matrix", [[1, 2], [3, 4]])]:
        w.case("HistogramSummary", text("w"), tensor(x, "float64"), name=name)
    w.case("HistogramSummary", text("w"), tensor(7), name="a scalar")
    w.case("HistogramSummary", text("w"), tensor(np.zeros((0, 2))), name="empty")
    for bad in [np.nan, np.inf, -np.inf]:
        w.case("HistogramSummary", text("w"), tensor([1, bad]), name=str(bad))
    w.case("HistogramSummary", text(["w"]), tensor([1]), name="a vector of tags")


def image_cases(w):
    random = np.random.default_rng(3)
    for dtype in ["uint8", "float16", "float32", "float64"]:
        for channels in [1, 3, 4]:
            x = random.integers(0, 255, (1, 3, 2, channels))
            w.case("ImageSummary", text("i"), tensor(x, dtype))
    w.case("ImageSummary", text("i"), tensor(random.uniform(-3, 2, (2, 2, 2, 3))), name="signs")
    w.case("ImageSummary", text("i"), tensor(np.zeros((1, 2, 2, 1))), name="zeros")
    w.case("ImageSummary", text("i"), tensor(np.full((1, 2, 2, 1), -1e-9)), name="nearly zeros")
    x = tensor(random.uniform(0, 2, (1, 2, 2, 3)))
    x[0, 0, 1, 2], x[0, 1, 0, 0] = np.nan, np.inf
    w.case("ImageSummary", text("i"), x, name="bad pixels")
    w.case("ImageSummary", text("i"), tensor(np.full((1, 1, 2, 1), np.nan)), name="nothing but bad pixels")
    y = tensor(random.integers(0, 255, (5, 2, 1, 1)), "uint8")
    for n in [1, 2, 5, 7]:
        w.case("ImageSummary", text("i"), y, name=f"{n} of 5", max_images=n)
    w.case("ImageSummary", text("i"), tensor(np.zeros((0, 2, 2, 1))), name="no image")
    for shape in [(2, 2, 1), (1, 2, 2, 2), (1, 2, 2, 5), (1, 2, 0, 1)]:
        w.case("ImageSummary", text("i"), tensor(np.zeros(shape)), name=f"shape {list(shape)}")
    w.case("ImageSummary", text(["i"]), y, name="a vector of tags")


def merge_cases(w):
    def summary(*tags):
        return tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag=t, simple_value=i) for i, t in enumerate(tags)]
                                    ).SerializeToString()
    for parts in [[summary("a")], [summary("a"), summary("b", "c")], [summary("a"), summary("a")], [summary("a", "a")],
                  [summary("")] * 2, [b"", summary("a")], [b""], [b"no summary"], [summary("a") + b"\x0a"],
                  [summary(*"abcdef")], [summary("a") + summary("b")]]:
        w.case("MergeSummary", [text(p) for p in parts], name=f"{len(parts)} {[len(p) for p in parts]}")
    w.case("MergeSummary", [text([summary("a"), summary("b")]), text([summary("c")])], name="vectors")
    w.case("MergeSummary", [text(np.zeros((0,)))], name="an empty vector")


def check_cases(w):
    for op in ["CheckNumerics", "CheckNumericsV2"]:
        for dtype in FLOATS:
            w.case(op, tensor([1, -2.5, 0], dtype), message="x")
            for bad in [np.nan, np.inf, -np.inf]:
                w.case(op, tensor([[1, bad]], dtype), name=f"{dtype} {bad}", message="x")
        w.case(op, tensor(np.zeros((0,))), message="x")
        w.case(op, tensor(1), message="x")
        w.case(op, tensor([3e38, -3e38, 1e-45]), name="extremes", message="")
    for dtype in ["float32", "int32", "bool", "string"]:
        x = text(["a", "b"]) if dtype == "string" else tensor([1, 0], dtype)
        for condition in [True, False]:
            w.case("Assert", np.array(condition), [x, tensor(1)], name=f"{condition} {dtype}")
    w.case("Assert", np.array(False), [tensor(np.zeros((2, 3, 4)))], name="a large value", summarize=-1)
    w.case("Assert", np.array(False), [tensor(np.zeros((0,)))], name="an empty value", summarize=0)
    w.case("Assert", np.array([True]), [tensor(1)], name="a vector")
    for dtype in ["float32", "float16", "int8", "complex64", "bool", "string"]:
        x = text(["a", "b"]) if dtype == "string" else tensor([1, 0], dtype)
        w.case("Print", x, [x, tensor([[1, 2], [3, 4]])], name=dtype, message="golden: ")
    for summarize in [-1, 0, 2, 5]:
        w.case("Print", tensor(1), [tensor(np.zeros((2, 2, 2)))], name=f"summarize {summarize}", summarize=summarize)
    w.case("Print", tensor([1]), [], name="no data", first_n=0)
    for stream in ["stderr", "stdout", "log(info)", "log(warning)", "log(error)", "nowhere"]:
        w.case("PrintV2", text("golden"), name=stream, output_stream=stream)
    for value in ["", "two\nlines", "\x00"]:
        w.case("PrintV2", text(value), name=repr(value))
    w.case("PrintV2", text(["a"]), name="a vector")


def write(w):
    scalar_cases(w)
    histogram_cases(w)
    image_cases(w)
    merge_cases(w)
    check_cases(w)
