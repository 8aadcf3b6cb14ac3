#!/usr/bin/env python3
"""Checks that each row of docs/determinism.md, in a table whose last column is `test`, names tests that there are.

Usage: tested_claims.py ROOT BUILD. Prints what is wrong; the status is 1 if something is. The tests are inline code in
a row's last cell:

  regression/threads           a test of ctest in BUILD; * stands for any text
  ThreadPool.RunsEachBlock     a test of gtest in a source below tests

A build without the part for GPUs has no tests gpu/*, and is not asked for them."""
import fnmatch
import pathlib
import re
import subprocess
import sys

PAGE = "docs/determinism.md"
SEPARATOR = re.compile(r"^\|\s*:?-+")
CODE = re.compile(r"`([^`]+)`")
OF_GTEST = re.compile(r"[A-Z]\w*\.[A-Z]\w*")
MACRO = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)")


def last_cell(row):
    return re.split(r"(?<!\\)\|", row.rstrip().removesuffix("|"))[-1].strip()


def rows_of(text):
    """(number of the line, names of tests) of each row of the tables whose last column is `test`."""
    is_of_tests, before = False, ""
    for number, line in enumerate(text.split("\n"), 1):
        if SEPARATOR.match(line):
            is_of_tests = last_cell(before) == "test"
        elif not line.startswith("|"):
            is_of_tests = False
        elif is_of_tests:
            yield number, CODE.findall(last_cell(line))
        before = line


def tests_of_gtest(root):
    return {f"{suite}.{name}" for path in (root / "tests").rglob("*.cc")
            for suite, name in MACRO.findall(path.read_text(encoding="utf-8"))}


def check(text, of_ctest, of_gtest):
    """The findings. `of_ctest`, `of_gtest`: the names that there are."""
    has_gpu = any(name.startswith("gpu/") for name in of_ctest)
    rows = list(rows_of(text))
    findings = [] if rows else [f"{PAGE}: there is no row of a table"]
    for number, names in rows:
        if not names:
            findings.append(f"{PAGE}:{number}: the last cell names no test")
        for name in names:
            known = of_gtest if OF_GTEST.fullmatch(name) else of_ctest
            if not fnmatch.filter(known, name) and (has_gpu or not name.startswith("gpu/")):
                findings.append(f"{PAGE}:{number}: there is no test '{name}'")
    return findings


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    text = (root / PAGE).read_text(encoding="utf-8")
    listed = subprocess.run(["ctest", "--test-dir", sys.argv[2], "-N"], check=True, capture_output=True, text=True).stdout
    findings = check(text, re.findall(r"Test +#\d+: (\S+)", listed), tests_of_gtest(root))
    print("\n".join(findings) or f"{len(list(rows_of(text)))} rows name tests that there are.")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
