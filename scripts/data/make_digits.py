#!/usr/bin/env python3
"""Write configs/data/digits.h5 from the optical digits that scikit-learn ships.

Usage: make_digits.py OUTPUT.h5    (needs numpy, h5py and scikit-learn)

The result is a function of the data and of SEED alone, so that the committed file can be made again and compared.
"""
import sys

import h5py
import numpy
from sklearn.datasets import load_digits

SEED = 2  # splits differ by a percent in difficulty; this one is near the middle
TEST_PER_CLASS = 36  # a fifth of the data, and a whole that divides by 2, 4 and 8 replicas
PIXEL_MAX = 16.0


def stratified_split(labels, rng):
    """Row numbers of the training and of the test part; each class gives TEST_PER_CLASS rows to the test."""
    train, test = [], []
    for label in numpy.unique(labels):
        rows = rng.permutation(numpy.flatnonzero(labels == label))
        test.extend(rows[:TEST_PER_CLASS])
        train.extend(rows[TEST_PER_CLASS:])
    # Mixed once, so that a reader that does not shuffle sees no runs of one class.
    return rng.permutation(train), rng.permutation(test)


def write_part(group, images, labels):
    """Contiguous datasets without filters or times: any reader maps them, and the bytes do not change on a rerun."""
    group.create_dataset("image", data=images, track_times=False)
    group.create_dataset("label", data=labels, track_times=False)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    digits = load_digits()
    images = (digits.data / PIXEL_MAX).astype(numpy.float32)
    labels = digits.target.astype(numpy.int64)  # what ArgMax gives, so that the two compare
    train, test = stratified_split(labels, numpy.random.Generator(numpy.random.PCG64(SEED)))
    with h5py.File(sys.argv[1], "w") as file:
        for name, rows in (("train", train), ("test", test)):
            write_part(file.create_group(name), images[rows], labels[rows])
            print(f"{name}: {len(rows)} images, by class {numpy.bincount(labels[rows]).tolist()}")


if __name__ == "__main__":
    main()
