#!/usr/bin/env python3
"""Checks that no file knows a transport by its name, but for those of its own folder.

Usage: transport_names.py ROOT. Prints each name that stands elsewhere; the status is 1 if there is one."""
import re
import sys

import source_tree
from device_types import STRING_OR_COMMENT

REGISTRATION = re.compile(r'^TRANSPORT\("(\w+)"', re.MULTILINE)


def folders_of(root):
    """The folder of each transport, by the name that it registers."""
    folders = {}
    for file in sorted((root / "comm").rglob("*.cc")):
        for name in REGISTRATION.findall(file.read_text(encoding="utf-8")):
            folders[name] = file.parent.relative_to(root).as_posix() + "/"
    return folders


def check_tree(root):
    """All names that stand elsewhere below root, as lines of text."""
    folders = folders_of(root)
    violations = []
    for file in source_tree.source_files(root):
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        for match in STRING_OR_COMMENT.finditer(text):
            if match[1] in folders and not path.startswith(folders[match[1]]):
                line = text.count("\n", 0, match.start()) + 1
                violations.append(f'{path}:{line}: "{match[1]}" is for {folders[match[1]]} to know')
    return violations


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_tree, "No file knows a transport of another folder by its name."))
