#!/usr/bin/env bash
# `dfrun runs` tells the state, the params and the metrics of each run below a folder, and changes nothing there.
#   runs_test.sh SOURCE_DIR DFRUN [COUNT]
# COUNT: copies of a run that are listed, 200 by default.
SOURCE=$1 DFRUN=$2 COUNT=${3:-200}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/preload.sh"
library=$(dirname "$DFRUN")/libdfrun_test_file_system.so
preload_name library

cat > mlp.yaml <<Y
dfrun: 1
params: {lr: 0.1, hidden: 8}
include: [lib/nn.yaml]
inputs:
  batch: {hdf5: $SOURCE/configs/data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 64, shuffle: true}
  test: {hdf5: $SOURCE/configs/data/digits.h5, tensors: {image: /test/image, label: /test/label}, batch: all}
graph:
  h1: dense(batch/image, units=\${hidden}, activation=Relu)
  logits: dense(h1, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  accuracy: Mean(Cast(Equal(ArgMax(logits, 1), batch/label), DstT=float32))
train: {loss: loss, optimizer: momentum, learning_rate: "\${lr}", momentum: 0.9, steps: 200, log_every: 10}
eval: {every: 50, feed: {batch: test}, metrics: [accuracy]}
checkpoint: {every: 100, best: {metric: eval/accuracy, mode: max}}
Y
start() {
  local run=$1
  shift
  "$DFRUN" mlp.yaml --output "runs/$run" "$@" > "$run.log" 2>&1 &
  job=$!
  for _ in $(seq 3000); do
    if [ -s "runs/$run/metrics.jsonl" ]; then return; fi
    sleep 0.02
  done
  cat "$run.log" >&2
  fail "the job $run does not begin"
}

# Runs that ended in each way, and one that goes on.
"$DFRUN" mlp.yaml --output runs/done > log 2>&1 || { cat log; fail "the job"; }
"$DFRUN" mlp.yaml --output runs/more/below/wide --set hidden=16 --set lr=0.05 > log 2>&1 || { cat log; fail "the job"; }
code=0
"$DFRUN" mlp.yaml --output runs/failed --set lr=1e30 > log 2>&1 || code=$?
[ "$code" = 71 ] || { cat log; fail "exit code $code, not 71"; }
start stopped --steps 100000000
kill -USR1 "$job"
code=0
wait "$job" || code=$?
[ "$code" = 75 ] || { cat stopped.log; fail "exit code $code, not 75"; }
start killed --steps 100000000
kill -9 "$job"
wait "$job" 2> /dev/null || true
start running --steps 100000000
running=$job
trap 'kill -9 "$running" 2> /dev/null || true; rm -rf "$WORK"' EXIT
kill -STOP "$running"
# Files that are cut short or not there, and folders that are no runs.
cp -r runs/done runs/torn
truncate -s -7 runs/torn/metrics.jsonl
mkdir -p runs/bare runs/empty/folder runs/.hidden
cp runs/done/metrics.jsonl runs/bare
cp -r runs/done runs/.hidden/run
cp -r runs/done runs/damaged
head -c 100 runs/done/run.json > runs/damaged/run.json
ln -s "$PWD/runs/done" runs/link

state runs > before
"$DFRUN" runs runs --json > runs.json || fail "dfrun runs"
"$DFRUN" runs runs --csv > runs.csv || fail "dfrun runs --csv"
"$DFRUN" runs runs > table || fail "dfrun runs"
state runs > after
cmp before after || { diff before after; fail "dfrun runs changed something"; }

cat > check.py <<'P'
import csv, json, math

runs = {run["run"]: run for run in json.load(open("runs.json"))}
states = {name.removeprefix("runs/"): run["state"] for name, run in runs.items()}
assert states == {"done": "done", "more/below/wide": "done", "failed": "failed", "stopped": "stopped", "killed": "killed",
                  "running": "running", "torn": "done", "bare": "unknown", "damaged": "unknown"}, states


def lines_of(path):
    lines = []
    for line in open(path + "/metrics.jsonl"):
        if line.endswith("\n"):
            lines.append(json.loads(line))
    return lines


def same(a, b):
    return a == b or {a, b} <= {"NaN", "Infinity", "-Infinity"} or (isinstance(a, float) and math.isnan(a))


for path, run in runs.items():
    last, best = {}, None
    for line in lines_of(path):
        for name, value in line.items():
            if name in ("step", "wall_s", "samples_per_s") or name.startswith(("memory/", "waiting/")):
                continue
            last[name] = value
            if name == "eval/accuracy" and (best is None or value > best[1]):
                best = line["step"], value
    assert run["last"].keys() == last.keys(), (path, run["last"], last)
    assert all(same(run["last"][name], value) for name, value in last.items()), (path, run["last"], last)
    assert run["step"] == (lines_of(path)[-1]["step"] if lines_of(path) else 0), path
    if path != "runs/bare":
        assert (run["best"] and (run["best"]["step"], run["best"]["value"])) == best, (path, run["best"], best)
done, wide = runs["runs/done"], runs["runs/more/below/wide"]
assert done["params"]["lr"] == "0.1" and wide["params"]["lr"] == "0.05" and wide["params"]["hidden"] == "16"
assert done["steps"] == 200 and done["exit"] == 0 and runs["runs/failed"]["exit"] == 71
assert runs["runs/killed"]["exit"] is None and runs["runs/killed"]["steps"] == 100000000
assert runs["runs/damaged"]["params"] == done["params"] and runs["runs/damaged"]["steps"] == 200

rows = {row["run"]: row for row in csv.DictReader(open("runs.csv"))}
assert rows.keys() == runs.keys()
assert {name: row["state"] for name, row in rows.items()} == {name: run["state"] for name, run in runs.items()}
assert rows["runs/more/below/wide"]["lr"] == "0.05" and float(rows["runs/done"]["eval/accuracy"]) == done["last"]["eval/accuracy"]
table = [line.split() for line in open("table")]
assert "lr" in table[0] and "hidden" in table[0] and "train.momentum" not in table[0], table[0]
assert ["runs/failed", "failed", "(71)"] == next(row for row in table if row[0] == "runs/failed")[:3]
P
/usr/bin/python3 check.py || fail "what dfrun runs says"

# Filters, orders, and what is wrong.
paths() { "$DFRUN" runs "$@" --csv | tail -n +2 | cut -d, -f1 | tr '\n' ' '; }
[ "$(paths runs --where 'state = done and hidden > 8')" = "runs/more/below/wide " ] || fail "--where"
[ "$(paths runs --where 'exit = 71')" = "runs/failed " ] || fail "--where of exit"
[ "$(paths runs --where 'hidden = 8 and state = killed' --sort lr)" = "runs/killed " ] || fail "--where with --sort"
[ "$(paths runs/done)" = "runs/done " ] || fail "one run"
[ "$(paths runs/done runs 2> /dev/null)" = "" ] || fail "two folders"
expect 64 "no run has 'hiden'; the nearest names are 'hidden'" "$DFRUN" runs runs --where 'hiden > 8'
expect 64 "is no comparison; write NAME < VALUE" "$DFRUN" runs runs --where 'hidden'
expect 64 "--sort: no run has 'eval/acuracy'; the nearest names are 'eval/accuracy'" "$DFRUN" runs runs --sort eval/acuracy
expect 66 "cannot look at 'absent'" "$DFRUN" runs absent
expect 66 "'table' is a file, not a directory of runs" "$DFRUN" runs table
expect 0 "no runs" "$DFRUN" runs runs/empty
mkdir -p "odd/$(printf 'a\033[31m\nb')"
cp runs/done/metrics.jsonl odd/a*
expect 0 'odd/a\x1b[31m\nb' "$DFRUN" runs odd
# Where the file system has no locks, a run without an end goes on as long as its files are written.
without_locks() { LD_PRELOAD=$library REFUSE=locks paths "$@"; }
touch runs/killed/metrics.jsonl
[ "$(without_locks runs --where 'state = running')" = "runs/killed runs/running " ] || fail "without locks"
touch -d '1 hour ago' runs/killed/metrics.jsonl runs/killed/run.json
[ "$(without_locks runs --where 'state = killed')" = "runs/killed " ] || fail "without locks, an hour ago"
# The one that goes on is seen to end.
kill -CONT "$running"
kill -USR1 "$running"
wait "$running" || true
[ "$(paths runs --where 'state = running')" = "" ] || fail "it has ended"

# Many: every 20th was cut short, every 100th goes on.
mkfifo end
/usr/bin/python3 "$SOURCE/tests/regression/make_runs.py" runs/done many "$COUNT" < end > made &
maker=$!
trap 'kill -9 "$maker" 2> /dev/null || true; rm -rf "$WORK"' EXIT
exec 9> end
for _ in $(seq 1000); do
  if [ -s made ]; then break; fi
  sleep 0.1
done
grep -q made made || fail "the copies are not made"
state many > before
begin=$(date +%s%N)
"$DFRUN" runs many --sort eval/accuracy --json > many.json || fail "dfrun runs many"
echo "$COUNT runs in $((($(date +%s%N) - begin) / 1000000)) ms"
state many > after
cmp before after || fail "dfrun runs changed something of many"
/usr/bin/python3 - "$COUNT" <<'P' || fail "what dfrun runs says of many"
import json, sys

count = int(sys.argv[1])
runs = json.load(open("many.json"))
assert len(runs) == count, len(runs)
ends = {10: "running", 11: "killed", 12: "failed", 13: "stopped"}
for run in runs:
    number = int(run["run"][-4:])
    assert run["state"] == ends.get(number % 100, "done"), run
    assert run["params"]["lr"] == str((number + 1) / 1000), run
    assert (run["last"]["eval/accuracy"] == 0.5 + number / 10000) == (number % 20 != 0), run
whole = [run["last"]["eval/accuracy"] for run in runs]
assert whole == sorted(whole, reverse=True)
P
exec 9>&-
wait "$maker"
echo "runs are listed"
