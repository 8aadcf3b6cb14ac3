"""What takes a second run: three nets beside PyTorch and JAX, and the tests of the GPU under a checker of races."""
import json
import re

from gpuchecklib import net_steps, processes
from gpuchecklib.net_steps import Measured, STEPS
from gpuchecklib.rows import FAIL, LEFT_OUT, NOT_REACHED, PASS, Row
from gpunetlib import peers
from gpunetlib.dfrun_side import DfrunSide
from gpunetlib.nets import NETS

NAMES = ("alexnet", "resnet50", "gpt2")
SHARDS = 4
# What compiles for a minute comes last.
LATE = ("torch compiled",)


def _time_of_peer(it, name, command, clock):
    """A row, and ms a step or none."""
    outcome = processes.run(it.job(name, command, folder="."), max(0.0, clock.left_s() - processes.GRACE_S))
    if outcome.code is None:
        return Row("peers", name, NOT_REACHED, "its time was over", outcome.seconds), None
    lines = [line for line in outcome.text.splitlines() if line.startswith('{"ms"')]
    if outcome.code != 0 or not lines:
        last = (outcome.text.strip().splitlines() or ["no word"])[-1]
        return Row("peers", name, LEFT_OUT, f"ended with {outcome.code}: {last[:200]}", outcome.seconds), None
    ms = json.loads(lines[-1])["ms"]
    return Row("peers", name, PASS, f"{ms:.4g} ms a step", outcome.seconds), ms


def check_peers(it, clock):
    """Rows, and {(net, precision, who): ms}."""
    if it.is_emulated:
        return [Row("peers", "PyTorch and JAX", LEFT_OUT, "the GPU is emulated")], {}
    part = clock.part(it.bound_s("peers"))
    nets = [net for net in NETS if net.name in NAMES]
    rows = [Row("peers", sentence.split(" is ")[0], LEFT_OUT, sentence.split(": ")[1]) for sentence in peers.missing()]
    measured = [Measured(net, precision) for precision in net_steps.PRECISIONS for net in nets]
    side = DfrunSide(it.program("dfrun"), it.out / "nets", it.environment)
    times = {}
    for one in measured:
        if part.left_s() >= net_steps.LEAST_S:
            one.run(side, False, part.part(net_steps.SHARE_OF_RUN * it.bound_s("peers")), False)
        rows.append(Row("peers", one.name, PASS if one.ms is not None else one.result, one.text or "no time was left", one.seconds))
        if one.ms is not None:
            times[one.net.name, one.precision, "dfrun"] = one.ms
    planned = [(one, who, command) for one in measured for who, command in peers.peers_of(one.net, one.net.batch, one.precision, STEPS)]
    for one, who, command in sorted(planned, key=lambda plan: plan[1] in LATE):
        name = f"{one.name} {who}"
        if part.left_s() < net_steps.LEAST_S + processes.GRACE_S:
            rows.append(Row("peers", name, NOT_REACHED, "no time was left"))
            continue
        row, ms = _time_of_peer(it, name, command, part.part(net_steps.SHARE_OF_RUN * it.bound_s("peers")))
        rows.append(row)
        if ms is not None:
            times[one.net.name, one.precision, who] = ms
    return rows, times


def check_races(it, clock):
    name = "test_gpu_device"
    sanitizer = it.folder / "sanitizer/compute-sanitizer"
    if it.is_emulated or not sanitizer.exists():
        why = "the GPU is emulated" if it.is_emulated else "the bundle has no sanitizer/compute-sanitizer"
        return [Row("racecheck", name, LEFT_OUT, why)]
    part = clock.part(it.bound_s("racecheck"))
    command = [sanitizer, "--tool", "racecheck", "--error-exitcode", 9, "--target-processes", "all", it.program(name),
               "--gtest_print_time=0", "--gtest_filter=-*NoMoreMemory*"]
    jobs = [it.job(f"racecheck-{i}", command, {"GTEST_TOTAL_SHARDS": str(SHARDS), "GTEST_SHARD_INDEX": str(i)})
            for i in range(SHARDS)]
    outcomes = processes.run_together(jobs, max(0.0, part.left_s() - processes.GRACE_S)).values()
    passed = sum(len(re.findall(r"^\[ +OK \]", outcome.text, re.MULTILINE)) for outcome in outcomes)
    seconds = max(outcome.seconds for outcome in outcomes)
    codes = [outcome.code for outcome in outcomes if outcome.code not in (0, None)]
    if codes:
        return [Row("racecheck", name, FAIL, f"ended with {codes[0]}, see {it.out}/racecheck-*.log", seconds)]
    if any(outcome.code is None for outcome in outcomes):
        return [Row("racecheck", name, NOT_REACHED, f"{passed} tests passed, and its time was over", seconds)]
    return [Row("racecheck", name, PASS, f"{passed} tests without a race", seconds)]
