"""Strings: joined, split, changed, matched, and turned into numbers and back."""
import numpy as np
import tensorflow as tf

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, s32, tensor, text


def s64(value):
    return np.array(value, np.int64)


TEXTS = text(["", "a", "Hello, World", "  x  ", "\t\n tab \r\v\f", "ÄÖÜ äöü ß", "日本語", b"\xff\xfe raw", b"nul\x00in", "a" * 40])


def map_cases(w):
    for op in ["StringLower", "StringUpper", "StringStrip", "StringLength"]:
        w.case(op, TEXTS)
        w.case(op, text("One"))
        w.case(op, text([["A b", "C"], ["d", "E"]]))
        w.case(op, text(np.zeros((0, 2))), name="empty")
        for value in ["aZ09_", "[]{}@`", "\u00a0x\u00a0", " ", "\x1f x \x1f", "é"]:
            w.case(op, text(value), name=repr(value))
    for op in ["StringLower", "StringUpper"]:
        w.case(op, text(["ÄÖÜ äöü", "Ελλάδα", "привет МИР", "日本語 abc", "", "éÉ", "\U00010400\U00010428"]), name="utf-8",
               encoding="utf-8")
        w.case(op, text(["straße", "ﬁn ﬃ", "ŉ ǰ ΐ ᾳ ᾴ ﬗ", "İstanbul ıI", "ΟΔΟΣ ΣΑΣ Σ ΑΣΒ Σ.", "ǅ ǈ ß ẞ", "ᲀ Ა ꭰ", b"\xff\xc3 \xed\xa0\x80 \xf0\x9f"]),
               name="utf-8, special", encoding="utf-8")
        w.case(op, text(["x"]), name="another encoding", encoding="latin-1")
    w.case("StringLength", TEXTS, name="characters", unit="UTF8_CHAR")
    w.case("StringLength", text([b"\x80\x80", b"\xc3", b"\xe6\x97", "a\u0301"]), name="odd characters", unit="UTF8_CHAR")


def substr_cases(w):
    for dtype in [s32, s64]:
        w.case("Substr", text(["Hello", "World!"]), dtype(1), dtype(3))
        w.case("Substr", text(["Hello", "World!"]), dtype([1, 2]), dtype([3, 2]))
    for pos, length in [(0, 0), (0, 5), (0, 99), (5, 1), (5, 0), (-1, 1), (-5, 2), (-5, 99), (6, 1), (-6, 1), (2, -1),
                        (-3, -1), (2, 2147483647), (-2147483648, 1)]:
        w.case("Substr", text(["Hello"]), s32(pos), s32(length), name=f"{pos} {length}")
        w.case("Substr", text(["日本語äx"]), s32(pos), s32(length), name=f"characters {pos} {length}", unit="UTF8_CHAR")
    w.case("Substr", text("Hello"), s32([0, 1, -2]), s32([1, 2, 2]), name="one string")
    w.case("Substr", text([["abc", "defg"], ["hij", "klmn"]]), s32([0, 1]), s32([1, 2]), name="broadcast rows")
    w.case("Substr", text([["abc"], ["hij"]]), s32([[0, 1]]), s32([[1, 2]]), name="broadcast both")
    w.case("Substr", text(["abc", "hij"]), s32([0, 1, 2]), s32([1, 1, 1]), name="do not fit")
    w.case("Substr", text(["abc", "hij"]), s32([0, 1]), s32([1]), name="pos and len differ")
    w.case("Substr", text(np.zeros((0,))), s32(0), s32(1), name="empty")
    w.case("Substr", text([""]), s32(0), s32(1), name="an empty string")


def join_cases(w):
    a, b = text(["a", "b"]), text(["x", "y"])
    w.case("StringJoin", [a, b])
    w.case("StringJoin", [a, b], name="separator", separator=", ")
    w.case("StringJoin", [a, text("-"), b], name="a scalar")
    w.case("StringJoin", [text("a"), text("b")], name="scalars", separator="/")
    w.case("StringJoin", [a], name="one", separator="/")
    w.case("StringJoin", [text("")] * 3, name="nothing but separators", separator="//")
    w.case("StringJoin", [a, text(["x", "y", "z"])], name="do not fit")
    w.case("StringJoin", [text([["a"], ["b"]]), a], name="other ranks")
    w.case("StringJoin", [text(np.zeros((0,))), text(np.zeros((0,)))], name="empty")
    w.case("StringJoin", [text(np.zeros((0, 3))), text("x")], name="empty with a scalar")
    w.case("StringJoin", [text([[["a", "b"]]]), text([[["c", "d"]]])], name="3-D")
    m = text([["a", "b", "c"], ["d", "e", "f"]])
    for axes in [[0], [1], [-1], [-2], [0, 1], [1, 0], [], [0, 0], [0, -2], [2], [-3]]:
        w.case("ReduceJoin", m, s32(axes), name=f"{axes}")
        w.case("ReduceJoin", m, s32(axes), name=f"{axes} keep", keep_dims=True, separator=".")
    w.case("ReduceJoin", m, s32(1), name="a scalar axis", separator=", ")
    w.case("ReduceJoin", text([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]), s32([2, 0]), name="3-D", separator="-")
    w.case("ReduceJoin", text("a"), s32([]), name="a scalar")
    w.case("ReduceJoin", text(np.zeros((0, 3))), s32([0]), name="no rows")
    w.case("ReduceJoin", text(np.zeros((2, 0))), s32([1]), name="no columns")
    w.case("ReduceJoin", text(np.zeros((2, 0))), s32([0]), name="no columns, joined rows")


def split_cases(w):
    texts = text(["a b  c", "", " x ", "one", "a,b;c"])
    for delimiter in [" ", ",;", "", "b", " ,"]:
        for skip_empty in [True, False]:
            w.case("StringSplit", texts, text(delimiter), name=f"'{delimiter}' {skip_empty}", skip_empty=skip_empty)
    w.case("StringSplit", text(np.zeros((0,))), text(" "), name="empty")
    w.case("StringSplit", text(["日本"]), text(""), name="bytes")
    w.case("StringSplit", text("a b"), text(" "), name="a scalar")
    w.case("StringSplit", text(["a b"]), text([" "]), name="a vector of delimiters")
    for sep in ["", " ", ",", "<>", "b"]:
        for maxsplit in [-1, 0, 1, 2]:
            w.case("StringSplitV2", text(["a b  c", "", "  x ", "1<>2<>3", ",a,,b,", " \t\n"]), text(sep),
                   name=f"'{sep}' {maxsplit}", maxsplit=maxsplit)
    w.case("StringSplitV2", text(np.zeros((0,))), text(","), name="empty")
    w.case("StringSplitV2", text([["a"]]), text(","), name="a matrix")
    w.case("StringSplitV2", text(["a"]), text([","]), name="a vector of separators")


def regex_cases(w):
    texts = text(["abc123", "", "foo.bar", "aaa", "日本 x"])
    for pattern, rewrite in [("a", "b"), ("[0-9]+", "<\\0>"), ("(\\w)(\\w)", "\\2\\1"), (".", "x"), ("^a", ""), ("", "-"), ("a*", "-"),
                             ("(?i)ABC", "z"), ("\\.", "\\\\"), ("(", "x"), ("[", "x"), ("a", "\\1"), ("(a)", "\\1\\1"), ("x$", "\n"),
                             ("(?P<n>b)", "[\\1]"), ("\\pL", "L")]:
        for every in [True, False]:
            w.case("RegexReplace", texts, text(pattern), text(rewrite), name=f"{pattern!r} {rewrite!r} {every}",
                   replace_global=every)
    w.case("RegexReplace", text("abab"), text("b"), text("c"), name="a scalar")
    w.case("RegexReplace", text(np.zeros((0, 1))), text("b"), text("c"), name="empty")
    w.case("RegexReplace", text(["a"]), text(["b"]), text("c"), name="a vector of patterns")
    w.case("RegexReplace", text(["a"]), text("b"), text(["c"]), name="a vector of rewrites")
    for pattern in ["a+", ".*", "", "abc[0-9]+", "foo", "foo.bar", "(", "(?s).*", "\\C*", "[[:alpha:]]+\\d*", "aaa|foo\\.bar"]:
        w.case("RegexFullMatch", texts, text(pattern), name=repr(pattern))
        if "\\" not in pattern:
            w.case("StaticRegexFullMatch", texts, name=repr(pattern), pattern=pattern)
            w.case("StaticRegexReplace", texts, name=repr(pattern), pattern=pattern, rewrite="<>")
    w.case("RegexFullMatch", text("a"), text("a"), name="a scalar")
    w.case("RegexFullMatch", text(np.zeros((0, 1))), text("a"), name="empty")
    w.case("RegexFullMatch", text(["a"]), text(["a"]), name="a vector of patterns")
    w.case("StaticRegexFullMatch", text([["a", "b"]]), name="a matrix", pattern="a")
    w.case("StaticRegexFullMatch", text("abc"), name="a scalar", pattern="[a-c]{3}")
    w.case("StaticRegexReplace", text("abc"), name="a scalar", pattern="[a-b]", rewrite="")
    w.case("StaticRegexReplace", text([["a", "b"]]), name="first only", pattern="[ab]", rewrite="c", replace_global=False)


def number_cases(w):
    for dtype in ["float32", "float64", "int32", "int64", "uint32", "uint64"]:
        out_type = tf.as_dtype(dtype)
        for value in ["0", "42", "-7", "+7", " 12 ", "\t3\n", "1.5", "1e3", ".5", "5.", "-0", "", " ", "x", "1x", "1 2", "0x10", "inf",
                      "-Infinity", "nan", "NaN", "1e400", "1e-400", "2147483647", "2147483648", "-2147483648", "-2147483649",
                      "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615",
                      "18446744073709551616", "1e", "--1", "0.1", "16777217", "1,000", "1_000", "1\x00", "+-1", "+", "nan(1)", "infx",
                      "00012", "1f"]:
            w.case("StringToNumber", text([value]), name=f"{dtype} {value!r}", out_type=out_type)
        w.case("StringToNumber", text([["1", "2"], ["3", "4"]]), name=f"{dtype} a matrix", out_type=out_type)
        w.case("StringToNumber", text("8"), name=f"{dtype} a scalar", out_type=out_type)
        w.case("StringToNumber", text(np.zeros((0,))), name=f"{dtype} empty", out_type=out_type)


def as_string_cases(w):
    for dtype in FLOATS + COMPLEX + SIGNED + UNSIGNED + ["bool"]:
        w.case("AsString", tensor([0, 1, 100], dtype))
        for attrs in [{"width": 6}, {"width": 6, "fill": "0"}, {"width": 6, "fill": "-"}, {"fill": "+"}, {"fill": " "}, {"precision": 2},
                      {"scientific": True}, {"shortest": True}]:
            w.case("AsString", tensor([1, 23], dtype), name=f"{dtype} {attrs}", **attrs)
    for value in [-1.5, 3.14159265, 1e20, 1e-20, np.nan, np.inf, -np.inf, -0.0]:
        for attrs in [{}, {"precision": 3}, {"precision": 0}, {"scientific": True, "precision": 3}, {"shortest": True}, {"width": 12}]:
            w.case("AsString", tensor(value, "float64"), name=f"float64 {value} {attrs}", **attrs)
    for dtype, value in [("int8", -128), ("int64", -2**63), ("uint64", 2**64 - 1), ("uint8", 255)]:
        w.case("AsString", np.array([value], tf.as_dtype(dtype).as_numpy_dtype), name=f"{dtype} {value}")
    w.case("AsString", text(["a", ""]), name="strings")
    w.case("AsString", text(["a", ""]), name="wide strings", width=4)
    w.case("AsString", tensor(1), name="both", scientific=True, shortest=True)
    w.case("AsString", tensor(1), name="a long fill", fill="00")
    w.case("AsString", tensor(1), name="another fill", fill="x")
    w.case("AsString", tensor(np.zeros((0, 2))), name="empty")


def format_cases(w):
    m = tensor(np.arange(12).reshape(3, 4))
    for summarize in [-1, 0, 1, 2, 3, 100]:
        w.case("StringFormat", [m], name=f"summarize {summarize}", summarize=summarize)
        w.case("StringFormat", [tensor(np.arange(10), "int32")], name=f"a vector, summarize {summarize}", summarize=summarize)
    for dtype in ["float16", "float64", "int8", "uint64", "bool", "complex64"]:
        w.case("StringFormat", [tensor([0, 1, 2], dtype)], name=dtype)
    w.case("StringFormat", [tensor([1.5, 1e10, 1e-10, np.nan, np.inf, 0.1, 123456789])], name="numbers", summarize=-1)
    w.case("StringFormat", [text(["a", 'q"q', "b\n"])], name="strings")
    w.case("StringFormat", [tensor(1), text("x")], name="scalars", template="<%s> and <%s>")
    w.case("StringFormat", [tensor(1), tensor(2)], name="another placeholder", template="{}{}{", placeholder="{}")
    w.case("StringFormat", [tensor(1)], name="few placeholders", template="none")
    w.case("StringFormat", [], name="no inputs", template="none")
    w.case("StringFormat", [tensor(np.zeros((2, 2, 2)))], name="3-D", summarize=1)
    w.case("StringFormat", [tensor(np.zeros((2, 0)))], name="empty")


def hash_cases(w):
    for n in list(range(0, 20)) + [31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 200, 1000]:
        value = bytes((7 * i + n) % 256 for i in range(n))
        w.case("StringToHashBucketFast", text([value]), name=f"{n} bytes", num_buckets=2**63 - 1)
    w.case("StringToHashBucketFast", TEXTS, num_buckets=10)
    w.case("StringToHashBucketFast", text("a"), name="a scalar", num_buckets=1)
    w.case("StringToHashBucketFast", text(np.zeros((0, 2))), name="empty", num_buckets=3)


def edge_cases(w):
    texts = text(["bab", "", "aa", "xyz"])
    for rewrite in [b"\\", b"\\x", b"y\\x", b"y\\", b"\\1\\x", b"\\2", b"y\\2z", b"\\\\"]:
        for replace_global in [True, False]:
            w.case("RegexReplace", texts, text("(a)"), text(rewrite), name=f"rewrite {rewrite.decode()!r} {replace_global}",
                   replace_global=replace_global)
    w.case("ReduceJoin", text(["a", "b"]), np.array([[0]], np.int32), name="indices of rank 2")
    values = text([b"ab", b"a\x00b", b"", b"longer text"])
    for attrs in [dict(precision=3), dict(scientific=True), dict(shortest=True), dict(width=5), dict(width=5, fill="-"),
                  dict(width=5, fill="0"), dict(width=5, fill=" "), dict(width=5, fill="+"), dict(width=5, fill="#"), dict(fill="-")]:
        w.case("AsString", values, name=f"strings {attrs}", **attrs)
    w.case("AsString", tensor([1, 0], "bool"), name="a bool with scientific", scientific=True)
    for width in [0, 1, 5]:
        for precision in [0, 2]:
            w.case("AsString", values, name=f"strings {width}.{precision}", width=width, precision=precision)
    for pos, length in [(0, 46), (1, 29), (1, 1), (-1, 3), (-2, 1), (2, 0), (3, 1), (-3, 1)]:
        w.case("Substr", text([b"\x80\xc3\xa9"]), s32(pos), s32(length), name=f"a character cut before, {pos} {length}",
               unit="UTF8_CHAR")
    for summarize in [0, 1, -1]:
        for shape in [(), (3,), (0,), (2, 0, 1)]:
            w.case("StringFormat", [np.ones(shape, bool)], name=f"bool {list(shape)} {summarize}", template="<%s>",
                   placeholder="%s", summarize=summarize)


def shown_cases(w):
    """Elements without a text, and bytes that are no ASCII."""
    strings = text([b"\x00\x01\x7f", b"\xc3", "é日".encode(), b"'\"\\\r\n\t\x1f z"])
    for summarize in [1, 2, -1]:
        for shape in [(), (3,), (2, 1, 4), (0, 2)]:
            for dtype in ["complex64", "complex128"]:
                w.case("StringFormat", [np.full(shape, 1 + 2j, dtype)], template="<%s>", placeholder="%s", summarize=summarize,
                       name=f"{dtype} {list(shape)} {summarize}")
        w.case("StringFormat", [strings], template="<%s>", placeholder="%s", summarize=summarize, name=f"bytes {summarize}")


def write(w):
    map_cases(w)
    substr_cases(w)
    join_cases(w)
    split_cases(w)
    regex_cases(w)
    number_cases(w)
    as_string_cases(w)
    format_cases(w)
    hash_cases(w)
    edge_cases(w)
    shown_cases(w)
