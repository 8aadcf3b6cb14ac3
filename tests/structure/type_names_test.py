#!/usr/bin/env python3
"""Gives names twice in small trees: each must be found, and a clean tree must pass."""
import unittest

import planted_tree
import type_names


def violations_of(files):
    """files: path -> text."""
    return planted_tree.violations_of(type_names.check_tree, files)


def in_namespace(name, line):
    return f"namespace {name} {{\n{line}\n}}  // namespace {name}\n"


class TypeNamesTest(unittest.TestCase):
    def check_found(self, first, second):
        found = violations_of({"src/a.h": first, "kernels/b.h": second})
        self.assertEqual(found, ["dfrun::X is the name of several types: kernels/b.h, src/a.h"])

    def check_clean(self, first, second):
        self.assertEqual(violations_of({"src/a.h": first, "kernels/b.h": second}), [])

    def test_one_name_twice(self):
        for line in ("class X {", "struct X final : Y {", "template <class T>\nstruct X {", "enum class X : int {",
                     "class X", "struct X {};", 'class CAPABILITY("mutex") X {', "class SCOPED_CAPABILITY X {",
                     "struct alignas(64) X {", "class [[nodiscard]] X : public Y {"):
            with self.subTest(line):
                self.check_found(in_namespace("dfrun", "struct X {"), in_namespace("dfrun", line))

    def test_two_namespaces(self):
        self.check_clean(in_namespace("dfrun", "struct X {"), in_namespace("dfrun::comm", "struct X {"))

    def test_a_file_of_its_own(self):
        unnamed = "namespace dfrun {\nnamespace {\nstruct X {\n}  // namespace\n}  // namespace dfrun\n"
        self.check_clean(in_namespace("dfrun", "struct X {"), unnamed)

    def test_what_defines_no_type_of_that_name(self):
        for line in ("class X;", "struct X::Part {", "struct X<int> {", "struct X* Make();", "struct XY {",
                     "  struct X {", "enum Kind : int { X };"):
            with self.subTest(line):
                self.check_clean(in_namespace("dfrun", "struct X {"), in_namespace("dfrun", line))


if __name__ == "__main__":
    unittest.main()
