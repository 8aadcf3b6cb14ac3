"""`dfrun bench p2p` and `dfrun bench collectives` under mpirun."""
import json
import pathlib
import subprocess
import sys
import tempfile

from fabriclib import processes
from peerlib.one_host import ENVIRONMENT


class DfrunSide:
    def __init__(self, program, effort):
        if not program.is_file():
            sys.exit(f"{program} is not there: build it with scripts/quickstart, or name it in the environment variable DFRUN")
        self.program = program
        self.effort = effort

    def info(self):
        done = subprocess.run([self.program, "info"], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.splitlines()

    def missing(self, transport):
        """Why this build or host has no such transport, as a sentence; none if it has."""
        for line in self.info():
            if line.startswith("transport") and line.split()[1] == f"{transport}:":
                reason = line.partition(f"{transport}: ")[2]
                return f"dfrun over {transport} is left out: {reason}" if reason.startswith("off:") else None
        return f"dfrun over {transport} is left out: `dfrun info` lists no such transport"

    def run(self, bench, ranks, transport, cases):
        """Microseconds of each case: dfrun's, and those of the bare calls that it measured turn about with it."""
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder) / "figures.json"
            processes.checked(["mpirun", "--oversubscribe", "-np", str(ranks), self.program, "bench", bench, "--threads", "1",
                               "--rounds", str(self.effort.passes), "--transport", transport, "--json", figures], ENVIRONMENT)
            found = {figure["name"].split("/")[-1]: figure for figure in json.loads(figures.read_text(encoding="utf-8"))}
        return {f"dfrun/{transport}": {case.name: microseconds(found[case.name], "value", case.bytes) for case in cases},
                f"bare/{transport}": {case.name: microseconds(found[case.name], "limit", case.bytes) for case in cases}}


def microseconds(figure, key, size):
    return figure[key] if figure["unit"] == "us" else size * 1e-3 / figure[key]
