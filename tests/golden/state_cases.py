"""Variables: assignment, scatters, and the optimisers' updates. Each on refs and on handles."""
import numpy as np
import tensorflow as tf

from golden import COMPLEX, FLOATS, SIGNED, UNSIGNED, Variable, tensor

NUMBERS = FLOATS + COMPLEX + SIGNED + UNSIGNED
GRAD = object()


def values(shape, dtype, low, high, seed):
    x = np.random.default_rng(seed).uniform(low, high, shape)
    if dtype.startswith("complex"):
        x = x + 0.25j * np.random.default_rng(seed + 1).uniform(low, high, shape)
    # Few digits, so that the cases are short.
    return tensor(np.round(x * 64) / 64, dtype)


def gradient(shape, dtype):
    return values(shape, dtype, -1, 1, 7)


class Rule:
    """An update rule. `slots`: the range in which each variable after the first starts; `scalars`: the inputs after the
    variables, with GRAD where the gradient stands. `ulps16`: TensorFlow rounds 16-bit numbers after each operation of an
    update, dfrun once."""

    def __init__(self, name, slots, scalars, attrs=({},), forms="rRsS", dtypes=tuple(FLOATS), ulps16=12):
        self.name, self.slots, self.scalars, self.attrs, self.forms, self.dtypes = name, slots, scalars, attrs, forms, dtypes
        self.ulps16 = ulps16

    def ulps(self, dtype):
        return self.ulps16 if dtype in ("float16", "bfloat16") else 4

    def variables(self, shape, dtype):
        ranges = [(1, 3)] + self.slots
        return [Variable(values(shape, dtype, low, high, 11 + i)) for i, (low, high) in enumerate(ranges)]

    def inputs(self, grad, dtype, indices=None):
        flat = []
        for s in self.scalars:
            if s is GRAD:
                flat += [grad] if indices is None else [grad, indices]
            else:
                flat.append(np.array(s, np.int64) if isinstance(s, int) else tensor(s, dtype))
        return flat


WITH_COMPLEX = tuple(FLOATS + COMPLEX)
REAL = ("float32", "float64")
NESTEROV = ({}, {"use_nesterov": True})
UPDATE_SLOTS = ({}, {"update_slots": False})
LINEAR = ({}, {"multiply_linear_by_lr": True})
POSITIVE = (0.5, 1.5)
RULES = [
    Rule("GradientDescent", [], [0.125, GRAD], forms="rR", dtypes=WITH_COMPLEX),
    Rule("Momentum", [(-1, 1)], [0.125, GRAD, 0.875], NESTEROV, dtypes=WITH_COMPLEX),
    Rule("KerasMomentum", [(-1, 1)], [0.125, GRAD, 0.875], NESTEROV, "RS", WITH_COMPLEX),
    Rule("Adam", [(-1, 1), POSITIVE], [0.875, 0.75, 0.125, 0.875, 0.75, 0.0078125, GRAD], NESTEROV, "rR", WITH_COMPLEX),
    Rule("AdamWithAmsgrad", [(-1, 1), POSITIVE, POSITIVE], [0.875, 0.75, 0.125, 0.875, 0.75, 0.0078125, GRAD], forms="R"),
    Rule("AdaMax", [(-1, 1), POSITIVE], [0.875, 0.03125, 0.875, 0.75, 0.0078125, GRAD], forms="rR"),
    Rule("Adagrad", [POSITIVE], [0.125, GRAD], UPDATE_SLOTS, dtypes=WITH_COMPLEX),
    Rule("AdagradV2", [POSITIVE], [0.125, 0.0078125, GRAD], UPDATE_SLOTS, dtypes=WITH_COMPLEX),
    Rule("AdagradDA", [(-1, 1), POSITIVE], [GRAD, 0.125, 0.0625, 0.03125, 3], dtypes=REAL),
    Rule("Adadelta", [POSITIVE, POSITIVE], [0.125, 0.875, 0.0078125, GRAD], dtypes=WITH_COMPLEX),
    Rule("RMSProp", [POSITIVE, (-1, 1)], [0.125, 0.875, 0.5, 0.0078125, GRAD], dtypes=WITH_COMPLEX),
    Rule("CenteredRMSProp", [(0.25, 0.5), (1, 2), (-1, 1)], [0.125, 0.875, 0.5, 0.0078125, GRAD], dtypes=WITH_COMPLEX),
    Rule("Ftrl", [POSITIVE, (-2, 2)], [GRAD, 0.125, 0.25, 0.125, -0.5], LINEAR, ulps16=48),
    Rule("FtrlV2", [POSITIVE, (-2, 2)], [GRAD, 0.125, 0.25, 0.125, 0.0625, -0.5], LINEAR, ulps16=48),
    Rule("ProximalGradientDescent", [], [0.125, 0.25, 0.5, GRAD], dtypes=REAL),
    Rule("ProximalAdagrad", [POSITIVE], [0.125, 0.25, 0.5, GRAD], dtypes=REAL),
    Rule("AddSign", [(-1, 1)], [0.125, 1.0, 0.5, 0.875, GRAD], forms="rR"),
    Rule("PowerSign", [(-1, 1)], [0.125, 1.0, 0.5, 0.875, GRAD], forms="rR"),
]


def dense_cases(w, op, rule):
    def case(shape, dtype="float32", name=None, **attrs):
        name = name or f"{dtype} {list(shape)}" + "".join(f" {k}" for k in attrs)
        w.case(op, *rule.variables(shape, dtype), *rule.inputs(gradient(shape, dtype), dtype), name=name,
               ulps=rule.ulps(dtype), **attrs)

    for dtype in rule.dtypes:
        for attrs in rule.attrs:
            case((3,), dtype, **attrs)
    for shape in [(), (1,), (0, 2), (2, 1, 2)]:
        case(shape)
    case((2,), use_locking=True)
    shape, dtype = (2,), "float32"
    grad, good = gradient(shape, dtype), rule.variables(shape, dtype)
    w.case(op, *good, *rule.inputs(gradient((3,), dtype), dtype), name="a longer gradient")
    w.case(op, *good, *rule.inputs(gradient((), dtype), dtype), name="a scalar gradient")
    vector = [tensor([1, 2]) if np.ndim(x) == 0 and i == 0 else x for i, x in enumerate(rule.inputs(grad, dtype)[::-1])][::-1]
    if np.ndim(rule.inputs(grad, dtype)[-1]) == 0 and not isinstance(rule.scalars[-1], int):
        w.case(op, *good, *vector, name="a vector for a scalar")
    w.case(op, *([Variable(dtype=dtype, shape=shape)] + good[1:]), *rule.inputs(grad, dtype), name="not initialised",
           error="FailedPrecondition")
    if rule.slots:
        other = rule.variables((3,), dtype)
        w.case(op, *good[:-1], other[-1], *rule.inputs(grad, dtype), name="a longer slot")


def sparse_cases(w, op, rule):
    def case(indices, dtype="float32", rows=(4, 2), name=None, **attrs):
        grad = gradient((len(indices),) + rows[1:], dtype)
        name = name or f"{dtype} {list(indices)}" + "".join(f" {k}" for k in attrs)
        w.case(op, *rule.variables(rows, dtype), *rule.inputs(grad, dtype, np.array(indices, np.int64)), name=name,
               ulps=rule.ulps(dtype), **attrs)

    for dtype in rule.dtypes:
        for attrs in rule.attrs:
            case([2, 0], dtype, **attrs)
    case([1, 3, 1], name="a row twice")
    case([], name="no rows")
    case([1], rows=(2, 0), name="a row without elements")
    case([], rows=(2, 0, 1), name="no rows without elements")
    case([1], rows=(2,), name="rows of a vector")
    case([0, 2], rows=(3, 1, 2), name="3-D")
    case([4], name="beyond the rows")
    case([-1], name="a negative row")
    case([0], use_locking=True)
    dtype = "float32"
    good = rule.variables((3, 2), dtype)
    one = np.array([1], np.int32)
    w.case(op, *good, *rule.inputs(gradient((1, 2), dtype), dtype, one), name="int32 indices", ulps=4)
    w.case(op, *good, *rule.inputs(gradient((2, 2), dtype), dtype, one), name="more rows than indices")
    w.case(op, *good, *rule.inputs(gradient((1, 3), dtype), dtype, one), name="longer rows")
    w.case(op, *good, *rule.inputs(gradient((1, 2), dtype), dtype, np.array([[1]], np.int32)), name="a matrix of indices")
    w.case(op, *([Variable(dtype=dtype, shape=(3, 2))] + good[1:]), *rule.inputs(gradient((1, 2), dtype), dtype, one),
           name="not initialised", error="FailedPrecondition")


def apply_cases(w):
    for rule in RULES:
        for form, prefix, cases in [("r", "Apply", dense_cases), ("R", "ResourceApply", dense_cases),
                                    ("s", "SparseApply", sparse_cases), ("S", "ResourceSparseApply", sparse_cases)]:
            if form in rule.forms:
                cases(w, prefix + rule.name, rule)
    # What the rules' parameters decide.
    v = [Variable(tensor([1, -2, 0.5, 3])), Variable(tensor([0.5, 1, 2, 0.25])), Variable(tensor([1, -1, 0.125, 3]))]
    g = tensor([0.5, -0.25, 0, -1])
    for power in [-0.5, -0.25, -1, 0]:
        w.case("ApplyFtrl", *v, g, tensor(0.125), tensor(0.25), tensor(0), tensor(power), name=f"power {power}", ulps=16)
    for l1, l2 in [(0, 0), (0, 0.5), (4, 0), (100, 1)]:
        w.case("ApplyFtrl", *v, g, tensor(0.125), tensor(l1), tensor(l2), tensor(-0.5), name=f"l1 {l1} l2 {l2}", ulps=8)
        w.case("ApplyProximalGradientDescent", v[0], tensor(0.125), tensor(l1), tensor(l2), g, name=f"l1 {l1} l2 {l2}", ulps=4)
        w.case("ApplyProximalAdagrad", v[0], v[1], tensor(0.125), tensor(l1), tensor(l2), g, name=f"l1 {l1} l2 {l2}", ulps=4)
        w.case("ApplyAdagradDA", v[0], v[2], v[1], g, tensor(0.125), tensor(l1), tensor(l2), np.array(2, np.int64),
               name=f"l1 {l1} l2 {l2}", ulps=4)
    one = np.array([1], np.int64)
    rows = [Variable(tensor([[1, -2], [0.5, 3]])), Variable(tensor([[0.5, 1], [2, 0.25]])), Variable(tensor([[1, -1], [0.125, 3]]))]
    for lr, l1, l2, power in [(0, 0.25, 0.5, -0.5), (-1, 0.25, 0.5, -0.5), (0.125, -1, 0.5, -0.5), (0.125, 0.25, -1, -0.5),
                              (0.125, 0.25, 0.5, 1)]:
        name = f"lr {lr} l1 {l1} l2 {l2} power {power}"
        scalars = [tensor(lr), tensor(l1), tensor(l2)]
        if power < 0:
            w.case("ApplyProximalAdagrad", v[0], v[1], *scalars, g, name=name, ulps=4)
            w.case("ResourceSparseApplyProximalAdagrad", rows[0], rows[1], *scalars, g[None, :2], one, name=name, ulps=4)
        w.case("ApplyFtrl", *v, g, *scalars, tensor(power), name=name, ulps=16)
        for multiply in [False, True]:
            w.case("SparseApplyFtrl", *rows, g[None, :2], one, *scalars, tensor(power), name=f"{name} {multiply}", ulps=16,
                   multiply_linear_by_lr=multiply)
    w.case("SparseApplyFtrlV2", *rows, g[None, :2], one, tensor(0.125), tensor(0.25), tensor(0.5), tensor(-1), tensor(-0.5),
           name="l2_shrinkage -1")


def assign_cases(w):
    x = np.array([[1, 2, 3], [4, 5, 6]])
    for dtype in NUMBERS:
        for op in ["AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"]:
            w.case(op, Variable(tensor(x + 7, dtype)), tensor(x, dtype))
    for dtype in NUMBERS + ["bool", "string"]:
        y = np.array([["a", "b b"]], object) if dtype == "string" else tensor(x, dtype)
        z = np.array([["", "x"]], object) if dtype == "string" else tensor(x + 1, dtype)
        for op in ["Assign", "AssignVariableOp"]:
            w.case(op, Variable(y), z)
        w.case("ReadVariableOp", Variable(y), dtype=tf.as_dtype(dtype))
    for op in ["Assign", "AssignVariableOp", "AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"]:
        for shape in [(), (0,), (1, 1, 2)]:
            w.case(op, Variable(tensor(np.ones(shape))), tensor(np.full(shape, 3)))
        if op == "AssignVariableOp":  # refused where the handle's shape is known, done where it is not
            continue
        w.case(op, Variable(tensor([1, 2])), tensor([1, 2, 3]), name="another shape")
        w.case(op, Variable(tensor([1, 2])), tensor(1), name="a scalar")
        if op != "Assign":
            w.case(op, Variable(dtype="float32"), tensor([1, 2]), name="not initialised", error="FailedPrecondition")
    for op in ["Assign", "AssignVariableOp"]:
        w.case(op, Variable(dtype="float32"), tensor([1, 2]), name="the first value")
    w.case("Assign", Variable(tensor([1, 2])), tensor([3]), name="another shape, allowed", validate_shape=False)
    w.case("ReadVariableOp", Variable(dtype="float32"), name="not initialised", error="FailedPrecondition", dtype=tf.float32)
    w.case("ReadVariableOp", Variable(tensor([1])), name="another dtype", dtype=tf.int32)
    for shape in [(), (3,), (2, 0), (1, 2, 3, 4, 5)]:
        for out_type in [tf.int32, tf.int64]:
            w.case("VariableShape", Variable(np.zeros(shape, np.int8)), name=f"{list(shape)} {out_type.name}", out_type=out_type)
        w.case("IsVariableInitialized", Variable(np.zeros(shape, np.int8)))
        w.case("VarIsInitializedOp", Variable(np.zeros(shape, np.int8)))
    for dtype in ["float32", "float64", "int32", "int64", "bool", "string"]:
        x = np.array(["a"], object) if dtype == "string" else tensor([1], dtype)
        w.case("DestroyResourceOp", Variable(x))
        w.case("DestroyResourceOp", Variable(x), name=f"{dtype} must be there", ignore_lookup_error=False)
    w.case("VariableShape", Variable(dtype="int8"), name="not initialised", error="FailedPrecondition")
    for dtype in ["float32", "float64", "int32", "int64", "bool", "string"]:
        w.case("VariableShape", Variable(np.array(["a"], object) if dtype == "string" else tensor([1], dtype)))
        w.case("IsVariableInitialized", Variable(dtype=dtype), name=f"{dtype} no")
        w.case("VarIsInitializedOp", Variable(dtype=dtype), name=f"{dtype} no")


def scatter_cases(w):
    rows = np.arange(1, 7).reshape(3, 2)
    for name in ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"]:
        for op in ["Scatter" + name, "ResourceScatter" + name]:
            dtypes = NUMBERS + (["bool", "string"] if name == "Update" else [])
            if name in ("Min", "Max"):
                dtypes = [d for d in dtypes if d not in COMPLEX]
                if op.startswith("Scatter"):
                    dtypes = FLOATS + ["int32", "int64"]
            for dtype in dtypes:
                def of(x):
                    return np.array([[f"s{v}" for v in row] for row in x], object) if dtype == "string" else tensor(x, dtype)
                w.case(op, Variable(of(rows)), np.array([2, 0], np.int32), of(np.array([[2, 1], [1, 2]])), ulps=1)
            v = Variable(tensor(rows))
            row = tensor([[2, 4]])
            w.case(op, v, np.array([1, 1, 0], np.int64), tensor([[2, 4], [4, 2], [1, 8]]), name="a row twice", ulps=1)
            w.case(op, v, np.array(1, np.int32), tensor([2, 4]), name="one row", ulps=1)
            w.case(op, v, np.array([2, 1], np.int32), tensor(3), name="a scalar update", ulps=1)
            w.case(op, v, np.array([[0], [2]], np.int32), tensor([[[2, 4]], [[4, 2]]]), name="a matrix of rows", ulps=1)
            w.case(op, v, np.array([], np.int32), tensor(np.zeros((0, 2))), name="no rows")
            w.case(op, v, np.array([3], np.int32), row, name="beyond the rows")
            w.case(op, v, np.array([-1], np.int64), row, name="a negative row")
            w.case(op, v, np.array([0, 1], np.int32), row, name="few updates")
            w.case(op, v, np.array([0], np.int32), tensor([[1, 2, 3]]), name="longer rows")
            w.case(op, Variable(tensor(1)), np.array([0], np.int32), tensor([1]), name="a scalar variable")
            w.case(op, Variable(tensor(np.zeros((0, 2)))), np.array([0], np.int32), row, name="a variable without rows")
            w.case(op, Variable(tensor(np.ones((2, 1, 2)))), np.array([1], np.int32), tensor([[[5, 6]]]), name="3-D", ulps=1)
            w.case(op, Variable(dtype="float32", shape=(3, 2)), np.array([0], np.int32), row, name="not initialised",
                   error="FailedPrecondition")


def scatter_nd_cases(w):
    cube = np.arange(1, 13).reshape(2, 3, 2)
    for name in ["Update", "Add", "Sub", "Min", "Max"]:
        for op in ["ScatterNd" + name, "ResourceScatterNd" + name]:
            dtypes = NUMBERS + (["bool"] if name in ("Update", "Add", "Sub") and not (
                op.startswith("Scatter") and name != "Update") else [])
            for dtype in [d for d in dtypes if name not in ("Min", "Max") or d not in COMPLEX]:
                w.case(op, Variable(tensor(rows_of(cube), dtype)), np.array([[2], [0]], np.int32),
                       tensor([[2, 1], [1, 0]], dtype))
            if name == "Update":
                w.case(op, Variable(np.array(["a", "b"], object)), np.array([[1]], np.int64), np.array(["c"], object))
            v = Variable(tensor(cube))
            w.case(op, v, np.array([[1, 2], [0, 0]], np.int64), tensor([[20, 0], [-5, 7]]), name="two coordinates")
            w.case(op, v, np.array([[1, 2, 1], [0, 0, 0]], np.int32), tensor([20, -5]), name="elements")
            w.case(op, v, np.array([[0, 1], [0, 1]], np.int32), tensor([[2, 3], [4, 5]]), name="a slice twice")
            w.case(op, v, np.array([1], np.int32), tensor(np.full((3, 2), 5)), name="one slice")
            w.case(op, v, np.array([[[1], [0]]], np.int32), tensor(np.full((1, 2, 3, 2), 5)), name="a matrix of slices")
            w.case(op, v, np.zeros((0, 2), np.int32), tensor(np.zeros((0, 2))), name="no slices")
            w.case(op, v, np.zeros((0, 0), np.int32), tensor(np.zeros((0, 2, 3, 2))), name="no slices of no coordinates")
            w.case(op, v, np.zeros((1, 0), np.int32), tensor(cube[None]), name="no coordinates")
            w.case(op, Variable(tensor(np.zeros((2, 0)))), np.array([[1]], np.int32), tensor(np.zeros((1, 0))), name="no elements")
            w.case(op, v, np.array([[2, 0]], np.int32), tensor([[1, 1]]), name="beyond the shape")
            w.case(op, v, np.array([[0, -1]], np.int32), tensor([[1, 1]]), name="a negative coordinate")
            w.case(op, v, np.array([[0, 0, 0, 0]], np.int32), tensor([1]), name="too many coordinates")
            w.case(op, v, np.array([[0, 0]], np.int32), tensor([[1, 1, 1]]), name="longer slices")
            w.case(op, v, np.array([[0, 0]], np.int32), tensor(1), name="a scalar update")
            w.case(op, Variable(dtype="float32"), np.array([[0]], np.int32), tensor([1]), name="not initialised",
                   error="FailedPrecondition")


def rows_of(cube):
    return cube.reshape(-1, cube.shape[-1])


def gather_cases(w):
    rows = np.arange(1, 7).reshape(3, 2)
    for dtype in NUMBERS + ["bool", "string"]:
        x = np.array([["a", "b"], ["c", "d"], ["e", "f"]], object) if dtype == "string" else tensor(rows, dtype)
        w.case("ResourceGather", Variable(x), np.array([2, 0, 2], np.int32), dtype=tf.as_dtype(dtype))
        w.case("ResourceGatherNd", Variable(x), np.array([[2, 0], [0, 1]], np.int32), dtype=tf.as_dtype(dtype))
    v = Variable(tensor(np.arange(12).reshape(2, 3, 2)))
    for indices in [1, [[1, 0], [0, 0]], [], [2], [-1]]:
        w.case("ResourceGather", v, np.array(indices, np.int64), name=str(indices), dtype=tf.float32)
    for indices, batch_dims in [([[0, 2], [1, 1]], 1), ([[0], [3]], 1), ([0, 2], 1),
                                ([[0, 1, 1], [1, 0, 1]], 2), ([[0, 2], [1, 1]], -1), ([[0, 2], [1, 1]], 3)]:
        w.case("ResourceGather", v, np.array(indices, np.int32), name=f"{indices} batch_dims {batch_dims}",
               batch_dims=batch_dims, dtype=tf.float32)
    for indices in [[[1, 2], [0, 0]], [[1, 2, 1]], [1], [[]], [[2, 0]], [[0, -1]], [[0, 0, 0, 0]]]:
        w.case("ResourceGatherNd", v, np.array(indices, np.int64), name=str(indices), dtype=tf.float32)
    w.case("ResourceGatherNd", v, np.array(0, np.int64), name="a scalar", dtype=tf.float32)
    w.case("ResourceGatherNd", Variable(tensor(1.5)), np.zeros((2, 0), np.int32), name="of a scalar", dtype=tf.float32)
    none = Variable(tensor(np.zeros((2, 0, 3))))
    for indices in [np.zeros((0, 1)), np.zeros((1, 1)), np.zeros((1, 0)), np.zeros((0, 3))]:
        w.case("ResourceGatherNd", none, indices.astype(np.int32), name=f"no elements {list(indices.shape)}", dtype=tf.float32)


def slice_cases(w):
    x = np.arange(24).reshape(2, 3, 4)
    for op in ["StridedSliceAssign", "ResourceStridedSliceAssign"]:
        def case(begin, end, strides, shape, name=None, dtype="float32", value=None, **masks):
            value = tensor(np.arange(100, 100 + int(np.prod(shape))).reshape(shape), dtype) if value is None else value
            w.case(op, Variable(tensor(x, dtype)), np.array(begin, np.int32), np.array(end, np.int32), np.array(strides, np.int32),
                   value, name=name or f"{dtype} {begin} {end} {strides}" + "".join(f" {k}={v}" for k, v in masks.items()), **masks)

        for dtype in NUMBERS:
            case([0, 1, 0], [1, 3, 4], [1, 1, 2], (1, 2, 2), dtype=dtype)
        case([1, 2, 3], [0, 0, 0], [-1, -1, -1], (1, 2, 3))
        case([0], [0], [1], (2, 3, 4), begin_mask=1, end_mask=1)
        case([1], [0], [1], (3, 4), shrink_axis_mask=1)
        case([0, -1], [0, 0], [1, 1], (2, 3), ellipsis_mask=1, shrink_axis_mask=2)
        case([0, 0], [0, 1], [1, 1], (1, 1, 3, 4), new_axis_mask=1)
        case([0, 0, 0], [0, 3, 4], [1, 1, 1], (0, 3, 4))
        case([1, 2, 3], [2, 3, 4], [1, 1, 1], (), shrink_axis_mask=7)
        case([0], [2], [1], (2, 3), name="another shape")
        case([0], [1], [1], (), name="a scalar")
        case([0], [1], [0], (1, 3, 4), name="no stride")
        case([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], (1, 1, 1, 1), name="too many dimensions")
        case([2], [0], [1], (3, 4), name="out of range", shrink_axis_mask=1)
        w.case(op, Variable(np.array(["a", "b", "c"], object)), np.array([0], np.int64), np.array([3], np.int64),
               np.array([2], np.int64), np.array(["x", "y"], object), name="strings")
        w.case(op, Variable(dtype="float32"), np.array([0], np.int32), np.array([2], np.int32), np.array([1], np.int32),
               tensor([1, 2]), name="not initialised", error="FailedPrecondition")


def counter_cases(w):
    for op in ["CountUpTo", "ResourceCountUpTo"]:
        for dtype in ["int32", "int64"]:
            for start, limit in [(0, 3), (2, 3), (-5, 0), (3, 3), (4, 3)]:
                w.case(op, Variable(tensor(start, dtype)), name=f"{dtype} {start} of {limit}", error="OutOfRange", limit=limit,
                       **({"T": tf.as_dtype(dtype)} if op.startswith("R") else {}))
    w.case("CountUpTo", Variable(tensor([1, 2], "int32")), name="a vector", limit=5)
    w.case("CountUpTo", Variable(dtype="int64", shape=()), name="not initialised", error="FailedPrecondition", limit=5)


def slice_broadcast_cases(w):
    x = np.arange(24).reshape(2, 3, 4).astype(np.float32)
    i32 = lambda *values: np.array(values, np.int32)
    for op in ["StridedSliceAssign", "ResourceStridedSliceAssign"]:
        for shape in [(), (1,), (4,), (1, 4), (3, 1), (3, 4), (2, 1, 1), (2, 3, 1), (1, 1, 3, 4), (3,), (2, 2, 3, 4)]:
            value = np.arange(100, 100 + int(np.prod(shape))).reshape(shape).astype(np.float32)
            w.case(op, Variable(x), i32(0), i32(2), i32(1), value, name=f"value {list(shape)}")
            w.case(op, Variable(x), i32(0, 1, 0, 0), i32(2, 0, 0, 3), i32(1, 1, 1, -1), value, name=f"value {list(shape)} into x[0:2,1,newaxis,3::-1]",
                   shrink_axis_mask=2, new_axis_mask=4, begin_mask=8, end_mask=8)
        w.case(op, Variable(x), i32(1), i32(1), i32(1), tensor([1, 2, 3, 4, 5]), name="any value into nothing")


def write(w):
    assign_cases(w)
    apply_cases(w)
    scatter_cases(w)
    scatter_nd_cases(w)
    slice_cases(w)
    gather_cases(w)
    counter_cases(w)
    slice_broadcast_cases(w)
