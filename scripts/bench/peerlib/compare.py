"""One case, both systems, turn about."""
import dataclasses
import statistics

import numpy

from peerlib import null_graphs
from peerlib.dfrun_peer import DfrunPeer
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
    ratio: float  # the median over the rounds of value / peer_value
    ratio_min: float
    ratio_max: float
    aim: float

    @property
    def reached(self):
        return self.ratio >= self.aim if self.unit == "Mops/s" else self.ratio <= self.aim


def check_losses(case, ours, peer):
    got, expected = ours.losses(CHECKED_STEPS), peer.losses(CHECKED_STEPS)
    if not numpy.allclose(got, expected, rtol=LOSS_TOLERANCE):
        raise RuntimeError(f"{case.name}: the losses differ, so there is nothing to compare: {got} and {expected}")


def summary(name, rounds, unit, aim):
    """rounds: (value, peer_value) a round."""
    ratios = [value / peer for value, peer in rounds]
    return Result(name, statistics.median(v for v, _ in rounds), statistics.median(p for _, p in rounds), unit,
                  statistics.median(ratios), min(ratios), max(ratios), aim)


def compare(case, threads, program, work, rounds):
    model = case.make()
    name = f"{case.name}/threads-{threads}"
    ours = DfrunPeer(program, model, threads, work / name.replace("/", "_"))
    with TensorFlowPeer(model, threads) as peer, TensorFlowPeer(null_graphs.empty_step(), threads) as empty:
        if model.loss:
            check_losses(case, ours, peer)
        measured = []
        for _ in range(rounds):
            # TensorFlow's cost of calling a step at all is not dispatch: the figure for null ops leaves it out.
            call_ms = empty.step_ms(EMPTY_STEPS) if model.nodes and model.nodes > 1 else 0.0
            peer_ms = peer.step_ms(case.steps) - call_ms
            measured.append((ours.step_ms(case.steps), peer_ms))
    if model.nodes and model.nodes > 1:
        rates = [(model.nodes / ms * 1e-3, model.nodes / peer_ms * 1e-3) for ms, peer_ms in measured]
        return summary(name, rates, "Mops/s", case.aim)
    return summary(name, measured, "ms", case.aim)
