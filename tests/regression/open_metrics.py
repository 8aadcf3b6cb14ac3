#!/usr/bin/env python3
"""A strict reader of the text format of OpenMetrics 1.0, as far as dfrun writes it: families of gauges.

Usage: open_metrics.py FILE [NAME]. Prints the value of the only sample of the family NAME, or a line a family with its
first value. An AssertionError names what is wrong with the file."""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
TYPE = re.compile(rf"# TYPE ({NAME}) gauge")
HELP = re.compile(rf"# HELP ({NAME}) (?:[^\\\n]|\\[\\n\"])+")
SAMPLE = re.compile(rf"({NAME})\{{({LABEL}(?:,{LABEL})*)\}} (NaN|[+-]Inf|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)")


def read(text):
    """The samples by family, in order: pairs of labels and a value."""
    assert text.endswith("\n# EOF\n"), "it does not end with # EOF"
    families = {}
    last = None
    for line in text[: -len("# EOF\n")].split("\n")[:-1]:
        if match := TYPE.fullmatch(line):
            assert match[1] not in families, f"the family {match[1]} comes twice"
            last = match[1]
            families[last] = []
        elif match := HELP.fullmatch(line):
            assert match[1] == last and not families[last], f"HELP of {match[1]} is not before its samples"
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f"no line of OpenMetrics: {line!r}"
            assert match[1] == last, f"a sample of {match[1]} is among those of {last}"
            labels = re.findall(LABEL, match[2])
            names = [label.split("=")[0] for label in labels]
            assert len(set(names)) == len(names), f"a label comes twice: {line!r}"
            assert all(labels != other for other, _ in families[last]), f"a sample comes twice: {line!r}"
            families[last].append((labels, match[3]))
    for name, samples in families.items():
        assert samples, f"the family {name} has no sample"
    return families


def main():
    families = read(open(sys.argv[1], encoding="utf-8").read())
    if len(sys.argv) > 2:
        ((_, value),) = families[sys.argv[2]]
        print(value)
        return
    for name, samples in families.items():
        print(name, samples[0][1])


main()
