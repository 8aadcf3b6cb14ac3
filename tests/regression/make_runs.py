"""Makes copies of a run directory that differ in what `dfrun runs` shows.

Usage: make_runs.py RUN FOLDER COUNT. Of the copies FOLDER/0000 and so on, each has its own lr and accuracy; every 20th has
metrics that were cut short, every 100th from the 10th on has no end, and its lock is held; those behind them were
killed, failed and were stopped. Prints "made" when all are there, and holds the locks until its input ends."""
import fcntl
import json
import pathlib
import sys

ENDS = {10: None, 11: None, 12: 71, 13: 75}


def copy(run, folder, number, held):
    folder.mkdir(parents=True)
    lr = (number + 1) / 1000
    record = json.loads((run / "run.json").read_text())
    record["set"] = [f"lr={lr}"]
    exit_code = ENDS.get(number % 100, 0)
    record["exit"] = exit_code
    if exit_code is None:
        record["end"] = None
    (folder / "run.json").write_text(json.dumps(record, indent=1))
    lines = (run / "spec.yaml").read_text().splitlines()
    (folder / "spec.yaml").write_text("".join(
        (f"  lr: {lr}  # --set" if line.startswith("  lr: ") else line) + "\n" for line in lines))
    metrics = (run / "metrics.jsonl").read_text().splitlines()
    if "eval/accuracy" not in metrics[-1]:
        raise SystemExit("the last line is no evaluation")
    last = json.loads(metrics[-1])
    last["eval/accuracy"] = 0.5 + number / 10000
    text = "\n".join(metrics[:-1]) + "\n" + json.dumps(last) + "\n"
    (folder / "metrics.jsonl").write_text(text[:-9] if number % 20 == 0 else text)
    (folder / ".lock").touch()
    if number % 100 == 10:
        held.append(open(folder / ".lock"))
        fcntl.flock(held[-1], fcntl.LOCK_EX)


def main():
    run, folder, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    held = []
    for number in range(count):
        copy(run, folder / f"{number:04}", number, held)
    print("made", flush=True)
    sys.stdin.read()


main()
