"""scripts/bench/null_step backup: the time of a step by the number of backup replicas, as in the TensorFlow paper (OSDI 2016),
Figure 8. Each replica waits without a thread: always for a while, now and then for longer, drawn anew in each step. Of
R + b replicas the first R that have a gradient make the step.

Runs are turn about over the numbers of backup replicas. Needs Python, the program and the tests' library of the op
TestWait (build/release/lib)."""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from figureslib import curves
from peerlib.one_host import ENVIRONMENT

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROWS_A_REPLICA = 5
WAIT_MS = 20
# The waits that may come on top: their time in ms and how often.
LONGER = ((20, 0.2), (60, 0.05))
FIRST_STEPS = 5  # that are not counted
SPEC = """dfrun: 1
inputs:
  batch: {{csv: rows.csv, tensors: {{x: 0}}, batch: {batch}}}
graph:
  W: {{op: Variable, shape: [], init: 0}}
  waited_0: {{op: TestWait, inputs: [batch/x], milliseconds: [{wait}]}}
{longer}  loss: Mean(Square({waited} * W - 3.0))
train: {{loss: loss, learning_rate: 0.001, log_every: 1, steps: {steps}, strategy: sync, replicas: {replicas}}}
fingerprint: false
"""


def spec_of(args):
    """The waits one after the other; each of LONGER in a side of a conditional, which runs where it is taken."""
    longer = ""
    for i, (wait, share) in enumerate(LONGER, 1):
        longer += (f"  drawn_{i}: Sum(RandomUniform(shape=[1], dtype=float32))\n"
                   f"  waited_{i}: Cond(drawn_{i} < {share}, TestWait(waited_{i - 1}, milliseconds=[{wait}]), waited_{i - 1})\n")
    return SPEC.format(batch=ROWS_A_REPLICA * args.replicas, wait=WAIT_MS, longer=longer, waited=f"waited_{len(LONGER)}",
                       steps=args.steps + FIRST_STEPS, replicas=args.replicas)


class Trainings:
    """Runs of the spec in a folder."""

    def __init__(self, args, folder):
        self._args, self._folder = args, folder
        self._batch = ROWS_A_REPLICA * args.replicas
        (folder / "rows.csv").write_text("".join(f"{i}\n" for i in range(self._batch)), encoding="utf-8")
        (folder / "waits.yaml").write_text(spec_of(args), encoding="utf-8")

    def step_ms(self, backup, turn):
        """Of each step."""
        run = self._folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        library = self._args.library.resolve()
        keys = [f"train.backup={backup}"] if backup else []
        words = [word for key in [f"seed={turn}", *keys] for word in ("--set", key)]
        subprocess.run(["mpirun", "--oversubscribe", "-x", f"LD_PRELOAD={library.name}", "-x", "LD_LIBRARY_PATH",
                        "-np", str(self._args.ranks), self._args.program.resolve(), "run", "waits.yaml", "--threads", "1",
                        "--output", run, *words], cwd=self._folder, timeout=300, check=True, stdout=subprocess.DEVNULL,
                       env={**ENVIRONMENT, "LD_LIBRARY_PATH": str(library.parent)})
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
        return [1000 * self._batch / line["samples_per_s"] for line in lines][FIRST_STEPS:]


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def measure(args, trainings):
    seen = {backup: [] for backup in args.backup}
    for turn in range(args.turns):
        for backup in args.backup:
            seen[backup] += trainings.step_ms(backup, turn + 1)
    least = min(args.backup)
    print(f"{'backup':>6}  {'steps':>6}  {'median ms':>9}  {'90th ms':>8}  {'times':>6}  {'by replicas':>11}")
    rows = []
    for backup, times in seen.items():
        gain = statistics.median(seen[least]) / statistics.median(times)
        rows.append({"replicas": args.replicas, "backup": backup, "ranks": args.ranks, "steps": len(times),
                     "median_ms": statistics.median(times), "ninetieth_ms": percentile(times, 0.9), "times": gain,
                     "times_by_replicas": gain * (args.replicas + least) / (args.replicas + backup)})
        print(f"{backup:6}  {len(times):6}  {rows[-1]['median_ms']:9.2f}  {rows[-1]['ninetieth_ms']:8.2f}  {gain:6.2f}  "
              f"{rows[-1]['times_by_replicas']:11.2f}", flush=True)
    return rows


def picture(rows):
    """The median as a line, the 90th percentile dashed, by the number of replicas that compute."""
    points = [(row["replicas"] + row["backup"], row["median_ms"], row["ninetieth_ms"], "ms") for row in rows]
    return curves.draw({"a step by replicas": {f"median of {rows[0]['replicas']} needed; 90th percentile dashed": points}})


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench/null_step backup", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=int, default=4, help="that a step needs")
    parser.add_argument("--backup", type=lambda text: [int(word) for word in text.split()], default=[0, 1, 2, 3])
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/dfrun")
    parser.add_argument("--library", type=pathlib.Path, default=ROOT / "build/release/lib/libtest_wait.so")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(args, Trainings(args, pathlib.Path(folder)))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if args.svg:
        args.svg.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
