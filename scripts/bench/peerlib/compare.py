"""One case, both systems, turn about."""
import dataclasses
import statistics

import numpy

from peerlib import null_graphs
from peerlib.dfrun_peer import DfrunPeer
from peerlib.model import StepTime
from peerlib.tensorflow_peer import TensorFlowPeer

CHECKED_STEPS = 5
# The two add products in different orders: about 1e-6 a step relative to the loss, with room for growth over the steps.
LOSS_TOLERANCE = 1e-4
EMPTY_STEPS = 2_000


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    value: float
    peer_value: float
    unit: str
    ratio: float  # the median over the rounds of value / peer_value, each a median over steps
    ratio_min: float
    ratio_max: float
    best_ratio: float  # of the best step that each side had: where it differs much, the machine was not quiet
    aim: float

    @property
    def reached(self):
        return self.ratio >= self.aim if self.unit == "Mops/s" else self.ratio <= self.aim


def check_losses(case, ours, peer):
    got, expected = ours.losses(CHECKED_STEPS), peer.losses(CHECKED_STEPS)
    if not numpy.allclose(got, expected, rtol=LOSS_TOLERANCE):
        raise RuntimeError(f"{case.name}: the losses differ, so there is nothing to compare: {got} and {expected}")


def summary(name, rounds, figure, unit, aim):
    """rounds: (StepTime, peer's StepTime) a round; figure: a step's time in ms -> what is compared."""
    pairs = [(figure(ours.median), figure(peer.median)) for ours, peer in rounds]
    ratios = [value / peer_value for value, peer_value in pairs]
    best = figure(min(ours.best for ours, _ in rounds)) / figure(min(peer.best for _, peer in rounds))
    return Result(name, statistics.median(v for v, _ in pairs), statistics.median(p for _, p in pairs), unit,
                  statistics.median(ratios), min(ratios), max(ratios), best, aim)


def without(call, step):
    """A step's time less what TensorFlow takes to call a step at all, which is not dispatch."""
    return StepTime(step.median - call.median, step.best - call.best)


def compare(case, threads, program, work, rounds):
    model = case.make()
    name = f"{case.name}/threads-{threads}"
    is_dispatch = model.nodes is not None and model.nodes > 1
    ours = DfrunPeer(program, model, threads, work / name.replace("/", "_"))
    with TensorFlowPeer(model, threads) as peer, TensorFlowPeer(null_graphs.empty_step(), threads) as empty:
        if model.loss:
            check_losses(case, ours, peer)
        measured = []
        for _ in range(rounds):
            peer_time = peer.time_steps(case.steps)
            if is_dispatch:
                peer_time = without(empty.time_steps(EMPTY_STEPS), peer_time)
            measured.append((ours.time_steps(case.steps), peer_time))
    if is_dispatch:
        return summary(name, measured, lambda ms: model.nodes / ms * 1e-3, "Mops/s", case.aim)
    return summary(name, measured, lambda ms: ms, "ms", case.aim)
