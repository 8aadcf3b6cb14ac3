"""scripts/bench/null_step updates: steps of the form of the TensorFlow paper (OSDI 2016), Figure 6. Workers read a model of
parameter servers, multiply it by a number and send that back; what all have sent is applied at once. dfrun and
TensorFlow are turn about: while the one steps, the other's processes wait."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from figureslib import curves
from nullsteplib.tensorflow_servers import TensorFlowServers
from nullsteplib.update_steps import UpdateSteps
from peerlib.one_host import ENVIRONMENT

DFRUN = "build/release/bin/dfrun"
# name, bytes of the model, rows are read, TensorFlow's steps a turn
CASES = [("scalar", 4, False, 100), ("dense_100MB", 100_000_000, False, 3), ("dense_1GB", 1_000_000_000, False, 1),
         ("sparse_1GiB", 1 << 30, True, 50), ("sparse_4GiB", 4 << 30, True, 50)]
# Copies of a dense model while dfrun steps, and how many each worker adds; TensorFlow's processes keep some of them.
COPIES, COPIES_A_WORKER = 4, 3.7
# Of a table: while it is initialised there are two of dfrun's, beside TensorFlow's.
TABLES = 3


def needed_bytes(size, is_sparse, workers):
    return int(size * (TABLES if is_sparse else COPIES + COPIES_A_WORKER * workers))


def free_bytes():
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise ValueError("/proc/meminfo has no MemAvailable")


class DfrunSteps:
    """The steps of one case, each turn in a job of its own."""

    def __init__(self, servers, workers, case, size, transport, folder):
        self._file = folder / "dfrun.json"
        self._words = ["mpirun", "--oversubscribe", "-np", str(servers + workers), DFRUN, "bench", "fetch", "--update",
                       "--servers", str(servers), "--only", case, "--most-bytes", str(size), "--rounds", "1",
                       "--json", str(self._file), *(["--transport", transport] if transport else [])]

    def figure(self):
        """The median step and that over the bare network, in ms."""
        subprocess.run(self._words, env=ENVIRONMENT, timeout=300, check=True, stdout=subprocess.DEVNULL)
        figure = json.loads(self._file.read_text(encoding="utf-8"))[0]
        return figure["value"] * 1e-3, figure["limit"] * 1e-3


def measure_case(own, peer, steps, turns):
    own_ms, bare_ms, peer_ms = [], [], []
    for _ in range(turns):
        value, bare = own.figure()
        own_ms.append(value)
        bare_ms.append(bare)
        peer_ms.append(statistics.median(peer.times(steps)) * 1e3)
    return {"dfrun_ms": statistics.median(own_ms), "bare_ms": statistics.median(bare_ms),
            "tensorflow_ms": statistics.median(peer_ms), "times": statistics.median(p / o for p, o in zip(peer_ms, own_ms)),
            "turns": [{"dfrun_ms": o, "tensorflow_ms": p} for o, p in zip(own_ms, peer_ms)]}


def measure(args, folder):
    rows = []
    print(f"{'servers':>7}  {'workers':>7}  {'model':14}  {'dfrun ms':>10}  {'bare ms':>10}  {'TensorFlow ms':>13}  {'times':>7}",
          flush=True)
    for servers in args.servers:
        for workers in args.workers:
            with TensorFlowServers(servers, workers) as running:
                for name, size, is_sparse, steps in CASES:
                    if name not in args.models:
                        continue
                    start = f"{servers:7}  {workers:7}  {name:14}  "
                    needed, free = needed_bytes(size, is_sparse, workers), free_bytes() - args.spare
                    if needed > free:
                        print(f"{start}left out: it needs {needed >> 20} MiB, and {max(free, 0) >> 20} MiB are free", flush=True)
                        continue
                    own = DfrunSteps(servers, workers, name, size, args.transport, folder)
                    peer = UpdateSteps(running.target, servers, workers, size, is_sparse)
                    row = measure_case(own, peer, steps, args.turns)
                    peer.close()
                    rows.append({"case": name, "servers": servers, "workers": workers, **row})
                    if args.json:
                        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
                    print(f"{start}{row['dfrun_ms']:10.4f}  {row['bare_ms']:10.4f}  {row['tensorflow_ms']:13.4f}  "
                          f"{row['times']:7.1f}", flush=True)
    return rows


def picture(rows):
    """dfrun's steps as lines, TensorFlow's dashed, by the number of workers."""
    panels = {}
    for row in rows:
        name = f"{row['servers']} server{'s' if row['servers'] > 1 else ''}, TensorFlow dashed"
        point = (row["workers"], row["dfrun_ms"], row["tensorflow_ms"], "ms")
        panels.setdefault(name, {}).setdefault(row["case"], []).append(point)
    return curves.draw(panels)


def numbers(text):
    return [int(word) for word in text.replace(",", " ").split()]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench/null_step updates", description=__doc__)
    parser.add_argument("--workers", type=numbers, default=[1, 2, 4])
    parser.add_argument("--servers", type=numbers, default=[1, 2])
    parser.add_argument("--models", type=str.split, default=[case[0] for case in CASES],
                        help="'" + " ".join(case[0] for case in CASES) + "'")
    parser.add_argument("--spare", type=int, default=4 << 30, help="bytes of memory that stay free; a model that needs more "
                                                                   "than the rest is left out")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--transport", default="")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(args, pathlib.Path(folder))
    if not rows:
        sys.exit("scripts/bench/null_step: nothing was measured")
    if args.svg:
        args.svg.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
