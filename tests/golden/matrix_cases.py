"""Products of matrices and of batches of them."""
import numpy as np
import tensorflow as tf

from elementwise_cases import INF, NAN, numbers
from golden import COMPLEX, FLOATS, tensor

DTYPES = FLOATS + COMPLEX + ["int32", "int64"]


def sparse(w):
    """Positions in no order, one of them twice, a row without any."""
    def case(name, dtype="float32", at=((2, 1), (0, 0), (2, 1), (1, 2)), sizes=(4, 3), b=(3, 2), indices="int64",
             count=None, **attrs):
        at = np.array(at).reshape(-1, 2) if isinstance(at, tuple) else at
        w.case("SparseTensorDenseMatMul", tensor(at, indices), numbers(dtype, (len(at) if count is None else count,), 18),
               tensor(sizes, "int64"), numbers(dtype, b, 19), name=name, **attrs)
    for dtype in FLOATS + COMPLEX + ["int32"]:
        case(f"{dtype}", dtype)
        case(f"{dtype} int32 positions", dtype, indices="int32")
        case(f"{dtype} adjoint a", dtype, b=(4, 2), adjoint_a=True)
        case(f"{dtype} adjoint b", dtype, b=(2, 3), adjoint_b=True)
        case(f"{dtype} adjoints", dtype, b=(1, 4), adjoint_a=True, adjoint_b=True)
    case("no entries", at=())
    case("no columns", b=(3, 0))
    case("no rows", at=(), sizes=(0, 3))
    case("nothing inside", at=(), sizes=(2, 0), b=(0, 2))
    case("row outside", at=((4, 0),))
    case("column outside", at=((0, 3),))
    case("negative", at=((-1, 0),))
    case("sizes differ", b=(4, 2))
    case("sizes of a cube", sizes=(4, 3, 1))
    case("values missing", count=3)
    case("positions of three", at=np.zeros((2, 3)), count=2)
    case("dense vector", b=(3,))
    case("batch", b=(1, 3, 2))


def many_zeros(w):
    for ta in ["float32", "bfloat16"]:
        for tb in ["float32", "bfloat16"]:
            for transposed in range(4):
                x, y = transposed & 1 != 0, transposed & 2 != 0
                a = numbers(ta, (3, 2) if x else (2, 3), 20) * tensor([[1, 0, 1]] if not x else [[1], [0], [1]], ta)
                w.case("SparseMatMul", a, numbers(tb, (4, 3) if y else (3, 4), 21), transpose_a=x, transpose_b=y,
                       a_is_sparse=transposed % 3 == 0, name=f"{ta} {tb} {int(x)}{int(y)}")
    for a, b in [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (2, 3)), ((3,), (3, 2)), ((1, 2, 3), (3, 2))]:
        w.case("SparseMatMul", numbers("float32", a, 22), numbers("float32", b, 23))


def sparse_nothing(w):
    """Positions are not looked at where nothing is multiplied."""
    at = tensor([[0, 2], [0, 2]], "int64")
    values = numbers("float32", (2,), 18)
    for name, sizes, b, attrs in [("no inner size", (2, 0), (0, 2), {}), ("no columns", (2, 2), (2, 0), {}), ("no rows", (0, 2), (2, 2), {})]:
        w.case("SparseTensorDenseMatMul", at, values, tensor(sizes, "int64"), numbers("float32", b, 19), name=name + ", any positions",
               **attrs)


def write(w):
    sparse(w)
    many_zeros(w)
    for dtype in DTYPES:
        for ta in (False, True):
            for tb in (False, True):
                # Quarters and small integers: every product is exact, so that order and width of the sums do not show.
                a = numbers(dtype, (5, 3) if ta else (3, 5), 1)
                b = numbers(dtype, (4, 5) if tb else (5, 4), 2)
                w.case("MatMul", a, b, name=f"{dtype} {int(ta)}{int(tb)}", transpose_a=ta, transpose_b=tb)
                x = numbers(dtype, (2, 1, 3, 2) if ta else (2, 1, 2, 3), 3)
                y = numbers(dtype, (3, 4, 3) if tb else (3, 3, 4), 4)
                w.case("BatchMatMulV2", x, y, name=f"{dtype} {int(ta)}{int(tb)}", adj_x=ta, adj_y=tb)
        w.case("BatchMatMul", numbers(dtype, (2, 2, 3), 5), numbers(dtype, (2, 3, 1), 6))
    for dtype in DTYPES[:1] + ["float32", "float64"] + COMPLEX + ["int16", "int32", "int64"]:
        for op in ["BatchMatMulV2", "BatchMatMulV3"]:
            w.case(op, numbers(dtype, (2, 3, 2), 11), numbers(dtype, (1, 3, 2), 12), name=f"{dtype} of V3", adj_x=True,
                   **({"Tout": tf.as_dtype(dtype)} if op == "BatchMatMulV3" else {}))
    bytes_ = ["int8", "uint8"]
    pairs = [(x, y, "int32") for x in bytes_ for y in bytes_]
    pairs += [(x, "bfloat16", "bfloat16") for x in bytes_] + [("bfloat16", y, "bfloat16") for y in bytes_]
    for x, y, product in pairs:
        w.case("BatchMatMulV3", numbers(x, (2, 2, 3), 13), numbers(y, (3, 2), 14), name=f"{x} by {y}",
               Tout=tf.as_dtype(product))
        w.case("BatchMatMulV3", numbers(x, (1, 3), 13), numbers(y, (1, 3), 14), name=f"{x} by {y} transposed",
               adj_y=True, Tout=tf.as_dtype(product))
    w.case("BatchMatMulV3", numbers("int8", (2, 0), 15), numbers("int8", (0, 2), 15), name="no terms", Tout=tf.int32)
    w.case("BatchMatMulV3", numbers("int8", (2, 3), 15), numbers("int8", (2, 3), 15), name="sizes differ",
           Tout=tf.int32)
    for op in ["BatchMatMul", "BatchMatMulV2"]:
        w.case(op, numbers("float32", (2, 1, 2), 16), numbers("float32", (1, 2, 3), 17), name="one batch of one")
        w.case(op, numbers("float32", (2, 3, 2), 16), numbers("float32", (3, 2, 3), 17), name="other batches")
    w.case("MatMul", tensor([[2**30, 3]], "int32"), tensor([[4], [5]], "int32"), name="integers wrap")
    for m, k, n in [(1, 1, 1), (0, 3, 2), (2, 0, 3), (2, 3, 0), (17, 9, 33)]:
        w.case("MatMul", numbers("float32", (m, k), 7), numbers("float32", (k, n), 8))
        w.case("BatchMatMulV2", numbers("float32", (2, m, k), 7), numbers("float32", (k, n), 8))
    w.case("MatMul", tensor([[1, INF], [NAN, 2]]), tensor([[1, 0], [0, 1]]), name="special values")
    w.case("MatMul", numbers("float32", (2, 3), 9), numbers("float32", (2, 3), 9), name="sizes differ")
    w.case("MatMul", numbers("float32", (3,), 9), numbers("float32", (3, 2), 9), name="rank 1")
    w.case("BatchMatMulV2", numbers("float32", (2, 2, 3), 9), numbers("float32", (3, 3, 2), 9), name="batches differ")
    w.case("BatchMatMulV2", numbers("float32", (0, 2, 3), 9), numbers("float32", (1, 3, 2), 9), name="no matrix")
    w.case("BatchMatMulV2", numbers("float32", (3,), 9), numbers("float32", (3, 2), 9), name="rank 1")
    sparse_nothing(w)
