"""Random ops: the same seeds give the same numbers."""
import numpy as np
import tensorflow as tf

from elementwise_cases import INF
from golden import i32, tensor


def u64(*values):
    return np.array(values, np.uint64)


SEEDS = [(0, 0), (1, 2), (-3, 1 << 40), ((1 << 62) + 5, -1)]
KEYS = [([0], [0, 0]), ([1 << 63], [5, 7]), ([12345], [(1 << 64) - 1, 3]), ([7], [1, 2, 3])]


def stateless(w):
    for name, ulps in [("StatelessRandomUniform", 0), ("StatelessRandomNormal", 2), ("StatelessTruncatedNormal", 2)]:
        for dtype in [tf.float16, tf.bfloat16, tf.float32, tf.float64]:
            w.case(name, i32(7), i32(5, 6), name=dtype.name, dtype=dtype, ulps=ulps)
            w.case(name + "V2", i32(7), u64(5), u64(6, 7), np.int32(1), name=dtype.name, dtype=dtype, ulps=ulps)
        for seed in SEEDS:
            w.case(name, np.array([2, 2], np.int64), np.array(seed), name=f"seed {seed}", dtype=tf.float32, ulps=ulps)
        for key, counter in KEYS:
            w.case(name + "V2", np.array([2, 2], np.int64), u64(*key), u64(*counter), np.int32(3), dtype=tf.float32,
                   ulps=ulps, name=f"key {key} {counter}")
        w.case(name, i32(), i32(1, 2), name="scalar", ulps=ulps)
        w.case(name, i32(3, 0), i32(1, 2), name="nothing")
        w.case(name, i32(3), i32(1, 2, 3), name="three seeds")
        w.case(name, i32(-3), i32(1, 2), name="negative size")
        w.case(name + "V2", i32(3), u64(1), u64(1, 2), np.int32(0), name="algorithm 0")
        w.case(name + "V2", i32(3), u64(1), u64(1, 2), np.int32(2), name="another algorithm")
        w.case(name + "V2", i32(3), u64(1, 2), u64(1, 2), np.int32(1), name="a long key")
        w.case(name + "V2", i32(0), u64(1), u64(1, 2), np.int32(1), name="nothing")


def stateless_integers(w):
    for dtype in [np.int32, np.int64]:
        for low, high in [(0, 10), (-5, 5), (np.iinfo(dtype).min, np.iinfo(dtype).max), (3, 3)]:
            bounds = np.array(low, dtype), np.array(high, dtype)
            name = f"{np.dtype(dtype).name} {low} {high}"
            w.case("StatelessRandomUniformInt", i32(5), i32(8, 9), *bounds, name=name)
            w.case("StatelessRandomUniformIntV2", i32(5), u64(8), u64(9, 1), np.int32(1), *bounds, name=name)
        w.case("StatelessRandomUniformInt", i32(0), i32(8, 9), np.array(3, dtype), np.array(3, dtype), name="nothing")
        w.case("StatelessRandomUniformInt", i32(2), i32(8, 9), np.array([3], dtype), np.array(4, dtype), name="a vector")
        w.case("StatelessRandomUniformIntV2", i32(2), u64(8), u64(9, 1), np.int32(7), np.array(3, dtype),
               np.array(4, dtype), name="algorithm 7")
    for dtype in [tf.int32, tf.int64, tf.uint32, tf.uint64]:
        for seed in SEEDS[1:]:
            w.case("StatelessRandomUniformFullInt", i32(5), np.array(seed), name=f"{dtype.name} {seed}", dtype=dtype)
        for key, counter in KEYS:
            w.case("StatelessRandomUniformFullIntV2", i32(5), u64(*key), u64(*counter), np.int32(1), dtype=dtype,
                   name=f"{dtype.name} {key}")
    for op in ["StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg"]:
        for dtype in [np.int32, np.int64]:
            for seed in [(0, 0), (1, 2), (-1, 5), (1 << 30, 7)]:
                w.case(op, np.array(seed, dtype), name=f"{np.dtype(dtype).name} {seed}")
        w.case(op, i32(1), name="one seed")
        w.case(op, i32(1, 2, 3), name="three seeds")


def samples(w):
    """Distributions with parameters."""
    alphas = [0.01, 0.3, 1, 1.5, 10, 1000]
    rates = [0, 0.5, 3, 9.99, 10, 1000, INF, -1]
    for dtype in ["float16", "float32", "float64"]:
        w.case("RandomGamma", i32(2), tensor(alphas, dtype), seed=1, seed2=2, ulps=2)
        w.case("StatelessRandomGammaV2", i32(2, 6), i32(1, 2), tensor(alphas, dtype), ulps=2)
        w.case("StatelessRandomGammaV3", i32(2, 6), u64(1), u64(2, 3), np.int32(1), tensor(alphas, dtype), ulps=2)
        for out in [tf.float16, tf.float32, tf.float64, tf.int32, tf.int64]:
            w.case("RandomPoissonV2", i32(2), tensor(rates, dtype), seed=1, seed2=2, dtype=out, name=f"{dtype} {out.name}")
    for dtype in ["int32", "int64"]:
        w.case("RandomPoissonV2", i32(3), tensor([0, 4, 100], dtype), seed=1, seed2=2, dtype=tf.int32)
        w.case("StatelessRandomPoisson", i32(3, 3), i32(1, 2), tensor([0, 4, 100], dtype), dtype=tf.int32)
    for size in [1, 5]:
        alpha = np.linspace(0.2, 6, size)
        w.case("RandomGamma", i32(2, 2), alpha, seed=-9, seed2=1 << 40, ulps=2)
        w.case("StatelessRandomGammaV2", i32(2, size), i32(-9, 7), alpha, ulps=2)
        w.case("StatelessRandomGammaV3", i32(2, size), u64(1 << 63), u64(7, 8), np.int32(3), alpha, ulps=2)
        w.case("StatelessRandomPoisson", i32(2, size), i32(-9, 7), alpha, dtype=tf.float32)
        w.case("StatelessRandomPoisson", i32(2, size), i32(-9, 7, 1), alpha, dtype=tf.float32, name=f"three seeds {size}")
    for op in ["RandomGamma", "RandomPoissonV2"]:
        for shape, parameters in [((), ()), ((2, 2), (1, 2)), ((0,), (2,)), ((2,), (0,)), ((3,), ())]:
            w.case(op, i32(*shape), np.full(parameters, 2.5), seed=3, seed2=4, name=f"{shape} {parameters}", ulps=2)
        w.case(op, i32(-1), np.full((2,), 2.5), seed=3, seed2=4, name="negative size")
    for shape, parameters in [((), ()), ((2, 2), (1, 2)), ((0,), (2,)), ((2,), (2,)), ((3,), ()), ((3,), (2,))]:
        name = f"{shape} {parameters}"
        w.case("StatelessRandomGammaV2", i32(*shape), i32(3, 4), np.full(parameters, 2.5), name=name, ulps=2)
        w.case("StatelessRandomGammaV3", i32(*shape), u64(3), u64(4, 5), np.int32(3), np.full(parameters, 2.5), name=name,
               ulps=2)
        w.case("StatelessRandomPoisson", i32(*shape), i32(3, 4), np.full(parameters, 2.5), name=name, dtype=tf.int64)
    for dtype in ["float32", "float64"]:
        # TensorFlow computes float32 in float32, where its sums lose a few bits.
        ulps = 64 if dtype == "float32" else 16
        for alpha in [0.1, 1, 7.5, 200]:
            w.case("RandomGammaGrad", tensor(alpha, dtype), tensor([0, .1, .9, 1.5, 7, 30], dtype), ulps=ulps,
                   name=f"{dtype} {alpha}")
        w.case("RandomGammaGrad", tensor([[1], [2]], dtype), tensor([1, -1, INF * 0], dtype), ulps=ulps)
        w.case("RandomGammaGrad", tensor([0, -1], dtype), tensor([1, 1], dtype))


def classes(w):
    """Multinomial and its stateless form."""
    logits = [[0, 1, 2, 3], [5, -INF, 5, -INF], [-INF, -INF, -INF, -INF], [float("nan"), 0, INF, 1]]

    def both(logits, num, name, **attrs):
        w.case("Multinomial", logits, num, seed=1, seed2=2, name=name, **attrs)
        w.case("StatelessMultinomial", logits, num, i32(1, 2), name=name, **attrs)
    for dtype in ["bfloat16", "float16", "float32", "float64"]:
        for out in [tf.int32, tf.int64]:
            both(tensor(logits, dtype), np.int32(5), f"{dtype} {out.name}", output_dtype=out)
    both(np.zeros((3, 1)), np.int32(3), "one class")
    both(np.zeros((0, 2)), np.int32(3), "no rows")
    both(np.zeros((2, 2)), np.int32(0), "no samples")
    both(np.zeros((2, 0)), np.int32(2), "no classes")
    both(np.zeros((2, 2)), np.int32(-1), "negative samples")
    both(np.zeros((2,)), np.int32(2), "a vector")
    both(np.zeros((2, 2)), i32(2), "a vector of counts")


def write(w):
    stateless(w)
    stateless_integers(w)
    samples(w)
    classes(w)
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
    for dtype in ["bool", "uint8", "float16", "complex64"]:
        w.case("RandomShuffle", tensor([[0, 1], [1, 1], [1, 0]], dtype), seed=2, seed2=0)
    w.case("RandomShuffle", tensor(3.5), seed=2, seed2=0)
