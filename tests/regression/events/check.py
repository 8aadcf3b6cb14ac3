"""check.py RUN [EVENTS]: compares the scalars of event files with metrics.jsonl, number by number and both ways."""
import json
import math
import struct
import sys

import reader

run = sys.argv[1]
directory = sys.argv[2] if len(sys.argv) > 2 else f"{run}/events"
evaluations = json.load(open(f"{run}/run.json"))["evaluations"]


def float32(number):
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def number(value):
    words = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    return words.get(value) if isinstance(value, str) else float(value)


expected = {}
for line in open(f"{run}/metrics.jsonl"):
    line = json.loads(line)
    step = line.pop("step")
    line.pop("wall_s")
    for name, value in line.items():
        if number(value) is None:
            continue
        evaluation = name.split("/")[0]
        of_run, tag = (evaluation, name[len(evaluation) + 1 :]) if evaluation in evaluations else ("train", name)
        expected.setdefault((of_run, tag), {})[step] = float32(number(value))
found = {}
for of_run in ["train", *evaluations]:
    for tag, steps in reader.scalars(f"{directory}/{of_run}").items():
        found[of_run, tag] = steps
if not expected:
    sys.exit("metrics.jsonl has no scalars")
if repr(sorted(expected.items())) != repr(sorted(found.items())):
    for key in sorted(set(expected) | set(found)):
        if repr(expected.get(key)) != repr(found.get(key)):
            print(key, "\n metrics:", expected.get(key), "\n events: ", found.get(key), file=sys.stderr)
    sys.exit(f"the events of {directory} are not those of metrics.jsonl")
print(f"{sum(map(len, found.values()))} scalars of {len(found)} tags")
