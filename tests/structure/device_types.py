#!/usr/bin/env python3
"""Checks that no file knows a type of device by its word, but for the one table and the folder of devices.

Usage: device_types.py ROOT. Prints each word that stands elsewhere; the status is 1 if there is one."""
import re
import sys

import source_tree

TABLE = "src/framework/device/device_types.cc"
DEVICES = "kernels/device/"

WORDS = re.compile(r"kTypes\[\] = \{([^}]*)\}")
# A string, or a comment, which may show one.
STRING_OR_COMMENT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|//[^\n]*')


def types_of(root):
    """The words of the table."""
    return re.findall(r'"(\w+)"', WORDS.search((root / TABLE).read_text(encoding="utf-8"))[1])


def check_tree(root):
    """All words that stand elsewhere below root, as lines of text."""
    types = types_of(root)
    violations = []
    for file in source_tree.source_files(root):
        path = file.relative_to(root).as_posix()
        if path == TABLE or path.startswith(DEVICES):
            continue
        text = file.read_text(encoding="utf-8")
        for match in STRING_OR_COMMENT.finditer(text):
            if match[1] in types:
                line = text.count("\n", 0, match.start()) + 1
                violations.append(f'{path}:{line}: "{match[1]}" is for {TABLE} and {DEVICES} to know')
    return violations


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_tree, "No file knows a type of device by its word."))
