"""Figures as a table for readers and as JSON for programs."""
import dataclasses
import json
import statistics

from fabriclib.cases import STREAM_BYTES

FOOTNOTE = """Medians of the rounds. `: best` is dfrun's time by that of the best peer, with its least and its most in a round:
below 1 dfrun is the faster. bare/T are the faster bare calls that dfrun measured itself in its run over T. ucx/*_bw are streams
of messages or of writes and reads one way, many at once, with which the ratio is not taken."""


@dataclasses.dataclass(frozen=True)
class Row:
    bench: str  # "p2p", "all_reduce/2_ranks"
    case: str
    bytes: int
    rounds: dict  # of each side: microseconds, one a round

    def sides(self, prefix):
        return [side for side in self.rounds if side.startswith(prefix)]

    def us(self, side):
        return statistics.median(self.rounds[side])

    def peers(self):
        """Those that do the same as dfrun does: a stream of messages, on the way many at once, does not."""
        return [side for side in self.rounds if not side.startswith("dfrun/") and not is_stream(side)]

    def best(self):
        return min(self.peers(), key=self.us)

    def ratios(self, own, peer):
        """Of times, one a round: below 1 dfrun is the faster."""
        return [mine / other for mine, other in zip(self.rounds[own], self.rounds[peer])]

    def ratio(self, own, peer):
        return statistics.median(self.ratios(own, peer))

    def is_bandwidth(self):
        return self.bench == "p2p" and self.bytes >= STREAM_BYTES

    def figure(self, side):
        return f"{self.bytes * 1e-3 / self.us(side) if self.is_bandwidth() else self.us(side):.4g}"

    def as_json(self):
        own = self.sides("dfrun/")
        others = [side for side in self.rounds if side not in own]
        return {"name": f"{self.bench}/{self.case}", "bytes": self.bytes, "best": self.best(),
                "us": {side: self.us(side) for side in self.rounds}, "rounds_us": self.rounds,
                "ratios": {mine: {other: self.ratio(mine, other) for other in others} for mine in own}}


def is_stream(side):
    return side.startswith("ucx/") and not side.endswith("_lat")


def ratio_cell(row, own):
    ratios = row.ratios(own, row.best())
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def table(rows):
    """The rows of one benchmark, which all have the same sides but for streams."""
    sides = list(dict.fromkeys(side for row in rows for side in row.rounds))
    sides.sort(key=lambda side: (is_stream(side), not side.startswith("dfrun/")))
    own = [side for side in sides if side.startswith("dfrun/")]
    lines = [[rows[0].bench, "unit", *sides, *(f"{side} : best" for side in own), "best"]]
    for row in rows:
        figures = [row.figure(side) if side in row.rounds else "-" for side in sides]
        unit = "GB/s" if row.is_bandwidth() else "us"
        lines.append([row.case, unit, *figures, *(ratio_cell(row, side) for side in own), row.best()])
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths)) for line in lines)


def write_json(path, rows, versions):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"made_by": "scripts/bench/fabric_peers", "versions": versions, "rows": [row.as_json() for row in rows]},
                  file, indent=1)
        file.write("\n")
