"""Command line of scripts/gpu-check."""
import argparse
import os
import pathlib
import sys

from gpuchecklib import correctness, kernels, net_steps, peers, results, rows, start, target
from gpuchecklib.clock import Clock

USAGE = 64
EMULATED = pathlib.Path(__file__).resolve().parents[3] / "build/release/tests/gpu/emulation"


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/gpu-check", description="checks a host with a GPU in six minutes at most")
    parser.add_argument("folder", type=pathlib.Path, help="a bundle, of scripts/bundle --tests")
    parser.add_argument("--peers", action="store_true",
                        help="instead of the rest: three nets beside PyTorch and JAX, and racecheck of test_gpu_device")
    parser.add_argument("--dry-run", action="store_true", help="on the emulated GPU, and little work; DFRUN_DEVICE_PARTS names "
                        "its folder, by default that of build/release")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-check.out"), help="folder for logs and results")
    parser.add_argument("--results", type=pathlib.Path, help="file of figures by GPU, to which this run adds its own; "
                        "default: results.json of --out")
    parser.add_argument("--seconds", type=float, default=target.WHOLE_S, help="for the whole; each part has its share")
    return parser.parse_args()


def make_target(args):
    folder, out = args.folder.resolve(), args.out.resolve()
    if not (folder / "bin/test_gpu_device").is_file():
        print(f"gpu-check: {folder} is no bundle with tests: make one with scripts/bundle --tests {args.folder}", file=sys.stderr)
        sys.exit(USAGE)
    parts = pathlib.Path(os.environ.get("DFRUN_DEVICE_PARTS", EMULATED)).resolve() if args.dry_run else None
    if parts and not (parts / "libdfrun_cuda.so").is_file():
        print(f"gpu-check: {parts} has no emulated GPU: build the target emulated_cuda, or name its folder by DFRUN_DEVICE_PARTS",
              file=sys.stderr)
        sys.exit(USAGE)
    out.mkdir(parents=True, exist_ok=True)
    return target.Target(folder, out, parts is not None, args.seconds / target.WHOLE_S, target.environment_of(folder, parts))


def add(found, more):
    for row in more:
        print(row.line(), flush=True)
    found += more


def main():
    args = arguments()
    clock = Clock(args.seconds)
    it = make_target(args)
    why = target.find_gpu(it)
    if why:
        print(f"gpu-check: no GPU to check: {why}", file=sys.stderr)
        return 1
    print("\n".join([f"GPU {it.gpu}", *it.versions, ""]), flush=True)
    found, measured, first_result_s, times, of_step = [], [], None, {}, []
    if args.peers:
        more, times = peers.check_peers(it, clock)
        add(found, more)
        add(found, peers.check_races(it, clock))
    else:
        add(found, correctness.check(it, clock))
        more, first_result_s = start.check(it, clock)
        add(found, more)
        more, measured = net_steps.check(it, clock)
        add(found, more)
        more, of_step = kernels.check(it, clock, measured)
        add(found, more)
    path = args.results or it.out / "results.json"
    by_gpu = results.merge(path, it, found, results.figures_of(measured, first_result_s, times), of_step)
    (it.out / "results.md").write_text(results.table(by_gpu), encoding="utf-8")
    print(f"\n{it.gpu}, {clock.seconds():.0f} s of at most {args.seconds:.0f}:\n{rows.table(found)}")
    print(f"\nFigures by GPU are in {path} and {it.out / 'results.md'}, logs in {it.out}.")
    return rows.status(found)


if __name__ == "__main__":
    sys.exit(main())
