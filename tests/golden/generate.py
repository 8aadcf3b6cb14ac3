#!/usr/bin/env python3
"""Writes the golden cases of the families named, or of all: FAMILY_cases.py makes FAMILY.txt, beside this script.

Needs tensorflow (tensorflow-cpu 2.21)."""
import importlib
import os
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import golden  # noqa: E402


def main():
    families = sorted(name[:-len("_cases.py")] for name in os.listdir(HERE) if name.endswith("_cases.py"))
    for name in sys.argv[1:] or families:
        writer = golden.Writer(os.path.join(HERE, name + ".txt"))
        importlib.import_module(name + "_cases").write(writer)
        writer.write()


if __name__ == "__main__":
    main()
