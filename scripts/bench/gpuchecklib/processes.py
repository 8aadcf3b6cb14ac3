"""Programs in sessions of their own, each with its log, side by side and bounded: what is left of a session is ended."""
import dataclasses
import os
import pathlib
import signal
import subprocess
import time

# For what gets SIGTERM to end, before SIGKILL; mpirun ends its ranks in this time.
GRACE_S = 3.0
# For what the driver holds after SIGKILL.
KILL_S = 1.0


@dataclasses.dataclass
class Job:
    name: str
    command: list
    log: pathlib.Path
    environment: dict = dataclasses.field(default_factory=dict)
    folder: pathlib.Path = pathlib.Path(".")


@dataclasses.dataclass
class Outcome:
    code: int | None  # None: it was ended, since its time was over
    seconds: float
    text: str  # what it printed


def _session(leader):
    """The ids of the processes in the session of `leader`."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def _signal_session(leader, number):
    for pid in _session(leader):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def _has_ended(process, limit_s):
    """Whether nothing of the session is left within that time."""
    end = time.monotonic() + limit_s
    while _session(process.pid):
        if time.monotonic() >= end:
            return False
        process.poll()
        time.sleep(0.05)
    return True


def _end_session(process):
    _signal_session(process.pid, signal.SIGTERM)
    if not _has_ended(process, GRACE_S):
        _signal_session(process.pid, signal.SIGKILL)
        _has_ended(process, KILL_S)
    process.poll()


def run_together(jobs, limit_s):
    """{name: Outcome}, after at most that time and GRACE_S."""
    start = time.monotonic()
    running = {}
    for job in jobs:
        with open(job.log, "wb") as log:
            running[job.name] = subprocess.Popen(
                [str(word) for word in job.command], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env={**os.environ, **job.environment}, cwd=job.folder, start_new_session=True)
    ended = {}
    while len(ended) < len(running) and time.monotonic() - start < limit_s:
        for name, process in running.items():
            if name not in ended and process.poll() is not None:
                ended[name] = time.monotonic() - start
        time.sleep(0.02)
    late = [process for name, process in running.items() if name not in ended]
    for process in late:
        _signal_session(process.pid, signal.SIGTERM)  # all at once, so that the time of grace is theirs together
    for process in late:
        _end_session(process)
    return {job.name: Outcome(running[job.name].returncode if job.name in ended else None,
                              ended.get(job.name, time.monotonic() - start),
                              job.log.read_text(encoding="utf-8", errors="replace")) for job in jobs}


def run(job, limit_s):
    return run_together([job], limit_s)[job.name]
