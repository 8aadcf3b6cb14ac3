#!/usr/bin/env python3
"""Checks that kernels of GPUs ask which thread of the grid they are before they read or write memory: only then what
they wait for is done (GridDependencySync() in kernels/device/cuda/runtime/block.h).

Usage: device_kernels.py ROOT. Prints each kernel that does not; the status is 1 if there is one."""
import re
import sys

import source_tree
from device_types import STRING_OR_COMMENT

KERNEL = re.compile(r"\bDF_DEVICE_KERNEL\s+void\s+(\w+)\s*\(")
# What asks, and functions of these kernels' own that do.
ASK = re.compile(r"\b(?:GlobalThreadId|GlobalBlockId|GridDependencySync|MatrixOfBlock|TileItems::Of|Part::Row)\(")
# Declarations of arrays, which read and write nothing.
ARRAY = re.compile(r"^\s*[\w:<>]+ \w+\[[^\]]*\];", re.MULTILINE)
# An element, what a pointer points at, or a member of that.
ACCESS = re.compile(r"\w\s*\[|(?:^|[=(,!&|?:;{])\s*\*\s*\w|->")


def body_of(text, start):
    """The text between the braces behind `start`."""
    begin = text.index("{", start)
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin + 1:at]
    return text[begin + 1:]


def is_late(body):
    """Whether memory is read or written before the kernel asks."""
    ask = ASK.search(body)
    before = body[:ask.start()] if ask else body
    return ACCESS.search(ARRAY.sub("", before)) is not None


def check_tree(root):
    """All kernels that read or write first, as lines of text."""
    violations = []
    for file in source_tree.source_files(root):
        text = file.read_text(encoding="utf-8")
        if "DF_DEVICE_KERNEL void" not in text or file.name == "block.h":
            continue
        code = STRING_OR_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
        for kernel in KERNEL.finditer(code):
            if is_late(body_of(code, kernel.end())):
                line = code.count("\n", 0, kernel.start()) + 1
                path = file.relative_to(root).as_posix()
                violations.append(f"{path}:{line}: {kernel[1]} reads or writes memory before it asks for its thread or block")
    return violations


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_tree, "Kernels of GPUs ask for their thread first."))
