"""One case, two builds of dfrun, turn about: what a change costs."""
import dataclasses
import math
import statistics

from peerlib.dfrun_peer import DfrunPeer

HEADER = f"{'case':36} {'before ms':>10} {'now ms':>10} {'ratio':>7} {'(min-max)':>15} {'slower in':>10}"


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    before_ms: float
    now_ms: float
    ratios: list  # a round each, of medians over its steps

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    def line(self):
        spread = f"({min(self.ratios):.2f}-{max(self.ratios):.2f})"
        slower = f"{sum(ratio > 1 for ratio in self.ratios)}/{len(self.ratios)}"
        return f"{self.name:36} {self.before_ms:10.4g} {self.now_ms:10.4g} {self.ratio:7.3f} {spread:>15} {slower:>10}"


def compare(case, threads, before, now, work, rounds):
    model = case.make()
    name = f"{case.name}/threads-{threads}"
    folder = work / name.replace("/", "_")
    sides = (DfrunPeer(before, model, threads, folder / "before"), DfrunPeer(now, model, threads, folder / "now"))
    times = ([], [])
    for turn in range(rounds):
        for side in ((0, 1) if turn % 2 == 0 else (1, 0)):
            times[side].append(sides[side].time_steps(case.steps).median)
    medians = [statistics.median(side) for side in times]
    return Result(name, *medians, [now_ms / before_ms for before_ms, now_ms in zip(*times)])


def geometric_mean(results):
    return math.exp(statistics.fmean(math.log(result.ratio) for result in results))
