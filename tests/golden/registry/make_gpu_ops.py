#!/usr/bin/env python3
"""Writes gpu_ops.txt, beside this script: the ops that TensorFlow's build for GPUs registers kernels for on GPUs.

Needs the wheel `tensorflow` (2.21): tensorflow-cpu has kernels of CPUs alone. It needs neither a GPU nor a driver. The
wheel may lie unpacked beside an installed tensorflow-cpu:  PYTHONPATH=UNPACKED make_gpu_ops.py"""
import collections
import os
import sys

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402
from tensorflow.python.framework import dtypes, kernels  # noqa: E402

# Kernels of the type DEFAULT serve every device that has none of its own; on GPUs their arguments lie in host memory.
DEVICES = ("GPU", "DEFAULT")


def main():
    if not tf.test.is_built_with_cuda():
        sys.exit("this TensorFlow has no kernels for GPUs: unpack the wheel `tensorflow`, not tensorflow-cpu")
    types = collections.defaultdict(lambda: collections.defaultdict(set))
    for kernel in kernels.get_all_registered_kernels().kernel:
        if kernel.device_type not in DEVICES:
            continue
        attrs = types[kernel.op]
        for constraint in kernel.constraint:
            attrs[constraint.name].update(constraint.allowed_values.list.type)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_ops.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.write("# The ops that TensorFlow %s has kernels for on GPUs, with the dtypes that their attrs may be; written by\n"
                  "# make_gpu_ops.py.\n" % tf.__version__)
        for op in sorted(types):
            texts = ["%s=%s" % (attr, ",".join(dtypes.as_dtype(t).name for t in sorted(values)))
                     for attr, values in sorted(types[op].items())]
            out.write("%s: %s\n" % (op, "; ".join(texts) or "any"))


if __name__ == "__main__":
    main()
