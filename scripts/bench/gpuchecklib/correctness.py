"""The tests of a bundle and its trainings, side by side."""
import os
import re
import shutil

from gpuchecklib import processes, target
from gpuchecklib.rows import FAIL, LEFT_OUT, NOT_REACHED, PASS, Row

PART = "correctness"
NETS = ("digits_mlp", "digits_cnn")
MOST_SHARDS = 8


def _shards(it):
    return 1 if it.is_emulated else max(1, min(MOST_SHARDS, (os.cpu_count() or 1) // 2))


def _tests(it):
    """Jobs by test."""
    def gtest(program, only, **environment):
        return ([it.program(program), "--gtest_print_time=0", f"--gtest_filter={only}"], environment)

    gpu = target.EMULATED_GPU if it.is_emulated else "*"
    control_flow = target.EMULATED_CONTROL_FLOW if it.is_emulated else "*ControlFlow*:-*WhatOnlyHandsOnIsNoNode*"
    golden = target.EMULATED_GOLDEN if it.is_emulated else "*"
    shards = _shards(it)
    libraries = {"DFRUN_EMULATED_CARD": ""} if it.is_emulated else {}  # which are quick for products
    tests = {"gpu": [gtest("test_gpu_device", gpu, **libraries)], "control flow": [gtest("test_executor", control_flow)], "golden": []}
    for shard in range(shards):
        tests["golden"].append(gtest("conformance_kernels", f"{golden}-*Mutation*:*Shape*",
                                     DFRUN_TEST_REPORT=str(it.out / f"not_on_gpu-{shard}.txt"),
                                     GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(shard)))
    return {name: [it.job(f"{name}-{i}", command, environment) for i, (command, environment) in enumerate(parts)]
            for name, parts in tests.items()}


def _trainings(it):
    """A job a net; none where nothing starts ranks."""
    if shutil.which("mpirun") is None:
        return {}
    words = ["--epochs", 1] if it.is_emulated else []
    nets = NETS[:1] if it.is_emulated else NETS
    for net in nets:
        shutil.rmtree(it.out / net, ignore_errors=True)  # a run directory in use would be refused
    return {f"training {net}": [it.job(f"training-{net}", [it.folder / "run-trainings", *words, it.out / net, net])]
            for net in nets}


def _count(pattern, outcomes):
    return sum(len(re.findall(pattern, outcome.text, re.MULTILINE)) for outcome in outcomes)


def _row_of_tests(name, outcomes):
    passed = _count(r"^\[ +OK \]", outcomes)
    failed = sorted({match for outcome in outcomes for match in re.findall(r"^\[  FAILED  \] ([^\s,]+)", outcome.text, re.MULTILINE)})
    ran = [re.search(r"(\d+) of (\d+) golden cases ran on", outcome.text) for outcome in outcomes]
    text = f"{passed} tests passed"
    if any(ran):
        text += ", {} of {} cases on the GPU".format(*(sum(int(match[i]) for match in ran if match) for i in (1, 2)))
    if failed:
        text += f", failed: {', '.join(failed[:3])}{' and others' if len(failed) > 3 else ''}"
    codes = [outcome.code for outcome in outcomes]
    skipped = _count(r"^\[  SKIPPED \]", outcomes)
    if failed or any(code not in (0, None) for code in codes):
        result = FAIL
        text += "" if failed else f"; ended with {next(code for code in codes if code not in (0, None))}"
    elif None in codes:
        result, text = NOT_REACHED, f"{text}, and its time was over"
    elif passed == 0:
        result, text = FAIL, f"no test ran: {skipped} were skipped"
    else:
        result = PASS
    return Row(PART, name, result, text, max(outcome.seconds for outcome in outcomes))


def _row_of_training(name, outcome):
    lines = re.findall(r"^(?:pass|FAIL).*", outcome.text, re.MULTILINE)
    failed = [line for line in lines if line.startswith("FAIL")]
    if failed or outcome.code not in (0, None):
        return Row(PART, name, FAIL, failed[0] if failed else f"ended with {outcome.code}", outcome.seconds)
    text = f"{len(lines)} jobs and comparisons passed"
    if outcome.code is None:
        return Row(PART, name, NOT_REACHED, f"{text}, and its time was over", outcome.seconds)
    accuracy = re.findall(r"accuracy ([\d.]+)", outcome.text)
    return Row(PART, name, PASS, f"{text}, accuracy {min(accuracy, default='?')} and more", outcome.seconds)


def check(it, clock):
    """The rows of this part."""
    tests, trainings = _tests(it), _trainings(it)
    jobs = [job for parts in [*tests.values(), *trainings.values()] for job in parts]
    part = clock.part(it.bound_s(PART))
    outcomes = processes.run_together(jobs, max(0.0, part.left_s() - processes.GRACE_S))
    rows = [_row_of_tests(name, [outcomes[job.name] for job in parts]) for name, parts in tests.items()]
    rows += [_row_of_training(name, outcomes[parts[0].name]) for name, parts in trainings.items()]
    if not trainings:
        rows.append(Row(PART, "trainings", LEFT_OUT, "there is no mpirun"))
    return rows
