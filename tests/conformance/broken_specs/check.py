"""check.py DFRUN: runs `DFRUN check` on each spec of expected.tsv.

It must exit with 65, or 66 where the fourth column says so: what is wrong is the data. And the first line of its errors must have the place and the part of the message that the table
says. --seconds S also bounds the time of each (the sanitizers' builds are slower).
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HUGE_BYTES = 17 << 20


def cases():
    for line in (HERE / "expected.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def find_spec(name, scratch):
    if name != "huge_file.yaml":
        return HERE / name
    path = pathlib.Path(scratch) / name
    path.write_text("#" * HUGE_BYTES, encoding="utf-8")
    return path


def check(dfrun, spec, place, message, seconds, code):
    begin = time.monotonic()
    done = subprocess.run([dfrun, "check", str(spec)], capture_output=True, text=True, timeout=120, check=False)
    took = time.monotonic() - begin
    file, _, position = place.rpartition(".yaml:")
    where = f"{spec.parent / (file + '.yaml')}:{position}: " if file else f"{spec}:{place}: "
    first = next((line for line in (done.stderr + done.stdout).splitlines() if ".yaml:" in line), "")
    if done.returncode != code:
        return f"exit {done.returncode}, not {code}: {done.stderr[-500:]}"
    if where not in first or message not in first:
        return f"expected '{where}...{message}', got '{first}'"
    if seconds and took > seconds:
        return f"took {took:.2f} s"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dfrun")
    parser.add_argument("--seconds", type=float, default=0)
    arguments = parser.parse_args()
    failed = 0
    count = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, place, message, *code in cases():
            count += 1
            spec = find_spec(name, scratch)
            problem = check(arguments.dfrun, spec, place, message, arguments.seconds, int(code[0]) if code else 65)
            if problem:
                failed += 1
                print(f"{name}: {problem}")
    print(f"{count - failed} of {count} broken specs are refused as they should be")
    return 1 if failed or count < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
