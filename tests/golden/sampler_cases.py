"""Candidate samplers: the same seeds give the same candidates."""
import numpy as np


def i64(values):
    return np.array(values, np.int64)


def samplers(w):
    for op in ["UniformCandidateSampler", "LogUniformCandidateSampler", "LearnedUnigramCandidateSampler",
               "ThreadUnsafeUnigramCandidateSampler"]:
        def case(classes, sampled, unique, range_max, name=None, num_true=None, seed=1, seed2=2):
            w.case(op, i64(classes), num_true=num_true or np.shape(classes)[1], num_sampled=sampled, unique=unique,
                   range_max=range_max, seed=seed, seed2=seed2, ulps=4,
                   name=name or f"{np.shape(classes)} {sampled} of {range_max} {unique} {seed} {seed2}")
        for unique in [False, True]:
            for range_max in [8, 10, 1000, 65536]:
                case([[1], [3]], 5, unique, range_max)
            case([[1, 2], [3, 3], [7, 0]], 4, unique, 9)
            case([[0]], 1, unique, 1)
            case(np.zeros((0, 2)), 3, unique, 5)
            case([[4]], 3, unique, 50, seed=-7, seed2=1 << 40)
            case([[4]], 3, unique, 50, seed=0, seed2=5)
        case([[0]], 6, True, 6, name="all of them")
        case([[0]], 6, True, 5, name="more than there are")
        case([[0, 1]], 2, True, 5, num_true=1, name="columns differ")
        case([[5]], 2, True, 5, name="a class beyond the range")
        case([[-1]], 2, True, 5, name="a negative class")
        case(np.zeros((3,)), 2, True, 5, num_true=3, name="a vector")
    w.case("UniformCandidateSampler", i64([[1 << 60]]), num_true=1, num_sampled=4, unique=True, range_max=(1 << 62) + 3,
           seed=1, seed2=2, ulps=4, name="a range beyond 32 bits")
    w.case("LogUniformCandidateSampler", i64([[1 << 40]]), num_true=1, num_sampled=4, unique=True, range_max=(1 << 50) + 3,
           seed=1, seed2=2, ulps=4, name="a range beyond 32 bits")
    for classes, sampled, num_true in [([[1], [3]], 5, 1), ([[0]], 1, 1), ([[1, 2], [2, 1]], 3, 2), (np.zeros((0, 1)), 2, 1),
                                       ([[1], [5]], 5, 1), ([[1, 2]], 3, 1), ([[-1]], 3, 1), ([0, 1], 3, 2)]:
        for unique in [False, True]:
            w.case("AllCandidateSampler", i64(classes), num_true=num_true, num_sampled=sampled, unique=unique,
                   name=f"{np.array(classes).tolist()} {sampled} {unique}")


def hits(w):
    for classes, candidates, num_true in [
            ([[1, 2], [3, 4], [5, 1]], [4, 1, 9, 3], 2), ([[1]], [1], 1), ([[1]], [2], 1), ([[1], [1]], [1, 1, 1], 1),
            ([[1, 1]], [7, 1], 2), (np.zeros((0, 2)), [1, 2], 2), ([[1, 2]], [], 2), ([[-5, 1 << 60]], [1 << 60, -5], 2),
            ([[3], [2], [1], [0]], [0, 1, 2, 3], 1), ([[0, 1, 2]], [2, 0, 2, 0], 3),
            ([[1, 2]], [1], 3), ([1, 2], [1], 2), ([[1, 2]], [[1]], 2)]:
        w.case("ComputeAccidentalHits", i64(classes), i64(candidates), num_true=num_true)


def write(w):
    samplers(w)
    hits(w)
