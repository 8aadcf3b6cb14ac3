"""Runs a net's spec as a job, and reads the time of a step and the losses from what it logs."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess

LIMIT_S = 900
NETS = pathlib.Path(__file__).resolve().parent.parent / "nets"


class DfrunSide:
    """`environment` is beside this process's own."""

    def __init__(self, program, work, environment=None):
        self.program = program
        self.work = pathlib.Path(work)
        self.environment = {**os.environ, **(environment or {})}

    def run(self, net, params, output, limit_s=LIMIT_S):
        """The lines of metrics.jsonl. TimeoutError where the job has not ended by then."""
        shutil.rmtree(output, ignore_errors=True)
        output.parent.mkdir(parents=True, exist_ok=True)
        command = [str(self.program), "run", str(NETS / net.spec), "--output", str(output)]
        for name, value in params.items():
            command += ["--set", f"{name}={value}"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()  # and not waited for: a driver that hangs would keep it
            raise TimeoutError(f"{' '.join(command)} had not ended after {limit_s:.0f} s") from None
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with status {process.returncode}:\n{err}{out}")
        return [json.loads(line) for line in (output / "metrics.jsonl").read_text().splitlines()]

    def measure(self, net, params, name, limit_s=LIMIT_S):
        """The median time of a step in ms over the intervals of the log but the first, and the losses."""
        lines = self.run(net, params, self.work / name, limit_s)
        intervals = [(later["wall_s"] - earlier["wall_s"]) / (later["step"] - earlier["step"])
                     for earlier, later in zip(lines, lines[1:])]
        return statistics.median(intervals) * 1e3, [line["loss"] for line in lines]

    def version(self):
        done = subprocess.run([str(self.program), "info"], capture_output=True, text=True, check=True, timeout=60)
        wanted = ("dfrun", "CUDA", "cuBLASLt", "cuDNN", "device")
        return [line for line in done.stdout.splitlines() if line.startswith(wanted)]
