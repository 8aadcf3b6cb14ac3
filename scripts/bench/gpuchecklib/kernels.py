"""The kernels of a net's step, each with its time on the GPU: by CUPTI, nsys or ncu, whichever gives it first."""
import csv
import io
import shutil

from gpuchecklib import processes
from gpuchecklib.net_steps import LEAST_S, params_for
from gpuchecklib.rows import LEFT_OUT, NOT_REACHED, PASS, Row
from gpunetlib.dfrun_side import NETS as SPECS

PART = "kernels"
# Kernels of a step are those of the longer run less those of the shorter one, so that the start is none of them.
STEPS = (4, 12)
# It repeats each kernel, in milliseconds.
NCU_STEPS = (2, 3)
LINES = 15


def read_cupti(text):
    """{name: (calls, ns)} of the lines that kernel_times.cc writes."""
    times = {}
    for line in text.splitlines():
        calls, ns, name = line.split("\t", 2)
        times[name] = (int(calls), int(ns))
    return times


def _table_of_csv(text, column):
    """The rows of the comma-separated table in a program's output, whose first line holds this column."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if column in line and "," in line), None)
    return [] if start is None else list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))


def read_nsys(text):
    times = {}
    for row in _table_of_csv(text, "Total Time (ns)"):
        if (row.get("Instances") or "").isdigit():
            times[row["Name"]] = (int(row["Instances"]), int(row["Total Time (ns)"]))
    return times


def read_ncu(text):
    """A row a call. The unit of a time is a row's own."""
    factors = {"nsecond": 1, "ns": 1, "usecond": 1e3, "us": 1e3, "msecond": 1e6, "ms": 1e6, "second": 1e9, "s": 1e9}
    times = {}
    for row in _table_of_csv(text, "Metric Value"):
        if row.get("Metric Name") == "gpu__time_duration.sum":
            calls, ns = times.get(row["Kernel Name"], (0, 0))
            more = float(row["Metric Value"].replace(",", "")) * factors[row["Metric Unit"]]
            times[row["Kernel Name"]] = (calls + 1, ns + round(more))
    return times


def _by_cupti(it, command, steps):
    library, times = it.folder / "profile/libkernel_times.so", it.out / f"kernels-{steps}.txt"
    times.unlink(missing_ok=True)
    job = it.job(f"kernels-{steps}-cupti", command,
                 {"CUDA_INJECTION64_PATH": str(library), "DFRUN_KERNEL_TIMES": str(times)})
    return job, lambda _: read_cupti(times.read_text(encoding="utf-8")) if times.exists() else {}


def _by_nsys(it, command, steps):
    report = it.out / f"kernels-{steps}"
    script = ('nsys profile --trace=cuda --cuda-graph-trace=node --sample=none --cpuctxsw=none --force-overwrite=true '
              '--output="$0" "$@" && nsys stats --force-export=true --report cuda_gpu_kern_sum --format csv "$0.nsys-rep"')
    return it.job(f"kernels-{steps}-nsys", ["bash", "-c", script, report, *command]), read_nsys


def _by_ncu(it, command, steps):
    words = ["ncu", "--csv", "--metrics", "gpu__time_duration.sum", "--clock-control", "none", "--target-processes", "all"]
    return it.job(f"kernels-{steps}-ncu", [*words, *command]), read_ncu


def _ways(it):
    """Triples of a name, what makes the job and its reader, and the steps of both runs; and why others are none."""
    ways, missing = [], []
    if (it.folder / "profile/libkernel_times.so").exists():
        ways.append(("CUPTI", _by_cupti, STEPS))
    else:
        missing.append("the bundle has no library for CUPTI")
    for name, way, steps in (("nsys", _by_nsys, STEPS), ("ncu", _by_ncu, NCU_STEPS)):
        if shutil.which(name):
            ways.append((name, way, steps))
        else:
            missing.append(f"there is no {name}")
    return ways, missing


def _command(it, measured, steps, output):
    params = {**params_for(measured.net, measured.precision, it.is_emulated), "steps": steps, "log": steps}
    command = [it.program("dfrun"), "run", SPECS / measured.net.spec, "--output", output]
    for name, value in params.items():
        command += ["--set", f"{name}={value}"]
    return command


def difference(few, many, steps):
    """[(calls a step, us a step, name)], the longest first."""
    found = []
    for name, (calls, ns) in many.items():
        calls_before, ns_before = few.get(name, (0, 0))
        if calls > calls_before:
            found.append(((calls - calls_before) / steps, max(0, ns - ns_before) / steps / 1e3, name))
    return sorted(found, key=lambda kernel: -kernel[1])


def _profile(it, way, runs, measured, clock):
    """Kernels of a step, or why there are none; TimeoutError where its time was over."""
    times = []
    for steps in runs:
        output = it.out / f"kernels-run-{steps}"
        shutil.rmtree(output, ignore_errors=True)
        job, read = way(it, _command(it, measured, steps, output), steps)
        outcome = processes.run(job, max(0.0, clock.left_s() - processes.GRACE_S))
        if outcome.code is None:
            raise TimeoutError
        if outcome.code != 0:
            return f"ended with {outcome.code}, see {job.log}"
        times.append(read(outcome.text))
    return difference(times[0], times[1], runs[1] - runs[0]) or "gave no kernels"


def table(kernels):
    whole = sum(us for _, us, _ in kernels)
    lines = ["  us a step  share  calls  kernel"]
    for calls, us, name in kernels[:LINES]:
        lines.append(f"  {us:9.1f} {us / whole:6.1%} {calls:6.3g}  {name[:100]}")
    if len(kernels) > LINES:
        rest = sum(us for _, us, _ in kernels[LINES:])
        lines.append(f"  {rest:9.1f} {rest / whole:6.1%}         {len(kernels) - LINES} others")
    return "\n".join([*lines, f"  {whole:9.1f} 100.0%         in all"])


def check(it, clock, measured):
    """Rows, and the kernels of a step of the slowest net, which are printed; none where nothing gives them."""
    slowest = max((one for one in measured if one.ms is not None), key=lambda one: one.ms, default=None)
    if slowest is None:
        return [Row(PART, "the slowest net", NOT_REACHED, "no net was measured")], []
    name = f"of {slowest.name}"
    part = clock.part(it.bound_s(PART))
    ways, reasons = _ways(it)
    for way_name, way, runs in ways:
        if part.left_s() < LEAST_S + processes.GRACE_S:
            return [Row(PART, name, NOT_REACHED, "no time was left")], []
        begun = part.seconds()
        try:
            found = _profile(it, way, runs, slowest, part)
        except TimeoutError:
            return [Row(PART, name, NOT_REACHED, f"its time was over, by {way_name}", part.seconds() - begun)], []
        if not isinstance(found, str):
            print(f"\nKernels of a step of {slowest.name} on {it.gpu}, by {way_name}:\n{table(found)}", flush=True)
            whole = sum(us for _, us, _ in found) / 1e3
            text = f"{len(found)} kernels, {whole:.4g} ms of a step, by {way_name}"
            return [Row(PART, name, PASS, text, part.seconds() - begun)], found
        reasons.append(f"{way_name} {found}")
    return [Row(PART, name, LEFT_OUT, "; ".join(reasons))], []
