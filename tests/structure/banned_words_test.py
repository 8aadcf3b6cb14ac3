#!/usr/bin/env python3
"""Plants banned words in small trees: each must be found, and words that only look alike must not."""
import pathlib
import unittest

import banned_words
import planted_tree

RULES = """# scope | word | word to use
any | cat | dog
code | hint | control message
code | k tall | kHigh
prose | bend | reduce
name | Nest | GradientSite
name | bid | RTS | comm/net* comm/b.h
"""


def violations_of(files, rules=RULES):
    """files: path -> text."""
    return planted_tree.violations_of(banned_words.check_tree, {**files, banned_words.LIST: rules})


class BannedWordsTest(unittest.TestCase):
    def check_found(self, path, text, expected):
        self.assertEqual(violations_of({path: text}), expected, text)

    def check_clean(self, path, text, **arguments):
        self.assertEqual(violations_of({path: text}, **arguments), [], text)

    def test_parts_of_names(self):
        for name in ("Cat", "cat_", "kCatBytes", "OnCat", "DF_CAT_KERNEL", "CAT", "in_cat", "GPUCat2"):
            self.check_found("src/a.h", f"\nint {name};\n", [f"src/a.h:2: {name}: use dog"])
        self.check_found("src/a.h", "int kTallThreads;\n", ["src/a.h:1: kTallThreads: use kHigh"])
        self.check_found("src/a.h", "class UcxHint;\n", ["src/a.h:1: UcxHint: use control message"])
        self.check_found("src/a.h", "Nest n;\n", ["src/a.h:1: Nest: use GradientSite"])

    def test_words_of_texts(self):
        self.check_found("src/a.h", "// A cat's memory.\n", ["src/a.h:1: cat: use dog"])
        self.check_found("src/a.cc", 'return Error("no cat");\n', ["src/a.cc:1: cat: use dog"])
        self.check_found("docs/a.md", "One CAT.\n", ["docs/a.md:1: CAT: use dog"])
        self.check_found("README.md", "A cat.\n", ["README.md:1: cat: use dog"])
        self.check_found("scripts/a.sh", "echo cat\n", ["scripts/a.sh:1: cat: use dog"])
        self.check_found("src/a.h", "// Values are bend by bend.\n", ["src/a.h:1: bend: use reduce"] * 2)

    def test_names_that_texts_mention(self):
        self.check_found("docs/a.md", "`SendHint()` sends.\n", ["docs/a.md:1: SendHint: use control message"])
        self.check_found("src/a.h", "// See send_hint().\n", ["src/a.h:1: send_hint: use control message"])
        self.check_clean("docs/a.md", "Hint: it blocks.\n")
        self.check_clean("src/a.h", "// Hint at it.\n")

    def test_rules_of_some_files(self):
        for path in ("comm/net/part/a.h", "comm/b.h"):
            self.check_found(path, "int bid;\n", [f"{path}:1: bid: use RTS"])
        self.check_clean("comm/a.h", "int bid;\n")
        self.check_clean("comm/net/a.h", "// They bid it.\nint bids;\n")

    def test_paths(self):
        self.check_found("src/test_cat.h", "", ["src/test_cat.h: test_cat: use dog"])
        self.check_found("src/cat/a.h", "", ["src/cat/a.h: cat: use dog"])

    def test_words_that_look_alike(self):
        for name in ("category", "concat", "scatter", "bobcat", "Concatenated", "kConcat", "concat2", "BOBCATS",
                     "unbend", "Tallest", "kTallest", "Nests", "shint", "Hinterland"):
            self.check_clean("src/a.h", f"// {name}\nint {name};\n")
        self.check_clean("src/a.h", "int Bend(int x);\n")

    def test_the_list_of_the_project(self):
        text = (pathlib.Path(__file__).parent / pathlib.Path(banned_words.LIST).name).read_text(encoding="utf-8")
        rules = "\n".join(line for line in text.splitlines() if not line.startswith("allow"))
        for name in ("cardinality", "discard", "wildcard", "postcard", "nodiscard", "unfold", "Unfolded", "kMostly",
                     "kAtLeast", "kMax", "kMin", "Note", "Offer"):
            self.check_clean("src/a.h", f"// {name}\nint {name};\n", rules=rules)
        for part in ("Most", "Least"):
            self.assertEqual(len(violations_of({"src/a.h": f"int k{part}Threads;\n"}, rules)), 1, part)

    def test_names_of_others(self):
        self.check_clean("src/a.h", "cudaCatCount(); MPI_Hint(); H5Cat();\n")
        with_op = {banned_words.OPS: "CopyCat(x: float) -> (y: float)\n", "src/a.h": 'Add("CopyCat");\n'}
        self.assertEqual(violations_of(with_op), [])

    def test_golden_files(self):
        self.check_clean("tests/golden/array.txt", "cat\n")
        self.check_found("tests/golden/array_cases.py", "# A cat.\n", ["tests/golden/array_cases.py:1: cat: use dog"])

    def test_exceptions(self):
        rules = RULES + "allow | src/*.h | TomCat | The name of another program.\n"
        self.check_clean("src/a.h", "class TomCat;\n", rules=rules)
        self.assertEqual(violations_of({"src/a.cc": "class TomCat;\n"}, rules),
                         ["src/a.cc:1: TomCat: use dog",
                          f"{banned_words.LIST}: nothing needs allow | src/*.h | TomCat"])

    def test_rules_that_are_none(self):
        for rule in ("any | cat", "all | cat | dog", "allow | src/a.h | TomCat |", "any | cat | "):
            self.assertRaises(ValueError, violations_of, {"src/a.h": ""}, rule + "\n")


if __name__ == "__main__":
    unittest.main()
