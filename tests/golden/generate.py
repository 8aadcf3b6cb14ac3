#!/usr/bin/env python3
"""Writes the golden cases of every family beside this script. Needs tensorflow (tensorflow-cpu 2.21)."""
import os
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import golden  # noqa: E402
import array_cases  # noqa: E402
import elementwise_cases  # noqa: E402
import matrix_cases  # noqa: E402
import nn_cases  # noqa: E402
import random_cases  # noqa: E402
import reduction_cases  # noqa: E402

FAMILIES = {
    "array": array_cases.write,
    "elementwise": elementwise_cases.write,
    "matrix": matrix_cases.write,
    "nn": nn_cases.write,
    "random": random_cases.write,
    "reduction": reduction_cases.write,
}


def main():
    for name in sys.argv[1:] or sorted(FAMILIES):
        writer = golden.Writer(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".txt"))
        FAMILIES[name](writer)
        writer.write()


if __name__ == "__main__":
    main()
