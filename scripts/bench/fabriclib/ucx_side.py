"""ucx_perftest between two processes of this host, over the networks that UCX chooses (UCX_TLS)."""
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from fabriclib import cases, processes
from peerlib.one_host import free_ports

PROGRAM = "ucx_perftest"
VERSION_PROGRAM = "ucx_info"
MISSING = "ucx_perftest is left out, as it is not in PATH: apt-get install ucx-utils"
REFUSED = "Connection refused"
START_S = 20
TO_AND_FRO = "ucx/tag_lat"
STREAMS = {"ucx/tag_bw": "tag_bw", "ucx/put_bw": "ucp_put_bw", "ucx/get_bw": "ucp_get"}


def missing():
    return None if shutil.which(PROGRAM) and shutil.which(VERSION_PROGRAM) else MISSING


def version():
    done = subprocess.run([VERSION_PROGRAM, "-v"], capture_output=True, text=True, check=False, timeout=60)
    return "UCX " + done.stdout.partition("ersion")[2].partition("\n")[0].strip()


class UcxSide:
    def __init__(self, effort):
        self.effort = effort

    def run(self, wanted):
        """Microseconds of each case: of a message to and fro one way, and of each message of a stream."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:  # both ends read it
            batch.write("\n".join(self.tests(wanted)) + "\n")
            batch.flush()
            return medians(run_both_ends(["-b", batch.name, "-f", "-v"]))

    def tests(self, wanted):
        for case in wanted:
            sides = {TO_AND_FRO: "tag_lat", **(STREAMS if case.bytes >= cases.STREAM_BYTES else {})}
            for side, test in sides.items():
                line = f"{side}/{case.name} -t {test} -s {case.bytes} -n {case.count} -w {max(2, case.count // 10)}"
                yield from [line] * self.effort.passes


def run_both_ends(options):
    """What the client printed. It is started again for as long as the server is not listening yet."""
    server_command = [PROGRAM, "-p", str(free_ports(1)[0]), *options]
    client_command = [*server_command, "127.0.0.1"]
    deadline = time.monotonic() + START_S
    with processes.started([server_command], os.environ) as (server,):
        while True:
            client = subprocess.run(client_command, capture_output=True, text=True, timeout=processes.LIMIT_S, check=False)
            if client.returncode == 0:
                return client.stdout
            said = client.stdout + client.stderr
            if REFUSED not in said or server.poll() is not None or time.monotonic() > deadline:
                raise processes.failure(client_command, client.returncode, said)
            time.sleep(0.1)


def medians(printed):
    """A line names the columns, and those of figures begin with the test's name; UCX's own messages stand between them."""
    column, found = None, {}
    for line in printed.splitlines():
        words = [word.strip() for word in line.split(",")]
        if "overall_lat" in words:
            column = words.index("overall_lat")
        elif column is not None and words[0].startswith("ucx/"):
            side, _, case = words[0].rpartition("/")
            found.setdefault(side, {}).setdefault(case, []).append(float(words[column]))
    if not found:
        raise RuntimeError(f"{PROGRAM} printed no figures: {printed}")
    return {side: {case: statistics.median(times) for case, times in of.items()} for side, of in found.items()}
