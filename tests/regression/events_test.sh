#!/usr/bin/env bash
# The event files of a run hold the scalars of metrics.jsonl, number by number: after kills and resumes, with a torn last
# record, and made of metrics.jsonl by `dfrun export`. A file system that is full ends no job.
#   events_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
here=$SOURCE/tests/regression/events
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here

cat > far.yaml <<'Y'
dfrun: 1
name: "${kind}"
params: {steps: 40, rate: 0.125, kind: noisy}
graph:
  W:     {op: Variable, shape: [400], init: zeros}
  noise: RandomUniform(shape=[8, 400], minval=-0.1, maxval=0.1)
  loss:  Mean(Square(W + noise - 3.0))
  far:   Abs(Mean(W) - 1.5)
  none:  far / 0.0 * 0.0
train: {loss: loss, optimizer: momentum, momentum: 0.5, learning_rate: "${rate}", steps: "${steps}", replicas: 2, log_every: 2}
eval:
  eval:  {every: 5, metrics: [far, none]}
  other: {every: 20, metrics: [far]}
summaries: {scalars: [far]}
checkpoint: {every: 5, keep: 2}
Y
check() { /usr/bin/python3 "$here/check.py" "$@" || fail "events of $1"; }
ok() { timeout 60 "$@" > out 2>&1 || { cat out; fail "$*"; }; }
say() { /usr/bin/python3 -c "import reader; $1" || fail "not: $1"; }

# A whole run over two ranks: scalars, hyperparameters, graph, times of nodes.
ranks 2 "$DFRUN" far.yaml --output run --trace 3 --set kind=calm > log 2>&1 || { cat log; fail "the job"; }
check run
say "
start, status = reader.hparams('run/events')
assert status == 1, status
assert start['rate'] == 0.125 and start['kind'] == 'calm' and start['optimizer'] == 'momentum', start
assert start['momentum'] == 0.5 and start['steps'] == 40 and start['learning_rate'] == 0.125, start
nodes = reader.graph('run/events/train')
assert set(nodes.values()) == {f'/job:worker/task:{i}/device:cpu:0' for i in (0, 1)}, set(nodes.values())
times = reader.times('run/events/train')
assert len(times) >= 3, times.keys()
timed = {node for step in times.values() for node in step}
assert {device for device, _ in timed} == set(nodes.values()), {device for device, _ in timed}
assert all(us > 0 for step in times.values() for us in step.values())
assert sum(nodes.get(name) == device for device, name in timed) > len(timed) / 2, (timed, nodes)
layout = [v for v in reader.values('run/events/train') if v[1] == 'custom_scalars__config__']
assert len(layout) == 1 and b'^memory/' in layout[0][3][8][0], layout
"

# Killed and resumed several times: each start has a file of its own, and a session that was killed no end.
many=(--output killed --set steps=6000 --set checkpoint.every=100)
lines() { { cat killed/metrics.jsonl 2> /dev/null || true; } | wc -l; }
for start in 1 2 3 4; do
  before=$(lines)
  "$DFRUN" far.yaml "${many[@]}" $([ "$start" = 1 ] || echo --resume) > log 2>&1 &
  job=$!
  for _ in $(seq 3000); do
    if [ "$(lines)" -gt $((before + 150)) ]; then break; fi
    sleep 0.01
  done
  kill -9 "$job" || { cat log; fail "the job ended before it was killed"; }
  wait "$job" 2> /dev/null || true
  say "assert reader.hparams('killed/events')[1] is None"
done
expect 0 "resuming at step" "$DFRUN" far.yaml "${many[@]}" --resume
check killed
say "assert len(reader.files('killed/events/train')) == 5"
say "assert len(reader.files('killed/events')) == 1"
say "assert reader.hparams('killed/events')[1] == 1"

# The last record cut short at each byte, and a resumed run behind it.
last=$(ls -d run/events/train/*tfevents* | tail -n 1)
size=$(stat -c %s "$last")
/usr/bin/python3 - "$last" <<'P'
import sys
import reader
data = open(sys.argv[1], "rb").read()
whole = list(reader.records(data))
for size in range(len(data) - 16 - len(whole[-1]), len(data)):
    assert list(reader.records(data[:size])) == whole[:-1], size
P
truncate -s $((size - 5)) "$last"
expect 0 "resuming at step 40" "$DFRUN" far.yaml --output run --resume --set steps=60 --set kind=calm
say "assert max(reader.scalars('run/events/train')['loss']) == 60"
say "assert reader.scalars('run/events/train')['loss'][42] > 0"

# A job that failed, then went on to its end, is a success.
cat > fails.yaml <<'Y'
dfrun: 1
params: {most: 5}
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
  less:  Less(next, ${most})
  say:   {op: Assert, inputs: [less, next]}
run: {steps: 8, fetch: [next], targets: [say]}
checkpoint: {every: 2}
Y
code=0
"$DFRUN" fails.yaml --output failed > out 2>&1 || code=$?
[ "$code" != 0 ] || fail "the assertion held"
say "assert reader.hparams('failed/events')[1] == 2"
expect 0 "resuming at step 4" "$DFRUN" fails.yaml --output failed --resume --set most=100
say "assert reader.hparams('failed/events')[1] == 1"
check failed

# `events: false` writes none, and an export makes them of metrics.jsonl.
expect 0 "" "$DFRUN" far.yaml --output none --set events=false
[ ! -e none/events ] || fail "events: false wrote some"
ok "$DFRUN" export none --to tensorboard --out board
check none board
say "assert reader.hparams('board') == (reader.hparams('board')[0], 1) and reader.hparams('board')[0]['rate'] == 0.125"
expect 64 "which is not empty" "$DFRUN" export none --to tensorboard --out board
ok "$DFRUN" export none --to tensorboard --out board --force
check none board
expect 64 "it lies in" "$DFRUN" export none --to tensorboard --out none/board
# What the run's own files hold besides is copied.
ok "$DFRUN" export run --to tensorboard --out copy
check run copy
say "assert reader.graph('copy/train') == reader.graph('run/events/train') and reader.graph('copy/train')"
say "assert reader.times('copy/train') == reader.times('run/events/train')"

# Tables.
ok "$DFRUN" export run --to csv --out run.csv
expect 64 "--force" "$DFRUN" export run --to csv --out run.csv
ok "$DFRUN" export run --to npz --out run.npz
/usr/bin/python3 - <<'P'
import csv, json, math
import numpy
rows, names = {}, []
for line in open("run/metrics.jsonl"):
    line = json.loads(line)
    row = rows.setdefault(line.pop("step"), {})
    line.pop("wall_s")
    row.update(line)
    names += [name for name in line if name not in names]
table = list(csv.DictReader(open("run.csv")))
arrays = numpy.load("run.npz")
assert list(table[0]) == ["step", "wall_s"] + names, table[0]
assert [int(row["step"]) for row in table] == sorted(rows) == [int(step) for step in arrays["step"]]
for i, row in enumerate(table):
    for name in names:
        value = rows[int(row["step"])].get(name)
        assert row[name] == ("" if value is None else str(value) if isinstance(value, str) else row[name]), (name, row)
        if value is not None and not isinstance(value, str):
            assert float(row[name]) == value == arrays[name][i], (name, value, row[name], arrays[name][i])
        elif value is None and name in arrays:
            assert math.isnan(arrays[name][i])
assert set(arrays) >= {"step", "wall_s", "loss", "eval/far"}, set(arrays)
P
expect 64 "the formats are csv, npz, tensorboard, wandb" "$DFRUN" export run --to json --out x
expect 66 "no run directory" "$DFRUN" export nothing --to csv --out x.csv

# Files that may not grow, which the graph would make too long: one warning, and the job and its metrics are whole.
grep -v '^checkpoint:' far.yaml > full.yaml
code=0
(ulimit -f 6; exec timeout 60 "$DFRUN" full.yaml --output full > log 2>&1) || code=$?
[ "$code" = 0 ] || { cat log; fail "a job whose events cannot be written ended with $code"; }
[ "$(grep -c 'events for TensorBoard are dropped' log)" = 1 ] || { cat log; fail "not one warning"; }
[ "$(grep -c '"loss"' full/metrics.jsonl)" = 20 ] || fail "metrics.jsonl is not whole"
echo "events: $(du -sb run/events/train | cut -f 1) bytes of 30 logged steps"
