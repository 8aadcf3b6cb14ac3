#!/usr/bin/env bash
# The curves that `dfrun plot` draws are the values of metrics.jsonl.
#   plot_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

mkdir -p 'a&<b>' other torn
/usr/bin/python3 - <<'P'
import json, math

def write(run, steps, value, tail=""):
    with open(run + "/metrics.jsonl", "w") as file:
        for step in steps:
            line = {"step": step, "wall_s": step / 100, "memory/job:worker/task:0/device:cpu:0": 5, "samples_per_s": 9.0,
                    "loss": value(step)}
            file.write(json.dumps(line) + "\n")
            if step % 100 == 0:
                file.write(json.dumps({"step": step, "wall_s": step / 100, "eval/\"x\"": 1 - 1 / step}) + "\n")
        file.write(tail)

write("a&<b>", range(10, 2010, 10), lambda step: 3 * math.exp(-step / 300))
write("other", range(10, 1010, 10), lambda step: "NaN" if step == 500 else 2 / step + 0.001)
write("torn", range(1, 50001), lambda step: 1 + math.sin(step / 50) / 4, '{"step": 50001, "lo')
P
cat > check.py <<'P'
"""check.py SVG IS_LOG METRIC RUN...: the curve of each run in the panel of the metric has the points of the run."""
import bisect, json, math, re, sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
path, is_log, metric, runs = sys.argv[1], sys.argv[2] == "log", sys.argv[3], sys.argv[4:]
root = ET.parse(path).getroot()
panel = next(g for g in root.iter(SVG + "g") if g.find(SVG + "text").text == metric)
# Labels stand 4 pixels below their lines.
texts = panel.findall(SVG + "text")[1:]
scale = math.log10 if is_log else float


def fit(ticks, of):
    """The values at two positions give the line through them."""
    (at0, value0), (at1, value1) = ticks[0], ticks[-1]
    return lambda at: of(value0) + (at - at0) * (of(value1) - of(value0)) / (at1 - at0)


across = [(float(t.get("x")), float(t.text)) for t in texts if t.get("text-anchor") == "middle"]
up = [(float(t.get("y")) - 4, float(t.text)) for t in texts if t.get("text-anchor") == "end" and t.text != "step"]
assert len(across) >= 2 and len(up) >= 2, (across, up)
step_at, value_at = fit(across, float), fit(up, scale)
a_pixel = [abs(of(1) - of(0)) for of in (step_at, value_at)]
curves = {p.find(SVG + "title").text: p for p in panel.iter(SVG + "path")}
legend = [t.text for t in root.findall(SVG + "text")]
assert legend == runs, (legend, runs)
assert curves.keys() <= set(runs) and curves, (curves, runs)
for run, curve in curves.items():
    wanted = {}
    for line in open(run + "/metrics.jsonl"):
        if line.endswith("\n") and metric in (line := json.loads(line)) and line[metric] != "NaN":
            wanted[line["step"]] = line[metric]
    steps = sorted(wanted)
    points = [(float(x), float(y)) for x, y in re.findall(r"[ML](\S+) ([^ML]+)", curve.get("d"))]
    assert len(points) == len(wanted) if len(wanted) <= 2000 else 1000 < len(points) <= 2010, (run, len(points))
    for x, y in points:
        margin = 0.02 * a_pixel[0] + 1e-9
        near = steps[bisect.bisect_left(steps, step_at(x) - margin):bisect.bisect_right(steps, step_at(x) + margin)]
        assert any(abs(scale(wanted[s]) - value_at(y)) <= 0.03 * a_pixel[1] for s in near), (run, x, y, near)
    values = [value_at(y) for x, y in points]
    for least in (min, max):
        assert abs(least(values) - scale(least(wanted.values()))) <= 0.03 * a_pixel[1], (run, least)
    gaps = curve.get("d").count("M") - 1
    assert gaps == (1 if run == "other" and metric == "loss" else 0), (run, gaps)
P
check() { /usr/bin/python3 check.py "$@" || fail "the curves of $*"; }

sha256sum ./*/metrics.jsonl > sums
expect 0 'curves.svg: eval/"x", loss' "$DFRUN" plot 'a&<b>' other torn --out curves.svg
check curves.svg linear loss 'a&<b>' other torn
check curves.svg linear 'eval/"x"' 'a&<b>' other torn
[ "$(stat -c %s curves.svg)" -lt 300000 ] || fail "curves.svg has $(stat -c %s curves.svg) bytes"
expect 0 "log.svg: loss" "$DFRUN" plot 'a&<b>' other --out log.svg --metric loss --log-y
check log.svg log loss 'a&<b>' other
expect 0 'eval.svg: eval/"x"' "$DFRUN" plot other --out eval.svg --metric 'eval/*'
expect 0 'speed.svg: samples_per_s' "$DFRUN" plot other --out speed.svg --metric samples_per_s
sha256sum --quiet -c sums || fail "a run was changed"

# Files of others stay, and what is not there is told.
echo mine > own.svg
expect 64 "which dfrun did not write" "$DFRUN" plot other --out own.svg
[ "$(cat own.svg)" = mine ] || fail "a file of the user's was replaced"
expect 0 "own.svg" "$DFRUN" plot other --out own.svg --force
expect 0 "own.svg" "$DFRUN" plot torn --out own.svg
expect 64 "it is a part of other" "$DFRUN" plot other --out other/metrics.jsonl --force
expect 64 "no run has 'los'; the nearest names are 'loss'" "$DFRUN" plot other --out x.svg --metric los
mkdir empty none
: > empty/metrics.jsonl
expect 66 "no metrics yet" "$DFRUN" plot empty --out x.svg
expect 66 "'none' is no run directory" "$DFRUN" plot other none --out x.svg
expect 64 "" "$DFRUN" plot other
[ ! -e x.svg ] || fail "a picture was written without curves"
echo "the curves are those of metrics.jsonl"
