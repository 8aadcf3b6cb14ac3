"""The first result of a small net, from the start of its program."""
import shutil

from gpuchecklib import processes
from gpuchecklib.rows import FAIL, NOT_REACHED, PASS, Row
from gpunetlib.dfrun_side import NETS as SPECS

PART = "start"
NAME = "first step of the mlp"
# The first is of files that nothing has read yet.
RUNS = 3


def check(it, clock):
    """Rows, and the shortest time in seconds; none where there is none."""
    part = clock.part(it.bound_s(PART))
    seconds = []
    output = it.out / "start"
    for i in range(RUNS):
        shutil.rmtree(output, ignore_errors=True)  # a run directory in use would be refused
        job = it.job(f"start-{i}", [it.program("dfrun"), "run", SPECS / "mlp.yaml", "--output", output,
                                    "--set", "steps=1", "--set", "log=1"])
        outcome = processes.run(job, max(0.0, part.left_s() - processes.GRACE_S))
        if outcome.code is None:
            break
        if outcome.code != 0:
            return [Row(PART, NAME, FAIL, f"ended with {outcome.code}, see {job.log}", outcome.seconds)], None
        seconds.append(outcome.seconds)
    if not seconds:
        return [Row(PART, NAME, NOT_REACHED, "its time was over")], None
    text = f"{min(seconds):.3g} s, the first time {seconds[0]:.3g} s"
    return [Row(PART, NAME, PASS, text, sum(seconds))], min(seconds)
