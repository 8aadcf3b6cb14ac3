"""Gradients, and the gradients of these, where TensorFlow's are not the derivatives: at zeros that it divides by, and of
complex numbers that it does not conjugate. math_cases.py says what a case means; the values come from the ops'
definitions, by numpy alone.

With x complex, the gradient of a function with the derivatives f_k, for dy, is dy * conj(f_k), as in TensorFlow.
"""
import numpy as np

BOTH = ["float64", "complex128"]
RNG = np.random.RandomState(0)


def draw(shape, dtype, low=0.5, high=1.5):
    values = np.round(RNG.uniform(low, high, shape), 3)
    if dtype.startswith("complex"):
        values = values + 1j * np.round(RNG.uniform(-0.4, 0.4, shape), 3)
    return np.array(values, dtype)


def whole(shape, dtype):
    """Small numbers, of which the products here are exact in every dtype."""
    values = RNG.randint(1, 3, shape).astype("complex128" if dtype.startswith("complex") else "float64")
    return values * (1 - 1j) if dtype.startswith("complex") else values


def text_of(tensor, dtype=None):
    def number(v):
        text = repr(float(v)) if tensor.dtype.kind in "fc" else str(int(v))
        return text[:-2] if text.endswith(".0") else text
    tensor = np.asarray(tensor)
    elements = [number(v.real) + ":" + number(v.imag) if tensor.dtype.kind == "c" else number(v)
                for v in tensor.reshape(-1)]
    name = dtype if dtype and tensor.dtype.kind in "fc" else tensor.dtype.name
    return f"{name}[{','.join(map(str, tensor.shape))}] {' '.join(elements)}".rstrip()


class Writer:
    def __init__(self):
        self.blocks = []

    def text(self):
        return "# Written by generate.py; see definition_cases.py.\n\n" + "\n".join(self.blocks)

    def case(self, op, inputs, dy, weights, outputs, dtype=None, **attrs):
        """`weights`: the tensors v; none: without second derivatives. `dtype`: of the case, where numpy computes in a
        wider one."""
        lines = [f"case {op} {len(self.blocks)}"]
        lines += [f"attr {k}={str(v).lower()}" for k, v in attrs.items()]
        lines += ["in " + text_of(v, dtype) for v in [*inputs, dy, *weights]]
        lines += ["out " + text_of(v, dtype) for v in outputs]
        self.blocks.append("\n".join(lines) + "\n")


# ---- Products of some elements of x: y[j] is the product of those whose numbers are in terms[j].

def product_gradients(x, terms, dy, v):
    """The gradient by x, and those of sum(v * it) by x and dy; all flat."""
    def product(numbers):
        return np.prod([x[k] for k in numbers], dtype=x.dtype)
    first, second, by_dy = np.zeros_like(x), np.zeros_like(x), np.zeros_like(dy)
    for j, numbers in enumerate(terms):
        for i in numbers:
            others = [k for k in numbers if k != i]
            first[i] += dy[j] * np.conj(product(others))
            by_dy[j] += v[i] * product(others)
            for k in others:
                second[k] += np.conj(v[i]) * dy[j] * np.conj(product([m for m in others if m != k]))
    return first, second, by_dy


def products(w, op, x, more_inputs, y_shape, terms, dtype=None, **attrs):
    dy, v = (whole(s, dtype) if dtype else draw(s, x.dtype.name) for s in (y_shape, x.shape))
    first, second, by_dy = product_gradients(x.reshape(-1), terms, dy.reshape(-1), v.reshape(-1))
    outputs = [first.reshape(x.shape), second.reshape(x.shape), by_dy.reshape(y_shape)]
    w.case(op, [x, *more_inputs], dy, [v], outputs, dtype, **attrs)


def zeros_in(x, numbers):
    x = x.copy()
    x.reshape(-1)[numbers] = 0
    return x


def cumulative_terms(shape, axis, exclusive, reverse):
    """The numbers of the elements up to each along the axis."""
    numbers = np.moveaxis(np.arange(np.prod(shape)).reshape(shape), axis, -1)
    terms = np.empty(int(np.prod(shape)), object)
    for line in numbers.reshape(-1, max(1, shape[axis])):
        line = line[::-1] if reverse else line
        for i, at in enumerate(line):
            terms[at] = list(line[:i] if exclusive else line[:i + 1])
    return terms


def cumulative_products(w):
    zeros = [[], [0], [2], [4], [0, 3], [1, 2, 4], [0, 1, 2, 3, 4]]
    for dtype in BOTH:
        for exclusive in False, True:
            for reverse in False, True:
                for numbers in zeros:
                    x = zeros_in(draw(5, dtype), numbers)
                    products(w, "Cumprod", x, [np.int32(0)], (5,), cumulative_terms((5,), 0, exclusive, reverse),
                             exclusive=exclusive, reverse=reverse)
                for axis in 0, 1, -1:
                    x = zeros_in(draw((2, 3, 2), dtype), [0, 3, 5, 10])
                    products(w, "Cumprod", x, [np.int64(axis)], x.shape,
                             cumulative_terms(x.shape, axis, exclusive, reverse), exclusive=exclusive, reverse=reverse)
    for shape, axis in ((0,), 0), ((2, 0), 1), ((2, 0), 0), ((1, 3), 0):
        products(w, "Cumprod", draw(shape, "float64"), [np.int32(axis)], shape, cumulative_terms(shape, axis, False, False))


def reduced_products(w):
    for dtype in BOTH:
        for numbers in [], [1], [0, 3], [0, 1, 2, 3]:
            products(w, "Prod", zeros_in(draw(4, dtype), numbers), [np.array([0], np.int32)], (), [[0, 1, 2, 3]])
        x = zeros_in(draw((2, 3), dtype), [1, 3, 4])
        products(w, "Prod", x, [np.array([1], np.int32)], (2, 1), [[0, 1, 2], [3, 4, 5]], keep_dims=True)
        products(w, "Prod", x, [np.array([-2], np.int32)], (3,), [[0, 3], [1, 4], [2, 5]])
    products(w, "Prod", draw((0, 2), "float64"), [np.array([0], np.int32)], (2,), [[], []])


def segment_terms(ids, width, segments):
    """The numbers of the elements of each column of each segment's rows."""
    return [[k * width + c for k in np.flatnonzero(np.reshape(ids, -1) == s)] for s in range(segments) for c in range(width)]


def segment_products(w):
    ids, unsorted = np.array([0, 0, 1, 3, 3, 3], np.int32), np.array([2, 0, -1, 2, 0, 2], np.int64)
    for dtype in BOTH:
        for numbers in [], [0], [2, 6], [0, 1, 2, 3], [6, 7, 8, 10]:
            x = zeros_in(draw((6, 2), dtype), numbers)
            products(w, "SegmentProd", x, [ids], (4, 2), segment_terms(ids, 2, 4))
            products(w, "UnsortedSegmentProd", x, [unsorted, np.int32(4)], (4, 2), segment_terms(unsorted, 2, 4))
    square = np.array([[1, 0], [0, 0]], np.int32)
    x = zeros_in(draw((2, 2, 2), "float64"), [2, 5])
    products(w, "UnsortedSegmentProd", x, [square, np.int32(2)], (2, 2), segment_terms(square, 2, 2))
    none = np.zeros(0, np.int32)
    products(w, "SegmentProd", draw((0, 2), "float64"), [none], (0, 2), [])
    products(w, "UnsortedSegmentProd", draw((0, 2), "float64"), [none, np.int32(2)], (2, 2), segment_terms(none, 2, 2))


def in_every_dtype(w):
    for dtype in "float16", "bfloat16", "float32", "complex64":
        for exclusive in False, True:
            for reverse in False, True:
                x = zeros_in(whole((2, 4), dtype), [1, 4, 6])
                products(w, "Cumprod", x, [np.int32(1)], x.shape, cumulative_terms(x.shape, 1, exclusive, reverse), dtype,
                         exclusive=exclusive, reverse=reverse)
        x = zeros_in(whole((2, 3), dtype), [1, 3, 4])
        products(w, "Prod", x, [np.array([1], np.int32)], (2,), [[0, 1, 2], [3, 4, 5]], dtype)
        x, ids = zeros_in(whole(5, dtype), [1, 2, 4]), np.array([0, 0, 1, 1, 1], np.int32)
        products(w, "SegmentProd", x, [ids], (2,), segment_terms(ids, 1, 2), dtype)
        products(w, "UnsortedSegmentProd", x, [1 - ids, np.int32(2)], (2,), segment_terms(1 - ids, 1, 2), dtype)


# ---- Functions of two operands with the derivatives `by` = (x, y) and `twice` = (xx, xy, yy).

def binary(w, op, x, y, by, twice=None):
    dtype = np.asarray(x).dtype.name
    dy = draw(x.shape, dtype)
    gradients = [dy * np.conj(d) for d in by]
    if twice is None:
        return w.case(op, [x, y], dy, [], gradients)
    v = [draw(x.shape, dtype) for _ in by]
    of_x = dy * (np.conj(v[0] * twice[0]) + np.conj(v[1] * twice[1]))
    of_y = dy * (np.conj(v[0] * twice[1]) + np.conj(v[1] * twice[2]))
    w.case(op, [x, y], dy, v, [*gradients, of_x, of_y, v[0] * by[0] + v[1] * by[1]])


def operands(w):
    for dtype in BOTH:
        x = zeros_in(draw(4, dtype), [0, 2])
        y = draw(4, dtype)
        none = np.zeros(4, dtype)
        binary(w, "Xlogy", x, y, [np.log(y), x / y], [none, 1 / y, -x / y**2])
        binary(w, "Xlog1py", x, y, [np.log1p(y), x / (1 + y)], [none, 1 / (1 + y), -x / (1 + y)**2])
        binary(w, "Xdivy", x, y, [1 / y, -x / y**2], [none, -1 / y**2, 2 * x / y**3])
        # Where the other factor is infinite TensorFlow says zero.
        binary(w, "Xlogy", none, none, [none, none], [none, none, none])
        binary(w, "Xlog1py", none, none - 1, [none, none], [none, none, none])
        binary(w, "Xdivy", none, none, [none, none], [none, none, none])
        x, y = zeros_in(draw(5, dtype), [0, 1, 2, 3]), np.array([0, 1, 2, 3, 0], dtype)
        by = [np.array([0, 1, 0, 0, 0], dtype), np.array([0, 0, 0, 0, np.log(x[4])], dtype)]
        some = slice(1 if dtype == "complex128" else 0, None)  # complex 0^0 is NaN
        binary(w, "Pow", x[some], y[some], [d[some] for d in by])
    x = np.array([0, 2, -3, 0, 1e-200, -3e200], np.float64)
    y = np.array([2, 0, 0, -4, 2e-200, 1e200], np.float64)
    scale = np.maximum(abs(x), abs(y))
    square = (x / scale)**2 + (y / scale)**2
    binary(w, "Atan2", y, x, [x / scale / square / scale, -y / scale / square / scale])


def complex_operands(w):
    x, y = (draw(4, "complex128") for _ in range(2))
    binary(w, "MulNoNan", zeros_in(x, [1]), zeros_in(y, [2]), [zeros_in(y, [2]), zeros_in(x, [1])],
           [0 * x, 0 * x + 1, 0 * x])
    # |x - y|^2 has no imaginary part, and nothing reaches it.
    dy, v, u = (draw(4, "complex128") for _ in range(3))
    first, along = 2 * dy.real * (x - y), v - u
    second = 2 * dy.real * along
    by_dy = (2 * (np.conj(along) * (x - y)).real).astype("complex128")
    w.case("SquaredDifference", [x, y], dy, [v, u], [first, -first, second, -second, by_dy])


def norms(w):
    """Nothing reaches the imaginary part of a norm."""
    for dtype in BOTH:
        x = zeros_in(draw((2, 3), dtype), [1])
        dy = draw((2,), dtype)
        norm = np.sqrt(np.sum(abs(x)**2, 1))
        w.case("EuclideanNorm", [x, np.array([1], np.int32)], dy, [], [dy.real[:, None] * x / norm[:, None]])


# ---- Determinants.

def determinants(w):
    """By the determinants of what is left without some rows and columns."""
    def without(a, rows, columns):
        return np.linalg.det(np.delete(np.delete(a, rows, 0), columns, 1))

    def cofactors(a):
        n = len(a)
        return np.array([[(-1)**(i + j) * without(a, i, j) for j in range(n)] for i in range(n)], a.dtype)

    def of_cofactors(a, v):
        """The derivative of sum(v * cofactors) by each element."""
        n, out = len(a), np.zeros_like(a)
        for i, j, k, m in np.ndindex(n, n, n, n):
            if i != k and j != m:
                sign = (-1)**(i + j + k + m + (k > i) + (m > j))
                out[k, m] += v[i, j] * sign * without(a, [i, k], [j, m])
        return out
    singular = [np.zeros((1, 1)), np.diag([0.0, 2, 3]), np.array([[1.0, 2], [2, 4]]), np.zeros((3, 3)),
                np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]), np.array([[1, 2j], [2j, -4]])]
    for a in singular:
        for dtype in BOTH if a.dtype.kind == "f" else BOTH[1:]:
            a, dy = a.astype(dtype), draw((), dtype)
            w.case("MatrixDeterminant", [a], dy, [], [dy * np.conj(cofactors(a))])
    for dtype in BOTH:
        a = draw((2, 3, 3), dtype) + 2 * np.eye(3)
        dy, v = draw((2,), dtype), draw(a.shape, dtype)
        first = np.array([cofactors(part) for part in a])
        second = np.array([of_cofactors(part, np.conj(of)) for part, of in zip(np.conj(a), v)])
        w.case("MatrixDeterminant", [a], dy, [v], [dy[:, None, None] * np.conj(first), dy[:, None, None] * second,
                                                  np.sum(v * first, (1, 2))])


def write(w):
    for family in [cumulative_products, reduced_products, segment_products, in_every_dtype, operands, norms, determinants,
                   complex_operands]:
        family(w)
