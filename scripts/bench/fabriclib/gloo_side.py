"""Gloo, through torch.distributed: processes of gloo_ranks.py on loopback."""
import json
import subprocess

from fabriclib import processes
from peerlib.one_host import ENVIRONMENT, free_ports

GLOO_ENVIRONMENT = {**ENVIRONMENT, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
IMPORT = ("import torch; from torch.distributed.distributed_c10d import ProcessGroupGloo; "
          "print(torch.__version__)")
NEW_VENV = "build/peers/venv/bin/python"


class GlooSide:
    def __init__(self, python, effort):
        self.python = python
        self.effort = effort
        self.torch, self.why_not = self.look()

    def look(self):
        """(PyTorch's version, none), or (none, why it is not there)."""
        try:
            done = subprocess.run([self.python, "-c", IMPORT], capture_output=True, text=True, timeout=120, check=False,
                                  env=GLOO_ENVIRONMENT)
        except OSError as error:
            return None, str(error)
        if done.returncode != 0:
            return None, (done.stderr.strip().splitlines() or ["no word"])[-1]
        return done.stdout.split()[-1], None

    def missing(self):
        if self.why_not is None:
            return None
        venv = "python3 -m venv build/peers/venv && " if self.python == NEW_VENV else ""
        return (f"Gloo is left out, as {self.python} has no torch.distributed with it ({self.why_not}): {venv}{self.python} "
                "-m pip install torch --index-url https://download.pytorch.org/whl/cpu")

    def version(self):
        return f"Gloo of PyTorch {self.torch}"

    def run(self, bench, ranks, wanted):
        """Microseconds of each case, as rank 0 saw them."""
        port = str(free_ports(1)[0])
        sizes = json.dumps([[case.name, case.bytes, case.count] for case in wanted])
        commands = [[self.python, "-m", "fabriclib.gloo_ranks", bench, str(rank), str(ranks), port, str(self.effort.passes),
                     sizes] for rank in range(ranks)]
        with processes.started(commands, GLOO_ENVIRONMENT) as running:
            printed = [process.communicate(timeout=processes.LIMIT_S)[0] for process in running]
        for command, process, text in zip(commands, running, printed):
            if process.returncode != 0:
                raise processes.failure(command, process.returncode, text)
        return {"gloo": json.loads(printed[0].strip().splitlines()[-1])}
