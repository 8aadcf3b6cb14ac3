#!/usr/bin/env python3
"""Checks that no two types of a namespace have one name: the linker takes one's constructor for the other's.

Usage: type_names.py ROOT. Prints each name that is given twice; the status is 1 if there is one."""
import collections
import re
import sys

import source_tree

OPENS = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
CLOSES = re.compile(r"\}  // namespace")
# Behind attributes and annotations; not a declaration (X;), a member of another type (X::Y) or a specialisation (X<Y>).
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum(?: class)?) "
                  r"(?:(?:\[\[[^]]*\]\]|alignas\([^)]*\)|[A-Z_]{4,}(?:\([^)]*\))?) )*"
                  r"(\w+)(?: final)?(?: :(?!:).*| \{.*)?$")


def defined_types(text):
    """The types, with their namespaces, that other files see: those of unnamed namespaces are a file's own."""
    namespaces = []
    for line in text.splitlines():
        if match := OPENS.match(line):
            namespaces.append(match[1] or "")
        elif CLOSES.match(line):
            namespaces.pop()
        elif "" not in namespaces and (match := TYPE.match(line)):
            yield "::".join(namespaces + [match[1]])


def check_tree(root):
    """All names that are given twice below root, as lines of text."""
    files = collections.defaultdict(set)
    for file in source_tree.source_files(root):
        for name in defined_types(file.read_text(encoding="utf-8")):
            files[name].add(file.relative_to(root).as_posix())
    return [f"{name} is the name of several types: {', '.join(sorted(paths))}" for name, paths in sorted(files.items())
            if len(paths) > 1]


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_tree, "Every type has a name of its own."))
