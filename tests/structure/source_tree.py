"""The project's source files, and how a check of all of them is run."""
import pathlib
import sys

TOPS = ["comm", "jobs", "kernels", "src"]
SUFFIXES = {".h", ".cc", ".cu", ".cuh"}


def source_files(root):
    return sorted(file for top in TOPS for file in (root / top).rglob("*") if file.suffix in SUFFIXES)


def main(usage, check_tree, nothing_found):
    """Prints what check_tree finds below the folder that is the one argument. The status is 1 if there is something."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    violations = check_tree(pathlib.Path(sys.argv[1]))
    print("\n".join(violations) or nothing_found)
    return 1 if violations else 0
