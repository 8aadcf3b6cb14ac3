#!/usr/bin/env python3
"""Writes the golden cases of the families named, or of all.

FAMILY_cases.py, in this folder or in gradients/, makes FAMILY.txt.gz. Its write(writer) gets a Writer of its own where it
has one, else golden.Writer. Needs tensorflow (tensorflow-cpu 2.21); scripts/golden installs it and calls this program.
"""
import argparse
import glob
import importlib
import os
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = os.path.dirname(os.path.abspath(__file__))
CASES = "_cases.py"
sys.path.insert(0, HERE)

import golden  # noqa: E402
import packed  # noqa: E402


def families():
    """Their names, such as conv and gradients/math."""
    return sorted(os.path.relpath(path, HERE)[:-len(CASES)]
                  for folder in (HERE, os.path.join(HERE, "gradients"))
                  for path in glob.glob(os.path.join(folder, "*" + CASES)))


def write(family, folder):
    cases = importlib.import_module(family.replace("/", ".") + "_cases")
    writer = getattr(cases, "Writer", golden.Writer)()
    cases.write(writer)
    path = os.path.join(folder, family + packed.SUFFIX)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    packed.write(path, writer.text())
    print(f"{family}: {len(writer.blocks)} cases", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=HERE, help="the folder of the files; default: this one")
    parser.add_argument("family", nargs="*")
    options = parser.parse_args()
    known = families()
    for family in options.family:
        if family not in known:
            parser.error(f"there is no family '{family}'; there are {', '.join(known)}")
    for family in options.family or known:
        write(family, options.output)


if __name__ == "__main__":
    main()
