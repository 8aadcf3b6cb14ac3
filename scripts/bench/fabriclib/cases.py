"""What is measured: the sizes of `dfrun bench p2p` and `dfrun bench collectives`, by the names that their figures have."""
import dataclasses

STREAM_BYTES = 1 << 20  # from here on bandwidth says more than a time, and streams of messages are measured too


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    bytes: int
    count: int  # trips there and back, or sums, of which a peer's time is the mean


P2P = [Case("4B", 4, 4000), Case("8B", 8, 4000), Case("4KiB", 4 << 10, 2000), Case("64KiB", 64 << 10, 800),
       Case("1MiB", 1 << 20, 160), Case("16MiB", 16 << 20, 10)]
ALL_REDUCE = [Case("4B", 4, 500), Case("1KiB", 1 << 10, 500), Case("16KiB", 16 << 10, 200), Case("256KiB", 256 << 10, 40),
              Case("1MiB", 1 << 20, 20), Case("4MiB", 4 << 20, 8), Case("16MiB", 16 << 20, 3), Case("64MiB", 64 << 20, 2)]


@dataclasses.dataclass(frozen=True)
class Effort:
    rounds: int  # turns of all sides
    passes: int  # of each side in a turn, whose median is the turn's figure
    share: int   # a pass makes a count's share-th part

    def of(self, cases):
        return [dataclasses.replace(case, count=max(2, case.count // self.share)) for case in cases]


def effort(rounds, is_small):
    return Effort(1, 1, 50) if is_small else Effort(rounds, 5, 1)
