"""Recurrent cells and blocks of them, and their gradients."""
import numpy as np

import golden
from elementwise_cases import numbers
from golden import tensor

# (time, batch, inputs, cells)
SIZES = [(2, 2, 3, 2), (2, 1, 1, 1), (1, 3, 2, 3), (3, 2, 1, 1)]


def lstm_inputs(dtype, time, batch, inputs, cells, seed, low=0.1):
    """x, cs_prev, h_prev, w, wci, wcf, wco, b. Positive numbers, so that no sums cancel, unless `low` is negative."""
    lead = (batch,) if time is None else (time, batch)
    shapes = [lead + (inputs,), (batch, cells), (batch, cells), (inputs + cells, 4 * cells)]
    shapes += [(cells,)] * 3 + [(4 * cells,)]
    return [numbers(dtype, shape, seed + i, low, 1) for i, shape in enumerate(shapes)]


def tolerance(dtype, low):
    # In 16 bits TensorFlow rounds after each operation. Where terms of either sign cancel, the sum has few bits left.
    return (16 if dtype == "float16" else 8) * (1 if low > 0 else 64)


def cell(w, dtype, size, name, low=0.1, **attrs):
    _, batch, inputs, cells = size
    given = lstm_inputs(dtype, None, batch, inputs, cells, 1, low)
    w.case("LSTMBlockCell", *given, name=name, ulps=tolerance(dtype, low), **attrs)
    states = golden.run("LSTMBlockCell", given, attrs)[0]
    grads = [numbers(dtype, (batch, cells), seed, low, 1) for seed in (20, 21)]
    w.case("LSTMBlockCellGrad", *given, *states[:6], *grads, name=name, ulps=tolerance(dtype, low),
           use_peephole=attrs.get("use_peephole", False))


def block(w, version, dtype, size, name, steps=None, low=0.1, **attrs):
    time, batch, inputs, cells = size
    given = [np.array(time, np.int64)] + lstm_inputs(dtype, *size, 2, low)
    w.case("BlockLSTM" + version, *given, name=name, ulps=tolerance(dtype, low), **attrs)
    states = golden.run("BlockLSTM" + version, given, attrs)[0]
    grads = [numbers(dtype, (time, batch, cells), seed, low, 1) for seed in (30, 31)]
    if steps is not None:
        given[0] = np.array(steps, np.int64)
    # Sums over the steps.
    w.case("BlockLSTMGrad" + version, *given, *states, *grads, name=name, ulps=4 * tolerance(dtype, low),
           use_peephole=attrs.get("use_peephole", False))


def lstm(w):
    for dtype in ["float32", "float16"]:
        for size in SIZES if dtype == "float32" else SIZES[:1]:
            for peephole in [False, True]:
                name = f"{dtype} {size} {peephole}"
                cell(w, dtype, size, name, use_peephole=peephole)
                block(w, "", dtype, size, name, use_peephole=peephole)
                block(w, "V2", dtype, size, name, use_peephole=peephole)
    for size in SIZES[:2]:
        cell(w, "float32", size, f"either sign {size}", low=-1.0)
        for version in ["", "V2"]:
            block(w, version, "float32", size, f"either sign {size}", low=-1.0, use_peephole=True)
    for clip in [0.1, 0.0, -1.0]:
        cell(w, "float32", SIZES[0], f"clip {clip}", cell_clip=clip, forget_bias=0.5)
        block(w, "", "float32", SIZES[0], f"clip {clip}", cell_clip=clip, forget_bias=2.0, use_peephole=True)
        block(w, "V2", "float32", SIZES[0], f"clip {clip}", cell_clip=clip)
    for version in ["", "V2"]:
        block(w, version, "float32", SIZES[0], "one step of two", steps=1, use_peephole=True)
        block(w, version, "float32", SIZES[0], "no steps", steps=0)


def lstm_errors(w):
    bad = {0: tensor(np.zeros((2, 3, 1))), 1: tensor(np.zeros((1, 2))), 2: tensor(np.zeros((2, 3))),
           3: tensor(np.zeros((5, 4))), 4: tensor(np.zeros((3,))), 7: tensor(np.zeros((7,)))}
    for i, wrong in bad.items():
        given = lstm_inputs("float32", None, 2, 3, 2, 1)
        given[i] = wrong
        # A cell without peepholes takes any.
        w.case("LSTMBlockCell", *given, name=f"wrong input {i}", ulps=tolerance("float32", -1))
        given = lstm_inputs("float32", 1, 2, 3, 2, 1)
        given[i] = wrong if i else tensor(np.zeros((2, 3)))
        for version in ["", "V2"]:
            w.case("BlockLSTM" + version, np.array(1, np.int64), *given, name=f"wrong input {i}")
    given = lstm_inputs("float32", 2, 2, 3, 2, 1)
    states = [tensor(np.zeros((2, 2, 2)))] * 9
    for version in ["", "V2"]:
        w.case("BlockLSTM" + version, np.array([1], np.int64), *given, name="steps are a vector")
        w.case("BlockLSTMGrad" + version, np.array(1, np.int64), *given, *states[:6], tensor(np.zeros((2, 2))),
               *states[:2], name="h has no time", use_peephole=False)


def gru(w):
    for batch, inputs, cells in [(2, 3, 2), (1, 1, 1), (3, 2, 5), (2, 1, 3), (4, 4, 4)]:
        shapes = [(batch, inputs), (batch, cells), (inputs + cells, 2 * cells), (inputs + cells, cells), (2 * cells,),
                  (cells,)]
        for low in [0.1, -1]:
            given = [numbers("float32", shape, 5 * i, low, 1) for i, shape in enumerate(shapes)]
            w.case("GRUBlockCell", *given, name=f"{batch} {inputs} {cells} from {low}", ulps=tolerance("float32", low))
            states = golden.run("GRUBlockCell", given, {})[0]
            w.case("GRUBlockCellGrad", *given, *states[:3], numbers("float32", (batch, cells), 9, low, 1),
                   ulps=4 * tolerance("float32", low), name=f"{batch} {inputs} {cells} from {low}")
    given = [tensor(np.zeros(shape)) for shape in [(2, 3), (2, 2), (5, 4), (5, 2), (4,), (2,)]]
    for i, shape in enumerate([(2, 3, 1), (1, 2), (5, 5), (4, 2), (3,), (1,)]):
        wrong = given[:i] + [tensor(np.zeros(shape))] + given[i + 1:]
        w.case("GRUBlockCell", *wrong, name=f"wrong input {i}")
        w.case("GRUBlockCellGrad", *wrong, *[given[1]] * 4, name=f"wrong input {i}")


def write(w):
    lstm(w)
    lstm_errors(w)
    gru(w)
