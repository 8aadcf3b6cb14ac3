#!/usr/bin/env python3
"""Checks who includes whom. Usage: include_order.py ROOT. Prints each violation; the status is 1 if there is one."""
import re
import sys

import source_tree

# A directory may include itself and those above it.
ORDER = [
    "src/base", "src/framework", "src/storage", "src/checkpoint", "src/graph", "src/costs", "src/events", "src/spec",
    "src/autodiff", "src/collectives", "src/passes", "src/placement", "src/plan", "src/partition", "src/executor",
    "src/session", "src/training", "src/job", "src/runs", "kernels", "comm", "jobs", "src/hdf5",
]
# The page that shows ORDER, in a sentence that begins so.
DOCUMENT = "docs/architecture.md"
SENTENCE = "A directory includes only itself and those before it in the order"
# Less than the order gives: kernels and transports know the contracts only, so that each can be built on its own.
ONLY = {
    "kernels/checkpoint": ["src/base", "src/framework", "src/storage", "src/checkpoint", "kernels"],
    # A library that ops of several folders call.
    "kernels/gemm": ["src/base", "src/framework", "kernels/array", "kernels/device", "kernels/gemm", "kernels/math"],
    # The schedule of a spec, which the rank of a replica evaluates.
    "kernels/shares/learning_rate_cpu.cc": ["src/base", "src/framework", "src/spec", "kernels"],
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


def groups_of(edges):
    """The nodes that lead to each other, as sorted lists of two or more, ordered: Tarjan's strong components."""
    index, low, stack, on_stack, groups = {}, {}, [], set(), []

    def visit(root):
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        calls = [(root, iter(sorted(edges.get(root, ()))))]
        while calls:
            node, rest = calls[-1]
            following = next(rest, None)
            if following is None:
                calls.pop()
                if calls:
                    low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
                if low[node] == index[node]:
                    begin = stack.index(node)
                    groups.append(sorted(stack[begin:]))
                    on_stack.difference_update(stack[begin:])
                    del stack[begin:]
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                calls.append((following, iter(sorted(edges.get(following, ())))))
            elif following in on_stack:
                low[node] = min(low[node], index[following])

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return sorted(group for group in groups if len(group) > 1)


def cycle_within(group, edges):
    """The shortest cycle through the first node of a group, as a list that ends where it begins. Breadth first."""
    before = {}
    ways = [group[0]]
    for node in ways:
        for following in sorted(edges.get(node, ())):
            if following == group[0]:
                way = [node]
                while way[-1] != group[0]:
                    way.append(before[way[-1]])
                return way[::-1] + [group[0]]
            if following in group and following not in before:
                before[following] = node
                ways.append(following)
    raise AssertionError(f"no cycle in {group}")


def component_of(path):
    """A header and its source are one component: no component leads back to itself, by its source either."""
    return path.rpartition(".")[0]


def add_edge(edges, source, target):
    if source != target:
        edges.setdefault(source, set()).add(target)


def check_cycles(edges):
    """A line for each group of nodes that lead to each other, with one cycle of it."""
    return ["include each other in a cycle: " + " -> ".join(cycle_within(group, edges)) +
            (f" (a group of {len(group)}: {', '.join(group)})" if len(group) > 2 else "") for group in groups_of(edges)]


def check_tree(root):
    """All violations below root, as lines of text."""
    violations = []
    directories, components = {}, {}
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
                add_edge(components, component_of(path), component_of(match[2]))
    violations += [f"directories {cycle}" for cycle in check_cycles(directories)]
    violations += [f"files {cycle}" for cycle in check_cycles(components)]
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
