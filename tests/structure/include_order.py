#!/usr/bin/env python3
"""Checks who includes whom. Usage: include_order.py ROOT. Prints each violation; the status is 1 if there is one."""
import re
import sys

import source_tree

# A directory may include itself and those above it.
ORDER = [
    "src/base", "src/framework", "src/storage", "src/checkpoint", "src/graph", "src/spec", "src/autodiff",
    "src/collectives", "src/passes", "src/placement", "src/partition", "src/executor", "src/session", "src/training",
    "src/job", "kernels", "comm", "jobs", "src/hdf5",
]
# In these a header and its source count as one: no part of the folder may lead back to itself, by its source either.
PARTS_IN_ORDER = [
    "src/base", "src/storage", "src/collectives", "src/placement", "src/partition", "src/executor", "src/session",
    "src/training", "src/job", "comm", "jobs",
]
# The page that shows ORDER, in a sentence that begins so.
DOCUMENT = "docs/architecture.md"
SENTENCE = "A directory includes only itself and those before it in the order"
# Less than the order gives: kernels and transports know the contracts only, so that each can be built on its own.
ONLY = {
    "kernels/checkpoint": ["src/base", "src/framework", "src/storage", "src/checkpoint", "kernels"],
    # A library that ops of several folders call.
    "kernels/gemm": ["src/base", "src/framework", "kernels/array", "kernels/device", "kernels/gemm", "kernels/math"],
    # Tensors as messages of a GraphDef.
    "kernels/parsing/tensor_message_cpu.cc": ["src/base", "src/framework", "src/graph", "kernels"],
    "kernels": ["src/base", "src/framework", "src/storage", "kernels"],
    "comm": ["src/base", "src/framework", "comm"],
    "src/hdf5": ["src/base", "src/framework", "src/storage", "src/hdf5"],
}
# Passes stand beside the kernels that they make: kernels/<family>/<name>_pass.cc; a device has its macro for them.
PASS_ONLY = ["src/base", "src/framework", "src/graph", "src/passes", "kernels"]
# Headers in many files' way: nothing but the standard library, whose names have neither dot nor slash.
STANDARD_LIBRARY_ONLY = ["src/framework"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def is_below(path, directory):
    return path == directory or path.startswith(directory + "/")


def layer_of(path, layers):
    """The first of the layers that holds the path, or None."""
    return next((layer for layer in layers if is_below(path, layer)), None)


def allowed_layers(path):
    if is_below(path, "kernels") and path.endswith("_pass.cc") or re.fullmatch(r"kernels/device/\w+_pass\.h", path):
        return PASS_ONLY
    narrowed = layer_of(path, ONLY)
    if narrowed:
        return ONLY[narrowed]
    return ORDER[: ORDER.index(layer_of(path, ORDER)) + 1]


def exists(root, include):
    """In the tree, or made from a .proto of the tree."""
    if include.endswith(".pb.h"):
        include = include.removesuffix(".pb.h") + ".proto"
    return (root / include).is_file()


def check_include(root, path, bracket, include):
    """What is wrong with one include, or None."""
    if bracket == "<":
        if layer_of(include, ORDER):
            return f'write "{include}" with quotes: it is this project\'s'
        if path.endswith(".h") and layer_of(path, STANDARD_LIBRARY_ONLY) and re.search(r"[./]", include):
            return f"<{include}> in a framework header: only the standard library may stand there"
        return None
    if not exists(root, include):
        return f'"{include}" is not the path of a file from the root of the tree'
    if not layer_of(include, allowed_layers(path)):
        return f'may not include "{include}": allowed are {", ".join(allowed_layers(path))}'
    return None


def find_cycle(edges):
    """A cycle of the graph as a list that ends where it begins, or None. Depth first; each node once."""
    done = set()

    def visit(node, way):
        if node in way:
            return way[way.index(node):] + [node]
        if node in done:
            return None
        for following in sorted(edges.get(node, ())):
            cycle = visit(following, way + [node])
            if cycle:
                return cycle
        done.add(node)
        return None

    return next(filter(None, (visit(node, []) for node in sorted(edges))), None)


def part_of(path):
    """A header with its source, where the folder's parts have an order; else the file itself."""
    return path.rpartition(".")[0] if layer_of(path, PARTS_IN_ORDER) else path


def check_tree(root):
    """All violations below root, as lines of text."""
    violations = []
    directories = {}
    parts = {}

    def add_edge(edges, source, target):
        if source != target:
            edges.setdefault(source, set()).add(target)

    for file in source_tree.source_files(root):
        path = file.relative_to(root).as_posix()
        if not layer_of(path, ORDER):
            violations.append(f"{path}: its directory has no place in the order ({', '.join(ORDER)})")
            continue
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            problem = check_include(root, path, *match.groups())
            if problem:
                violations.append(f"{path}:{line}: {problem}")
            if match[1] == '"':
                add_edge(directories, path.rpartition("/")[0], match[2].rpartition("/")[0])
                add_edge(parts, part_of(path), part_of(match[2]))
    for what, edges in (("directories", directories), ("files", parts)):
        if cycle := find_cycle(edges):
            violations.append(f"{what} include each other in a cycle: " + " -> ".join(cycle))
    return violations


def check_document(root):
    """Whether the page shows the order that is checked: lines of text, as check_tree gives."""
    begin, found, rest = (root / DOCUMENT).read_text(encoding="utf-8").partition(SENTENCE)
    shown = re.findall(r"`([a-z0-9/]+)`", rest.partition(". ")[0])
    if found and shown == ORDER:
        return []
    return [f"{DOCUMENT}: \"{SENTENCE} ...\" shows {', '.join(shown)}; the order is {', '.join(ORDER)}"]


def check_all(root):
    return check_tree(root) + check_document(root)


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_all, "The include order holds."))
