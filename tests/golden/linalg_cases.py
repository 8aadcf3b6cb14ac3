"""Decompositions of matrices and what follows from them.

The matrices are well conditioned, so that results are good to a few ulps, and of a size at which TensorFlow's algorithm
is Eigen's unblocked one; signs of factors are part of the cases. Half is computed in half by TensorFlow."""
import numpy as np
import tensorflow as tf

from elementwise_cases import INF, NAN, numbers
from golden import COMPLEX, tensor

DTYPES = ["float32", "float64"] + COMPLEX
BATCHES = [(), (2,), (2, 1), (0,)]


def dominant(dtype, batch, n, seed):
    """Square matrices with a large diagonal."""
    return (numbers(dtype, (*batch, n, n), seed) + 16 * np.eye(n)).astype(tf.as_dtype(dtype).as_numpy_dtype)


def definite(dtype, batch, n, seed):
    """Self-adjoint, positive definite matrices."""
    a = numbers(dtype, (*batch, n, n), seed, -2, 2)
    return (a + np.conj(np.swapaxes(a, -1, -2)) + 10 * np.eye(n) + np.diag(np.arange(n))).astype(a.dtype)


def skewed(dtype, shape, seed):
    """Matrices whose singular values are well apart."""
    a = numbers(dtype, shape, seed, -1, 1)
    for i in range(min(shape[-2:])):
        a[..., i, i] += 3 * (i + 1)
    return a


def triangle(dtype, batch, n, seed, lower=True):
    a = dominant(dtype, batch, n, seed)
    return np.tril(a) if lower else np.triu(a)


def square(w, op, make=dominant, ulps=16, **attrs):
    """What every op on square matrices has in common."""
    for dtype in DTYPES:
        for n in (1, 2, 3, 4):
            w.case(op, make(dtype, (), n, n), ulps=ulps, **attrs)
    for batch in BATCHES:
        w.case(op, make("float32", batch, 2, 5), ulps=ulps, name=f"batch {list(batch)}", **attrs)
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3)]:
        w.case(op, tensor(np.zeros(shape)), name=f"empty {list(shape)}", **attrs)
    for shape in [(), (3,), (2, 3), (2, 3, 2)]:
        w.case(op, numbers("float32", shape, 6), name=f"not square {list(shape)}", **attrs)


def inverses(w):
    square(w, "MatrixInverse")
    for dtype in DTYPES + ["float16"]:
        w.case("MatrixInverse", dominant(dtype, (2,), 2, 7), ulps=16, name=f"{dtype} adjoint", adjoint=True)
    for values in [[[1, 2], [2, 4]], [[0]], [[0, 0], [0, 0]], [[0, 1], [1, 0]], [[INF, 1], [1, 1]], [[NAN, 1], [1, 1]]]:
        for op in ["MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant"]:
            w.case(op, tensor(values), name=f"special {values}", ulps=4)
    square(w, "MatrixDeterminant")
    square(w, "LogMatrixDeterminant")
    for op in ["MatrixDeterminant", "LogMatrixDeterminant"]:
        w.case(op, tensor([[1, 5], [4, 2]]), name="negative", ulps=16)
        w.case(op, tensor([[0, 2, 0], [0, 0, 3], [4, 0, 0]], "float64"), name="permuted", ulps=16)
    w.case("MatrixDeterminant", tensor(np.diag([1e-30, 1e-20, 1e20, 1e30])), name="magnitudes that cancel", ulps=256)


def solutions(w):
    for dtype in DTYPES:
        for n, k in [(1, 1), (2, 1), (3, 2)]:
            for adjoint in (False, True):
                w.case("MatrixSolve", dominant(dtype, (), n, 8), numbers(dtype, (n, k), 9), adjoint=adjoint, ulps=32,
                       name=f"{dtype} {n}x{k} {adjoint}")
                for lower in (False, True):
                    w.case("MatrixTriangularSolve", dominant(dtype, (), n, 10), numbers(dtype, (n, k), 11), lower=lower,
                           adjoint=adjoint, ulps=16, name=f"{dtype} {n}x{k} {lower} {adjoint}")
    for op in ["MatrixSolve", "MatrixTriangularSolve"]:
        for a, b in [((2,), (2,)), ((2, 1), (2, 1)), ((), (2,)), ((2,), ()), ((2,), (1,)), ((2, 1), (3,)), ((0,), (0,)),
                     ((0,), (1,)), ((2,), (3,))]:
            w.case(op, dominant("float32", a, 2, 12), numbers("float32", (*b, 2, 1), 13), ulps=16,
                   name=f"batches {list(a)} {list(b)}")
        for a, b in [((0, 0), (0, 2)), ((2, 2), (2, 0)), ((0, 0), (0, 0)), ((2, 2), (3, 1)), ((2, 3), (2, 1)),
                     ((2, 2), (2,)), ((2,), (2, 1)), ((), ())]:
            w.case(op, numbers("float32", a, 14) + 9 * np.eye(*a, dtype=np.float32) if len(a) == 2 else
                   numbers("float32", a, 14), numbers("float32", b, 15), name=f"{list(a)} {list(b)}", ulps=16)
    w.case("MatrixSolve", tensor([[1, 2], [2, 4]]), tensor([[1], [1]]), name="singular")
    w.case("MatrixTriangularSolve", tensor([[1, 5], [2, 0]]), tensor([[1], [1]]), name="zero on the diagonal")


def factors(w):
    square(w, "Cholesky", definite)
    w.case("Cholesky", tensor([[-1]]), name="negative")
    w.case("Cholesky", tensor([[[4]], [[-4]]]), name="one of two is negative")
    w.case("Cholesky", tensor([[4, 99], [2, 10]]), name="reads the lower triangle", ulps=4)
    for dtype in ["float32", "float64"]:
        for n in (1, 2, 3):
            w.case("CholeskyGrad", triangle(dtype, (), n, 16), numbers(dtype, (n, n), 17), ulps=64)
        w.case("CholeskyGrad", triangle(dtype, (2,), 2, 18), numbers(dtype, (2, 2, 2), 19), ulps=64)
    for a, b in [((0, 0), (0, 0)), ((3, 3), (2, 3)), ((2, 3), (2, 3)), ((2, 2, 2), (2, 2))]:
        w.case("CholeskyGrad", numbers("float32", a, 20), numbers("float32", b, 20))
    for dtype in DTYPES:
        for full in (False, True):
            for shape in [(1, 1), (2, 2), (3, 2), (2, 3), (4, 1), (2, 3, 3)]:
                w.case("Qr", skewed(dtype, shape, 21), full_matrices=full, ulps=64, name=f"{dtype} {list(shape)} {full}")
            for shape in [(0, 3), (3, 0), (0, 0), (0, 2, 2)]:
                if dtype == "float32":
                    w.case("Qr", tensor(np.zeros(shape)), full_matrices=full, name=f"empty {list(shape)} {full}")
    w.case("Qr", skewed("float16", (3, 2), 21), ulps=64)
    w.case("Qr", tensor([[1, 2], [2, 4]]), name="singular", full_matrices=False, ulps=64)
    w.case("Qr", tensor(np.zeros((2, 3))), name="zeros")
    w.case("Qr", tensor([1, 2]), name="a vector")


def spectra(w):
    for dtype in DTYPES:
        for shape in [(1, 1), (2, 2), (3, 3), (3, 2), (2, 3), (4, 1), (2, 2, 2)]:
            a = skewed(dtype, shape, 22)
            w.case("Svd", a, compute_uv=False, undefined=(1, 2), ulps=16, name=f"values {dtype} {list(shape)}")
            if dtype in COMPLEX:
                continue  # the phases of the vectors are rounding errors
            for full in (False, True):
                # The vectors are good to an ulp of 1, and elements of them small.
                w.case("Svd", a, full_matrices=full, ulps=1024, name=f"{dtype} {list(shape)} {full}")
    for dtype in COMPLEX:
        w.case("Svd", tensor([[1j, 2], [0, 3], [2, 1 - 1j]], dtype)[:, :1], ulps=64, name=f"{dtype} column")
    for shape in [(0, 3), (3, 0), (0, 0), (0, 2, 2)]:
        for full in (False, True):
            w.case("Svd", tensor(np.zeros(shape)), full_matrices=full, name=f"empty {list(shape)} {full}")
    w.case("Svd", tensor([[1, NAN], [NAN, 1]]), name="not finite")
    w.case("Svd", tensor(np.zeros((2, 3))), name="zeros")
    w.case("Svd", tensor([1, 2]), name="a vector")
    for dtype in DTYPES:
        for n in (1, 2, 3, 4):
            w.case("SelfAdjointEigV2", definite(dtype, (), n, 23), compute_v=False, undefined=(1,), ulps=32,
                   name=f"values {dtype} {n}")
            w.case("SelfAdjointEigV2", definite(dtype, (), n, 23), ulps=256, name=f"{dtype} {n}")
    w.case("SelfAdjointEigV2", definite("float64", (2, 1), 2, 24), ulps=256, name="batch")
    w.case("SelfAdjointEigV2", tensor([[1, 99], [2, 1]]), ulps=16, name="reads the lower triangle")
    w.case("SelfAdjointEigV2", tensor([[1, NAN], [NAN, 1]]), name="not finite")
    for shape in [(0, 0), (2, 0, 0), (0, 2, 2), (2, 3), (3,)]:
        w.case("SelfAdjointEigV2", tensor(np.zeros(shape)), name=f"zeros {list(shape)}")


def cofactor_matrix(a):
    """By the determinants of the minors."""
    n = len(a)
    def minor(i, j):
        return np.linalg.det(np.delete(np.delete(a, i, 0), j, 1))
    return np.array([[(-1)**(i + j) * minor(i, j) for j in range(n)] for i in range(n)]).reshape(n, n)


def cofactors(w):
    """An op of dfrun's own."""
    def case(x, name, whole=False):
        wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64).reshape(-1, *x.shape[-2:])
        outputs = np.array([cofactor_matrix(a) for a in wide]).reshape(x.shape)
        outputs = (np.round(outputs) + 0 if whole else outputs).astype(x.dtype)
        w.case("MatrixCofactors", x, outputs=[outputs], ulps=64, name=name)
    for dtype in DTYPES:
        for n in (1, 2, 3, 4, 7):
            case(dominant(dtype, (), n, n), f"{dtype} {n}")
    for batch in BATCHES:
        case(dominant("float32", batch, 2, 5), f"batch {list(batch)}")
    for values in ([[0]], [[1, 2], [2, 4]], [[0, 0], [0, 0]], [[0, 1], [1, 0]], np.diag([0, 2, 3]), np.diag([0, 2, 0]),
                   [[1, 2, 3], [2, 4, 6], [1, 1, 1]], [[1, 2, 3], [2, 4, 6], [3, 6, 9]], [[0, 0, 0], [0, 0, 2], [0, 3, 0]],
                   [[0, 0, 1, 0], [0, 2, 0, 0], [4, 0, 0, 0], [0, 0, 0, 0]], np.zeros((4, 4))):
        for dtype in DTYPES:
            case(tensor(values, dtype), f"singular {dtype} {np.asarray(values).tolist()}", whole=True)
    case(tensor([[1, 1j], [1j, -1]], "complex128"), "singular complex", whole=True)
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3)]:
        w.case("MatrixCofactors", tensor(np.zeros(shape)), outputs=[tensor(np.zeros(shape))], name=f"empty {list(shape)}")
    for shape in [(), (3,), (2, 3), (2, 3, 2)]:
        w.case("MatrixCofactors", numbers("float32", shape, 6), outputs="error", name=f"not square {list(shape)}")


def write(w):
    inverses(w)
    solutions(w)
    factors(w)
    spectra(w)
    cofactors(w)
