"""Runs a model on `dfrun eval`, a process a round."""
import json
import pathlib
import subprocess

import h5py

from peerlib.model import StepTime

LIMIT_S = 300


class DfrunPeer:
    def __init__(self, program, model, threads, work):
        self.command = [str(program), "eval", str(work / "graph.pb"), "--target", model.target,
                        "--threads", str(threads)]
        if model.init:
            self.command += ["--init", model.init]
        if not model.optimize:
            self.command += ["--no-optimize"]
        if not model.straight_loops:
            self.command += ["--no-straight-loops"]
        self.model = model
        self.work = pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        (self.work / "graph.pb").write_bytes(model.graph.SerializeToString())

    def run(self, *options):
        done = subprocess.run(self.command + list(options), capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(done.args)} ended with status {done.returncode}:\n{done.stderr}{done.stdout}")

    def losses(self, steps):
        out = self.work / "losses.h5"
        self.run("--fetch", self.model.loss, "--repeat", str(steps), "--out", str(out))
        with h5py.File(out) as file:
            return file[self.model.loss][...]

    def time_steps(self, steps):
        stats = self.work / "stats.json"
        self.run("--repeat", str(steps), "--stats", str(stats))
        step_ms = json.loads(stats.read_text())["step_ms"]
        return StepTime(step_ms["median"], step_ms["min"])
