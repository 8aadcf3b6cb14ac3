"""What is measured: a graph, and how one step of it is run."""
import dataclasses
import time
from typing import Any, Optional

import numpy

WARM_UP_STEPS = 3


@dataclasses.dataclass(frozen=True)
class Model:
    graph: Any  # GraphDef
    target: str  # the node that a step runs
    nodes: Optional[int] = None  # how many nodes a step executes, where dispatch is what counts
    iterations: Optional[int] = None  # of the step's loop, where what one costs is what counts
    init: Optional[str] = None  # the node run once before the first step
    loss: Optional[str] = None  # the output, name:port, by which the two systems are first checked to do the same
    torch: Optional[str] = None  # the function of torch_models that makes the same step in PyTorch
    straight_loops: bool = True  # whether dfrun may run loops as straight lines
    optimize: bool = False  # whether graph rewriting is part of the comparison; it would delete a graph of no-ops


@dataclasses.dataclass(frozen=True)
class StepTime:
    """Of one round, in milliseconds."""
    median: float
    best: float


def time_steps(step, steps):
    """So many calls of `step`, after a few that do not count."""
    for _ in range(WARM_UP_STEPS):
        step()
    times = []
    for _ in range(steps):
        start = time.perf_counter_ns()
        step()
        times.append(time.perf_counter_ns() - start)
    return StepTime(float(numpy.median(times)) * 1e-6, min(times) * 1e-6)
