"""Summaries, and ops that check values or speak."""
import numpy as np
import tensorflow as tf

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, run, tensor, text

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


def random_cases(w):
    """Values of every size, for each op that turns numbers into bytes."""
    random = np.random.default_rng(7)
    for dtype in REAL:
        wide = random.normal(0, 50, 40).round() if dtype.startswith("int") else np.abs(random.normal(0, 50, 40)).round()
        w.case("HistogramSummary", text("h/w"), tensor(wide.reshape(5, 8), dtype), name=f"random {dtype}")
        w.case("ScalarSummary", text([f"s/{i}" for i in range(4)]), tensor(wide[:4], dtype), name=f"random {dtype}")
    for exponent in [-15, -6, 0, 6, 15, 25]:
        x = random.normal(0, 10.0**exponent, 100)
        w.case("HistogramSummary", text("h"), tensor(x), name=f"float32 1e{exponent}")
        w.case("HistogramSummary", text("h"), tensor(x, "float64"), name=f"float64 1e{exponent}")
    for shape in [(1, 7, 5, 1), (2, 4, 9, 3), (3, 6, 6, 4)]:
        for dtype in ["float16", "float32", "float64"]:
            x = random.uniform(0, 1, shape)
            w.case("ImageSummary", text("i"), tensor(x, dtype), name=f"to 1 {dtype} {shape}")
            w.case("ImageSummary", text("i"), tensor(x * 200 - 70, dtype), name=f"around 0 {dtype} {shape}")


def audio_cases(w):
    random = np.random.default_rng(5)
    mono, stereo = random.uniform(-1.2, 1.2, (2, 9)), random.uniform(-1, 1, (4, 6, 2))

    def case(audio, name, rate=8000.0, tag="a", **attrs):
        # TensorFlow's graphs of today may not hold the first op, which has the kernel of the second.
        found = run("AudioSummaryV2", (text(tag), tensor(audio), tensor(rate)), attrs)
        w.case("AudioSummary", text(tag), tensor(audio), name=name, outputs="error" if found is None else found[0],
               sample_rate=rate, **attrs)
        w.case("AudioSummaryV2", text(tag), tensor(audio), tensor(rate), name=name, **attrs)
    case(mono, "mono")
    case(stereo, "stereo")
    case(random.uniform(-1, 1, (1, 3, 5)), "5 channels", rate=44100.0)
    case(mono[:, :, None], "a channel")
    for n in [1, 2, 4, 9]:
        case(stereo, f"{n} of 4", max_outputs=n)
    for rate in [0.2, 0.5, 1.0, 22050.5, 96000.0]:
        case(mono, f"{rate} Hz", rate=rate)
    for rate in [0.0, -1.0]:
        case(mono, f"{rate} Hz", rate=rate)
    case([[0, 1, -1, 0.5 / 32768, 1.5 / 32768, 2.5 / 32768, -0.5 / 32768, 32767 / 32768, np.inf, -np.inf]], "extremes")
    case(np.zeros((0, 4)), "no clip")
    case(np.zeros((2, 0)), "no frame")
    case(np.zeros((2, 3, 0)), "no channel")
    case([1, 2], "a vector")
    case(np.zeros((1, 2, 2, 2)), "rank 4")
    case(mono, "a vector of tags", tag=["a"])
    w.case("AudioSummaryV2", text("a"), tensor(mono), tensor([8000]), name="a vector for the rate")
    w.case("AudioSummaryV2", text("a"), tensor(mono), tensor([8000, 1]), name="two rates")


def tensor_cases(w):
    def metadata(**fields):
        return tf.compat.v1.SummaryMetadata(**fields).SerializeToString()
    plugin = tf.compat.v1.SummaryMetadata.PluginData(plugin_name="p", content=b"\x00\x01")
    full = metadata(plugin_data=plugin, display_name="name", summary_description="what", data_class=2)
    values = [(dtype, tensor([[1, 0, 3], [4, 5, 6]], dtype)) for dtype in REAL + COMPLEX + ["bool"]]
    values += [("string", text([[b"a", b"\xff\x00"], [b"", b"long" * 40]])), ("a text", text("one"))]
    values += [("a scalar", tensor(2.5)), ("empty", tensor(np.zeros((0, 3)))), ("no text", text(np.zeros((0,)))),
               ("rank 5", tensor(np.arange(4).reshape(1, 2, 1, 2, 1))), ("not finite", tensor([np.nan, np.inf]))]
    for name, value in values:
        w.case("TensorSummary", value, name=name)
        w.case("TensorSummaryV2", text("t"), value, text(full), name=name)
    w.case("TensorSummary", tensor(1), name="attrs", description="d", labels=["a", "b"], display_name="n")
    for name, given in [("no metadata", b""), ("a class", metadata(data_class=1)), ("a plugin", metadata(plugin_data=plugin)),
                        ("an unknown field", full + b"\x78\x05"), ("twice", full + full),
                        ("in another order", metadata(display_name="z") + metadata(plugin_data=plugin))]:
        w.case("TensorSummaryV2", text("t"), tensor(1), text(given), name=name)
    w.case("TensorSummaryV2", text(["t"]), tensor(1), text(full), name="a vector of tags")
    w.case("TensorSummaryV2", text("t"), tensor(1), text([full]), name="a vector of metadata")
    w.case("TensorSummaryV2", text(""), tensor(1), text(full), name="an empty tag")
    merged = tf.compat.v1.Summary()
    merged.value.add(tag="t", metadata=tf.compat.v1.SummaryMetadata())
    w.case("MergeSummary", [text(merged.SerializeToString())], name="empty metadata")


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
    random_cases(w)
    audio_cases(w)
    tensor_cases(w)
    check_cases(w)
