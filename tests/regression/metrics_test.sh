#!/usr/bin/env bash
# The numbers that a training tells of itself in each line of metrics.jsonl: the epoch and the learning rate are those
# that the spec implies, after a resume too, and the same on any number of ranks; rates and shares of waiting come before
# them. And what a node exporter reads, the file of --open-metrics.
#   metrics_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

for i in $(seq 0 9); do echo "$i,$((i % 3))" >> data.csv; done
cat > job.yaml <<'END'
dfrun: 1
params: {steps: 12, batch: 4}
inputs:
  batch: {csv: data.csv, tensors: {x: {from: 0}, y: {from: 1}}, batch: "${batch}", shuffle: true}
graph:
  W: {op: Variable, shape: [], init: 0.01}
  loss: Mean(Square(batch/x * W - batch/y))
train:
  {loss: loss, learning_rate: {schedule: cosine, initial: 0.01, final: 0.001, steps: 12, warmup: 3}, steps: "${steps}",
   log_every: 3, replicas: 4}
eval: {every: 6, metrics: [loss]}
checkpoint: {every: 3}
END

# check RUN RANKS BATCHES...: the lines of the logged steps; BATCHES is the batch of each step.
cat > check.py <<'END'
import json
import math
import sys

import numpy as np

run, ranks, batches = sys.argv[1], int(sys.argv[2]), [int(b) for b in sys.argv[3:]]


def no_name_twice(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def rate(step):  # of a step from 0 on
    unwarmed = 0.001 + 0.009 * 0.5 * (1 + math.cos(math.pi * min(step / 12, 1)))
    return unwarmed * ((step + 1) / 3 if step < 3 else 1)


lines = [json.loads(line, object_pairs_hook=no_name_twice) for line in open(run + "/metrics.jsonl")]
logged = [line for line in lines if "loss" in line]
assert [line["step"] for line in logged] == list(range(3, len(batches) + 1, 3)), [line["step"] for line in logged]
for line in logged:
    names = [name for name in line if not name.startswith("memory/")]
    assert names == ["step", "wall_s", "samples_per_s", "waiting/min", "waiting/mean", "waiting/max", "epoch",
                     "learning_rate", "loss", "state"], names
    step = line["step"]
    assert line["epoch"] == sum(batches[:step]) / 10, line
    wanted = np.float32(rate(step - 1))
    assert abs(np.float32(line["learning_rate"]) - wanted) <= np.spacing(wanted), (line, wanted)
    assert 0 < line["samples_per_s"] < 1e9, line
    shares = [line["waiting/min"], line["waiting/mean"], line["waiting/max"]]
    assert 0 <= shares[0] <= shares[1] <= shares[2] <= 1, line
    assert ranks > 1 or shares[0] == shares[2], line
assert all("epoch" not in line and "waiting/min" not in line for line in lines if "eval/loss" in line)
END

four='4 4 4 4 4 4 4 4 4 4 4 4'
for np in 1 2 4; do
  ranks $np "$DFRUN" job.yaml --output run$np > log 2>&1 || { cat log; fail "$np ranks"; }
  # shellcheck disable=SC2086  # a word a batch
  /usr/bin/python3 check.py run$np $np $four || fail "the lines of $np ranks"
  metric_lines run$np | cmp - <(metric_lines run1) || fail "$np ranks tell something else"
done
if metric_lines run1 | grep -q 'wall_s\|samples_per_s\|waiting\|memory'; then fail "metric_lines leaves what differs"; fi

# A job that goes on tells what one without a stop tells, also on other ranks; one of another batch counts samples.
"$DFRUN" job.yaml --output stopped --steps 6 > log 2>&1 || { cat log; fail "the first half"; }
cp -r stopped other
ranks 2 "$DFRUN" job.yaml --output stopped --resume > log 2>&1 || { cat log; fail "the second half"; }
# shellcheck disable=SC2086
/usr/bin/python3 check.py stopped 2 $four || fail "the lines of a resumed job"
metric_lines stopped | grep -v eval/ | cmp - <(metric_lines run1 | grep -v eval/) || fail "a resumed job tells something else"
"$DFRUN" job.yaml --output other --resume --set batch=8 > log 2>&1 || { cat log; fail "another batch"; }
/usr/bin/python3 check.py other 1 4 4 4 4 4 4 8 8 8 8 8 8 || fail "the epoch after a resume with another batch"

# A summary keeps its name, and no name is there twice. A constant rate is that of the spec; without an input of the loss
# there is no epoch.
cat > own.yaml <<'END'
dfrun: 1
graph:
  W: {op: Variable, shape: [], init: 3.0}
  learning_rate: Identity(W)
  loss: Square(W)
train: {loss: loss, learning_rate: 0.25, steps: 2, log_every: 1}
summaries: {scalars: [learning_rate]}
END
"$DFRUN" own.yaml --output own > log 2>&1 || { cat log; fail "a summary of that name"; }
without_state() { metric_lines "$1" | sed 's/, "state": "[0-9a-f]*"//'; }
[ "$(without_state own)" = '{"step": 1, "loss": 9, "learning_rate": 3}
{"step": 2, "loss": 2.25, "learning_rate": 1.5}' ] || { cat own/metrics.jsonl; fail "the names of summaries"; }
sed '/^summaries/d; /^  learning_rate/d' own.yaml > constant.yaml
"$DFRUN" constant.yaml --output constant > log 2>&1 || { cat log; fail "a constant rate"; }
[ "$(without_state constant | head -1)" = '{"step": 1, "learning_rate": 0.25, "loss": 9}' ] ||
  { cat constant/metrics.jsonl; fail "a constant rate"; }
sed 's/^eval:.*/eval: {waiting: {metrics: [loss]}}/' job.yaml > waiting.yaml
expect 65 "metrics.jsonl has other values whose names begin with 'waiting/'" "$DFRUN" check waiting.yaml

# A rank without work waits most of the time, and one with all of it does not.
cat > idle.yaml <<'END'
dfrun: 1
graph:
  x: RandomUniform(shape=[700, 700])
  W: {op: Variable, shape: [700, 700], init: ones}
  loss: Mean(MatMul(MatMul(MatMul(x, W), x), x))
train: {loss: loss, learning_rate: 0.0, steps: 20, log_every: 20}
END
ranks 2 "$DFRUN" idle.yaml --threads 1 --output idle > log 2>&1 || { cat log; fail "an idle rank"; }
/usr/bin/python3 - <<'END' || fail "who waits: $(cat idle/metrics.jsonl)"
import json
line = json.loads(open("idle/metrics.jsonl").readlines()[-1])
assert line["waiting/max"] > 0.5 > line["waiting/min"], line
END

# --open-metrics: a whole file whenever it is read, replaced while the job runs.
parse() { /usr/bin/python3 "$SOURCE/tests/regression/open_metrics.py" "$@"; }
"$DFRUN" job.yaml --output running --steps 100000000 --set checkpoint.every=0 --open-metrics run.prom > log 2>&1 &
job=$!
for _ in $(seq 600); do
  [ -e run.prom ] && [ "$(parse run.prom dfrun_step)" -gt 0 ] && break
  sleep 0.1
done
first=$(parse run.prom dfrun_step)
[ "$first" -gt 0 ] || fail "the file is not replaced while the job runs"
[ "$(parse run.prom dfrun_running)" = 1 ] || fail "the job does not run"
reads=0
for _ in $(seq 300); do
  parse run.prom > read || fail "a file that was read is not whole: $(cat run.prom)"
  reads=$((reads + 1))
  [ $reads -lt 20 ] || [ "$(sed -n 's/^dfrun_step //p' read)" -le "$first" ] || break
  sleep 0.05
done
kill -TERM "$job"
wait "$job" || true
[ "$(parse run.prom dfrun_step)" -gt "$first" ] || fail "the file has the steps of $reads reads before"
[ "$(parse run.prom dfrun_running)" = 0 ] || fail "the job that was stopped runs"
/usr/bin/python3 - <<'END' || fail "run.prom has other values than metrics.jsonl: $(cat run.prom)"
import json
import sys
lines = [json.loads(line) for line in open("running/metrics.jsonl")]
last = {}
for line in lines:
    last.update(line)
seen = dict(line.rsplit(" ", 1) for line in open("run.prom") if not line.startswith("#"))
for name, own in (("step", "step"), ("loss", "loss"), ("epoch", "epoch"), ("learning_rate", "learning_rate"),
                  ("eval_loss", "eval/loss"), ("waiting_max", "waiting/max"), ("samples_per_s", "samples_per_s")):
    if own in last:
        value = float(seen['dfrun_%s{run="job"}' % name])
        assert abs(value - last[own]) <= 1e-6 * abs(value), (name, value, last[own])
assert 'dfrun_memory_peak_bytes{run="job",device="/job:worker/task:0/device:cpu:0"}' in seen
END
expect 0 "" "$DFRUN" job.yaml --output again --open-metrics run.prom
[ "$(parse run.prom dfrun_step)" = 12 ] || fail "the last step of a job that is done"
echo mine > note.txt
expect 64 "which dfrun did not write" "$DFRUN" job.yaml --output refused --open-metrics note.txt
[ "$(cat note.txt)" = mine ] || fail "a user's file was replaced"
expect 74 "cannot write 'absent/run.prom'" "$DFRUN" job.yaml --output refused --open-metrics absent/run.prom
expect 64 "this command reads it" "$DFRUN" job.yaml --output refused --force --open-metrics job.yaml
[ ! -e refused ] || fail "a job that is refused made its run directory"
echo "epochs, rates and waits of 1, 2 and 4 ranks; $reads reads of OpenMetrics"
