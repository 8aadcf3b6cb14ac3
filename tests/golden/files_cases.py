"""Files that every system has; what is written is tested with files of its own."""
import numpy as np

from golden import text


def write(w):
    for pattern in ["/dev/null", "/dev/nul?", "/dev/[n]ull", "/de[v]", "/nowhere/*", "/nowhere", "/dev/nul", "/d?v/nul[l]", "/*v/null",
                    "/dev/null/x", ""]:
        w.case("MatchingFiles", text(pattern), name=f"'{pattern}'")
    w.case("MatchingFiles", text(["/dev/zero", "/dev/nul?", "/nowhere"]), name="three")
    w.case("MatchingFiles", text(np.zeros((0,))), name="no patterns")
    w.case("MatchingFiles", text([["/dev/null"]]), name="a matrix")
    w.case("ReadFile", text("/dev/null"), name="an empty file")
    for path in ["/nowhere", "/nowhere/file", "", "/dev/nothing"]:
        w.case("ReadFile", text(path), name=f"'{path}'", error="NotFound")
    for shape in [(0,), (1,), (2,), (1, 1), (0, 2)]:
        w.case("ReadFile", np.full(shape, "/dev/null", object), name=f"shape {list(shape)}")
