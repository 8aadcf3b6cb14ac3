"""Command line of scripts/bench/fabric_peers."""
import argparse
import datetime
import pathlib
import subprocess
import sys

from fabriclib import cases, report, ucx_side
from fabriclib.dfrun_side import DfrunSide
from fabriclib.gloo_side import GlooSide
from fabriclib.ucx_side import UcxSide


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench/fabric_peers",
                                     description="edges and AllReduce of ranks of one host, beside ucx_perftest and Gloo")
    parser.add_argument("--dfrun", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--python", required=True, help="the Python that may have PyTorch")
    parser.add_argument("--only", choices=("p2p", "all_reduce"), help="one of the two")
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks that sum, with commas between")
    parser.add_argument("--transports", default="mpi,ucx", help="those of dfrun's, with commas between")
    parser.add_argument("--rounds", type=int, default=5, help="turns of all sides")
    parser.add_argument("--small", action="store_true", help="few and short rounds: to see that it works")
    parser.add_argument("--json", default="", help="file for the figures")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds wants 1 or more")
    if args.json and not pathlib.Path(args.json).absolute().parent.is_dir():
        parser.error(f"--json {args.json}: there is no such folder")
    return args


class Sides:
    """What is there to be measured. What is not there is said."""

    def __init__(self, args):
        effort = cases.effort(args.rounds, args.small)
        self.effort = effort
        self.dfrun = DfrunSide(args.dfrun, effort)
        self.transports = [name for name in args.transports.split(",") if is_there(self.dfrun.missing(name))]
        if not self.transports:
            sys.exit("there is nothing to measure: none of dfrun's transports is there")
        self.ucx = UcxSide(effort) if is_there(ucx_side.missing()) else None
        gloo = GlooSide(args.python, effort)
        self.gloo = gloo if is_there(gloo.missing()) else None

    def versions(self):
        found = [datetime.date.today().isoformat()]
        found += [line for line in self.dfrun.info() if line.startswith(("dfrun", "CPU", "MPI", "transport"))]
        found += [ucx_side.version()] if self.ucx else []
        return found + ([self.gloo.version()] if self.gloo else [])

    def p2p(self):
        """The calls that measure a turn of each side."""
        wanted = self.effort.of(cases.P2P)
        calls = [lambda name=name: self.dfrun.run("p2p", 2, name, wanted) for name in self.transports]
        calls += [lambda: self.ucx.run(wanted)] if self.ucx else []
        calls += [lambda: self.gloo.run("p2p", 2, wanted)] if self.gloo else []
        return self.rows("p2p", wanted, calls)

    def all_reduce(self, ranks):
        wanted = self.effort.of(cases.ALL_REDUCE)
        calls = [lambda name=name: self.dfrun.run("collectives", ranks, name, wanted) for name in self.transports]
        calls += [lambda: self.gloo.run("all_reduce", ranks, wanted)] if self.gloo else []
        return self.rows(f"all_reduce/{ranks}_ranks", wanted, calls)

    def rows(self, bench, wanted, calls):
        rounds = {case.name: {} for case in wanted}
        for _ in range(self.effort.rounds):
            for call in calls:
                for side, times in call().items():
                    for case, microseconds in times.items():
                        rounds[case].setdefault(side, []).append(microseconds)
        return [report.Row(bench, case.name, case.bytes, rounds[case.name]) for case in wanted]


def is_there(sentence):
    if sentence:
        print(sentence, file=sys.stderr)
    return sentence is None


def main():
    args = arguments()
    sides = Sides(args)
    benches = [sides.p2p] if args.only != "all_reduce" else []
    if args.only != "p2p":
        benches += [lambda ranks=ranks: sides.all_reduce(int(ranks)) for ranks in args.ranks.split(",")]
    versions = sides.versions()
    rows = []
    for bench in benches:
        found = bench()
        print(report.table(found), end="\n\n", flush=True)
        rows += found
    print(report.FOOTNOTE)
    if args.json:
        report.write_json(args.json, rows, versions)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        sys.exit(str(error))
