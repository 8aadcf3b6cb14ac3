"""Runs a net's spec as a job, and reads the time of a step and the losses from what it logs."""
import json
import pathlib
import shutil
import statistics
import subprocess

LIMIT_S = 900
NETS = pathlib.Path(__file__).resolve().parent.parent / "nets"


class DfrunSide:
    def __init__(self, program, work):
        self.program = program
        self.work = pathlib.Path(work)

    def run(self, net, params, output):
        """The lines of metrics.jsonl."""
        shutil.rmtree(output, ignore_errors=True)
        output.parent.mkdir(parents=True, exist_ok=True)
        command = [str(self.program), "run", str(NETS / net.spec), "--output", str(output)]
        for name, value in params.items():
            command += ["--set", f"{name}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}{done.stdout}")
        return [json.loads(line) for line in (output / "metrics.jsonl").read_text().splitlines()]

    def measure(self, net, params, name):
        """The median time of a step in ms over the intervals of the log but the first, and the losses."""
        lines = self.run(net, params, self.work / name)
        intervals = [(later["wall_s"] - earlier["wall_s"]) / (later["step"] - earlier["step"])
                     for earlier, later in zip(lines, lines[1:])]
        return statistics.median(intervals) * 1e3, [line["loss"] for line in lines]

    def version(self):
        done = subprocess.run([str(self.program), "info"], capture_output=True, text=True, check=True, timeout=60)
        wanted = ("dfrun", "CUDA", "cuBLASLt", "cuDNN", "device")
        return [line for line in done.stdout.splitlines() if line.startswith(wanted)]
