"""The rows of a file of figures, and whether a row reaches its aim.

A file is CSV with a head. A row is one figure:

  case          what was measured
  setup         the processor, the transport, the other load; which run, where there are several
  threads       of each process
  ranks
  value, unit   dfrun's figure; empty where only the ratio was kept
  peer          what ran beside it in the same run
  peer_value    the peer's figure, of the same unit
  ratio         value by peer_value: of times below 1 is faster, of rates above 1
  aim           a bound of one of them: ratio<=0.9, value>=50, value-peer<=0.5

A number may be a range, 0.37..0.46, of several runs.
"""
import csv
import dataclasses
import re

COLUMNS = ("case", "setup", "threads", "ranks", "value", "unit", "peer", "peer_value", "ratio", "aim")
NUMBER = r"\d+(?:\.\d+)?"
RANGE = re.compile(rf"^({NUMBER})(?:\.\.({NUMBER}))?$")
AIM = re.compile(rf"^(ratio|value|value-peer)(<=|>=)({NUMBER})$")


@dataclasses.dataclass
class Row:
    case: str
    setup: str = ""
    threads: str = ""
    ranks: str = ""
    value: str = ""
    unit: str = ""
    peer: str = ""
    peer_value: str = ""
    ratio: str = ""
    aim: str = ""

    def key(self):
        """What a new measurement of the same replaces."""
        return self.case, self.setup, self.threads, self.ranks, self.peer

    def faults(self):
        """What is wrong with the row, a text each."""
        for name in ("value", "peer_value", "ratio"):
            text = getattr(self, name)
            if text and (not RANGE.match(text) or bounds(text)[0] > bounds(text)[1]):
                yield f"{name} is '{text}', not a number or a range like 0.37..0.46"
        for name in ("threads", "ranks"):
            if not re.fullmatch(r"\d*", getattr(self, name)):
                yield f"{name} is '{getattr(self, name)}', not a whole number"
        if not self.case:
            yield "case is empty"
        if not (self.value or self.ratio or self.peer_value):
            yield "there is no figure"
        if self.value and not self.unit:
            yield "the value has no unit"
        if self.aim and not AIM.match(self.aim):
            yield f"aim is '{self.aim}', not ratio<=N, value>=N or value-peer<=N"
        elif self.aim and self.aimed_at() is None:
            yield f"the aim is {self.aim}, and the figure that it bounds is missing"

    def aimed_at(self):
        """(least, most) of the figure that the aim bounds; None where it is missing."""
        what = AIM.match(self.aim)[1]
        if what == "value-peer":
            if not (self.value and self.peer_value):
                return None
            (low, high), (peer_low, peer_high) = bounds(self.value), bounds(self.peer_value)
            return low - peer_high, high - peer_low
        text = getattr(self, what)
        return bounds(text) if text else None

    def verdict(self):
        """'reached', 'missed', 'missed at times' where the aim lies within the range; empty without an aim."""
        if not self.aim:
            return ""
        _, relation, limit = AIM.match(self.aim).groups()
        low, high = self.aimed_at()
        ends = [end <= float(limit) + 1e-9 if relation == "<=" else end >= float(limit) - 1e-9 for end in (low, high)]
        return "reached" if all(ends) else "missed at times" if any(ends) else "missed"


def bounds(text):
    match = RANGE.match(text)
    return float(match[1]), float(match[2] or match[1])


def read(path):
    """The rows of a file; ValueError names the line of what is wrong."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        head = next(reader, [])
        if tuple(head) != COLUMNS:
            raise ValueError(f"{path}:1: the head is {','.join(head)}, not {','.join(COLUMNS)}")
        found = {}
        for cells in reader:
            if len(cells) != len(COLUMNS):
                raise ValueError(f"{path}:{reader.line_num}: {len(cells)} cells, not {len(COLUMNS)}")
            row = Row(*cells)
            faults = list(row.faults())
            if row.key() in found:
                faults.append(f"the same as line {found[row.key()][0]}")
            if faults:
                raise ValueError(f"{path}:{reader.line_num}: {'; '.join(faults)}")
            found[row.key()] = (reader.line_num, row)
    return [row for _, row in found.values()]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(dataclasses.astuple(row) for row in rows)


def merge(rows, new):
    """The rows with the new ones: each in the place of that with the same key, which keeps its aim, or at the end."""
    merged = {row.key(): row for row in rows}
    for row in new:
        old = merged.get(row.key())
        merged[row.key()] = dataclasses.replace(row, aim=row.aim or (old.aim if old else ""))
    return list(merged.values())
