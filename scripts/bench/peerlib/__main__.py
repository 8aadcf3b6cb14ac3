"""Command line of scripts/bench/peers."""
import argparse
import dataclasses
import pathlib
import sys

from peerlib import builds, report
from peerlib.cases import CASES
from peerlib.compare import compare
from peerlib.torch_peer import has_torch


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench/peers",
                                     description="dfrun against TensorFlow, PyTorch or a build of itself, turn about")
    parser.add_argument("--dfrun", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for graphs and figures")
    parser.add_argument("--before", type=pathlib.Path, help="compare with this build of dfrun, not with other systems")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--threads", default="1", help="numbers of threads, with commas between")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side has its turn")
    parser.add_argument("--json", default="", help="file for the results")
    parser.add_argument("--list", action="store_true", help="print the cases' names only")
    return parser.parse_args()


def main():
    args = arguments()
    cases = [case for case in CASES if args.only in case.name]
    if args.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not args.dfrun.is_file():
        sys.exit(f"{args.dfrun} is not there: build it with scripts/quickstart, or name it with --dfrun")
    threads = [int(number) for number in args.threads.split(",")]
    if args.before:
        return compare_builds(args, cases, threads)
    return compare_systems(args, cases, threads)


def compare_builds(args, cases, threads):
    print(builds.HEADER, flush=True)
    results = []
    for number in threads:
        for case in cases:
            results.append(builds.compare(case, number, args.before, args.dfrun, args.work, args.rounds))
            print(results[-1].line(), flush=True)
    print(f"geometric mean {builds.geometric_mean(results):.3f}")
    if args.json:
        report.write_json_rows([dataclasses.asdict(result) for result in results], args.json)
    return 0


def compare_systems(args, cases, threads):
    if not has_torch():
        print("PyTorch is not installed: it is left out.")
    print(report.HEADER, flush=True)
    results = []
    failures = 0
    for number in threads:
        for case in cases:
            try:
                results.append(compare(case, number, args.dfrun, args.work, args.rounds))
                print(report.line(results[-1]), flush=True)
            except RuntimeError as error:
                failures += 1
                print(f"{case.name}/threads-{number}: {error}", flush=True)
    if args.json:
        report.write_json(results, args.json)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
