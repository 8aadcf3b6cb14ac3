"""Products of matrices and of batches of them."""
from elementwise_cases import INF, NAN, numbers
from golden import COMPLEX, FLOATS, tensor

DTYPES = FLOATS + COMPLEX + ["int32", "int64"]


def write(w):
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
    for m, k, n in [(1, 1, 1), (0, 3, 2), (2, 0, 3), (2, 3, 0), (17, 9, 33)]:
        w.case("MatMul", numbers("float32", (m, k), 7), numbers("float32", (k, n), 8))
        w.case("BatchMatMulV2", numbers("float32", (2, m, k), 7), numbers("float32", (k, n), 8))
    w.case("MatMul", tensor([[1, INF], [NAN, 2]]), tensor([[1, 0], [0, 1]]), name="special values")
    w.case("MatMul", numbers("float32", (2, 3), 9), numbers("float32", (2, 3), 9), name="sizes differ")
    w.case("MatMul", numbers("float32", (3,), 9), numbers("float32", (3, 2), 9), name="rank 1")
    w.case("BatchMatMulV2", numbers("float32", (2, 2, 3), 9), numbers("float32", (3, 3, 2), 9), name="batches differ")
    w.case("BatchMatMulV2", numbers("float32", (0, 2, 3), 9), numbers("float32", (1, 3, 2), 9), name="no matrix")
    w.case("BatchMatMulV2", numbers("float32", (3,), 9), numbers("float32", (3, 2), 9), name="rank 1")
