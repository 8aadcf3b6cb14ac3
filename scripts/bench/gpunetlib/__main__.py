"""Command line of scripts/bench/gpu_nets."""
import argparse
import datetime
import pathlib
import sys

from gpunetlib import peers, report
from gpunetlib.dfrun_side import DfrunSide
from gpunetlib.nets import NETS, PRECISIONS, params_of


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench/gpu_nets",
                                     description="training steps of nets on a GPU, dfrun beside PyTorch and JAX")
    parser.add_argument("--dfrun", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for runs")
    parser.add_argument("--only", default="", help="nets whose name holds this")
    parser.add_argument("--precisions", default="tf32,bfloat16", help=f"of {', '.join(PRECISIONS)}, with commas between")
    parser.add_argument("--batch", type=int, default=0, help="samples of a step; default: the net's own")
    parser.add_argument("--small", action="store_true", help="nets so small that a CPU can run them; without peers")
    parser.add_argument("--steps", type=int, default=60, help="steps of a run")
    parser.add_argument("--device", default="/device:gpu:0", help="where the nets run")
    parser.add_argument("--no-peers", action="store_true", help="dfrun alone")
    parser.add_argument("--json", default="", help="file for the figures")
    parser.add_argument("--table", default="", help="file for the figures as a table of a document")
    parser.add_argument("--list", action="store_true", help="print the nets' names only")
    return parser.parse_args()


def measure(side, net, precision, args):
    """The figures of one net; what fails is said, and its figure is none."""
    params = params_of(net, precision, args.small, args.batch, args.device)
    row = {"net": net.name, "precision": precision, "batch": params.get("batch", net.batch), "ms": None, "losses": [],
           "peers": {}, "errors": []}
    params["steps"] = args.steps
    params["log"] = max(1, args.steps // 6)
    try:
        row["ms"], row["losses"] = side.measure(net, params, f"{net.name}-{precision}")
        again = side.measure(net, params, f"{net.name}-{precision}-again")[1]
        if again != row["losses"]:
            row["errors"].append("other losses the second time")
    except (RuntimeError, TimeoutError) as error:
        row["errors"].append(str(error))
    if args.no_peers or args.small:
        return row
    for name, command in peers.peers_of(net, row["batch"], precision, args.steps):
        try:
            row["peers"][name] = peers.run(command)["ms"]
        except (RuntimeError, TimeoutError, ValueError) as error:
            row["errors"].append(f"{name}: {error}")
    return row


def main():
    args = arguments()
    nets = [net for net in NETS if args.only in net.name]
    if args.list:
        print("\n".join(net.name for net in nets))
        return 0
    if not args.dfrun.is_file():
        sys.exit(f"{args.dfrun} is not there: build it with scripts/quickstart, or name it with --dfrun")
    if not args.no_peers and not args.small:
        for sentence in peers.missing():
            print(sentence, file=sys.stderr)
    side = DfrunSide(args.dfrun, args.work)
    versions = [datetime.date.today().isoformat(), *side.version()]
    rows = []
    for net in nets:
        for precision in args.precisions.split(","):
            rows.append(measure(side, net, precision, args))
            print(report.line(rows[-1]), flush=True)
            for error in rows[-1]["errors"]:
                print(f"  {error}", file=sys.stderr, flush=True)
    if args.json:
        report.write_json(args.json, rows, versions)
    if args.table:
        pathlib.Path(args.table).write_text(report.table(rows) + "\n", encoding="utf-8")
    return 1 if any(row["errors"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
