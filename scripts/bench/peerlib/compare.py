"""One case, all systems, turn about."""
import contextlib
import dataclasses
import statistics
from typing import Optional

import numpy

from peerlib import null_graphs
from peerlib.dfrun_peer import DfrunPeer
from peerlib.model import StepTime
from peerlib.tensorflow_peer import TensorFlowPeer
from peerlib.torch_peer import TorchPeer, has_torch

CHECKED_STEPS = 5
# The two add products in different orders: about 1e-6 a step relative to the loss, with room for growth over the steps.
LOSS_TOLERANCE = 1e-4
EMPTY_STEPS = 2_000


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    value: float
    peer_value: float
    torch_value: Optional[float]
    unit: str
    ratio: float  # the median over the rounds of value / the better peer's, each a median over steps
    ratio_min: float
    ratio_max: float
    best_ratio: float  # of the best step that each side had: where it differs much, the machine was not quiet
    aim: float

    @property
    def is_rate(self):
        return self.unit != "ms"

    @property
    def reached(self):
        return self.ratio >= self.aim if self.is_rate else self.ratio <= self.aim


def check_losses(case, ours, peer):
    got, expected = ours.losses(CHECKED_STEPS), peer.losses(CHECKED_STEPS)
    if not numpy.allclose(got, expected, rtol=LOSS_TOLERANCE):
        raise RuntimeError(f"{case.name}: the losses differ, so there is nothing to compare: {got} and {expected}")


def summary(name, rounds, figure, unit, aim):
    """rounds: (ours, TensorFlow's, PyTorch's or None) a round, each a StepTime; figure: a time in ms -> what is compared."""
    def best(times):
        return min(time.best for time in times)

    ours, tensorflow, torch = zip(*rounds)
    peers = [tensorflow] if None in torch else [tensorflow, torch]
    better = min(peers, key=lambda times: statistics.median(time.median for time in times))
    ratios = [figure(mine.median) / figure(other.median) for mine, other in zip(ours, better)]
    medians = [statistics.median(figure(time.median) for time in times) for times in [ours, *peers]]
    return Result(name, medians[0], medians[1], medians[2] if len(peers) > 1 else None, unit, statistics.median(ratios),
                  min(ratios), max(ratios), figure(best(ours)) / figure(best(better)), aim)


def without(call, step):
    """A step's time less what TensorFlow takes to call a step at all, which is not dispatch."""
    return StepTime(step.median - call.median, step.best - call.best)


def compare(case, threads, program, work, rounds):
    model = case.make()
    name = f"{case.name}/threads-{threads}"
    is_dispatch = model.nodes is not None and model.nodes > 1
    ours = DfrunPeer(program, model, threads, work / name.replace("/", "_"))
    with contextlib.ExitStack() as stack:
        peer = stack.enter_context(TensorFlowPeer(model, threads))
        empty = stack.enter_context(TensorFlowPeer(null_graphs.empty_step(), threads))
        torch = stack.enter_context(TorchPeer(model.torch, threads)) if model.torch and has_torch() else None
        if model.loss:
            check_losses(case, ours, peer)
        measured = []
        for _ in range(rounds):
            peer_time = peer.time_steps(case.steps)
            if is_dispatch:
                peer_time = without(empty.time_steps(EMPTY_STEPS), peer_time)
            torch_time = torch.time_steps(case.steps) if torch else None
            measured.append((ours.time_steps(case.steps), peer_time, torch_time))
    if is_dispatch:
        return summary(name, measured, lambda ms: model.nodes / ms * 1e-3, "Mops/s", case.aim(threads))
    if model.iterations:
        return summary(name, measured, lambda ms: model.iterations / ms * 1e-3, "Miter/s", case.aim(threads))
    return summary(name, measured, lambda ms: ms, "ms", case.aim(threads))
