"""Random ops: the same seeds give the same numbers."""
import numpy as np
import tensorflow as tf

from golden import tensor


def i32(*values):
    return np.array(values, np.int32)


def write(w):
    for op, ulps in [("RandomUniform", 0), ("RandomStandardNormal", 2), ("TruncatedNormal", 2)]:
        for dtype in [tf.float16, tf.bfloat16, tf.float32, tf.float64]:
            w.case(op, i32(9), name=dtype.name, seed=1, seed2=2, dtype=dtype, ulps=ulps)
        for seed, seed2 in [(0, 1), (87654321, 0), (1 << 40, (1 << 50) + 7), (-5, -1)]:
            w.case(op, np.array([2, 3], np.int64), name=f"seeds {seed} {seed2}", seed=seed, seed2=seed2, dtype=tf.float32,
                   ulps=ulps)
        w.case(op, i32(), name="scalar", seed=3, seed2=4, dtype=tf.float32, ulps=ulps)
        w.case(op, i32(0, 2), name="nothing", seed=3, seed2=4, dtype=tf.float32)
        w.case(op, i32(-1), name="negative size", seed=3, seed2=4, dtype=tf.float32)
    for dtype in [np.int32, np.int64]:
        for low, high in [(0, 10), (-5, 5), (np.iinfo(dtype).min, np.iinfo(dtype).max), (3, 3), (4, 3)]:
            w.case("RandomUniformInt", i32(7), np.array(low, dtype), np.array(high, dtype), seed=5, seed2=6,
                   name=f"{np.dtype(dtype).name} {low} {high}")
        w.case("RandomUniformInt", i32(0), np.array(4, dtype), np.array(3, dtype), seed=5, seed2=6, name="nothing")
    for shape in [(10,), (5, 2), (1, 4), (0,), (3, 2, 2)]:
        w.case("RandomShuffle", tensor(np.arange(int(np.prod(shape))).reshape(shape)), seed=7, seed2=8)
    w.case("RandomShuffle", tensor(["a", "b", "c", "d"], "string"), seed=7, seed2=9)
    w.case("RandomShuffle", tensor([1, 2, 3, 4, 5], "int64"), seed=1, seed2=0)
