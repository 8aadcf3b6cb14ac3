#!/usr/bin/env bash
# --log-json: every line that run, eval and predict say, of any rank, is one JSON object with time, level, rank, host and
# a message or metrics.
#   log_json_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

for i in $(seq 0 9); do echo "$i,$((i % 3))" >> data.csv; done
cat > job.yaml <<'END'
dfrun: 1
inputs:
  batch: {csv: data.csv, tensors: {x: {from: 0}, y: {from: 1}}, batch: 5}
graph:
  W: {op: Variable, shape: [], init: 0.01}
  predicted: batch/x * W
  loss: Mean(Square(predicted - batch/y))
train: {loss: loss, learning_rate: 0.01, steps: 4, log_every: 2}
eval: {metrics: [loss]}
checkpoint: {}
END

# objects FILE CONDITION...: each line of the file is an object of the log; the conditions hold of the list `lines`.
cat > objects.py <<'END'
import json
import re
import sys


def no_name_twice(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


lines = []
for text in open(sys.argv[1], encoding="utf-8"):
    line = json.loads(text, object_pairs_hook=no_name_twice)
    assert list(line)[:4] == ["time", "level", "rank", "host"], text
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", line["time"]), text
    assert line["level"] in ("info", "warning", "error"), text
    assert isinstance(line["rank"], int) and line["host"] == open("/proc/sys/kernel/hostname").read().strip(), text
    assert list(line)[4:] in (["message"], ["step", "steps", "metrics"]), text
    lines.append(line)
messages = [line["message"] for line in lines if "message" in line]
metrics = {line["step"]: line["metrics"] for line in lines if "metrics" in line and "loss" in line["metrics"]}
for condition in sys.argv[2:]:
    assert eval(condition), (condition, lines)
END
objects() { /usr/bin/python3 objects.py "$@" || { cat "$1"; fail "the objects in $1"; }; }

timeout 60 "$DFRUN" job.yaml --output one --log-json > out 2> err || { cat out err; fail "one rank"; }
[ ! -s err ] || { cat err; fail "something is said on the standard error"; }
objects out "'job: 1 rank on 1 host' in messages[0]" "lines[-1]['metrics']['eval/loss'] > 0" "4 in metrics" \
  "metrics[4] == {k: v for k, v in json.loads(open('one/metrics.jsonl').readlines()[1]).items() if k != 'step'}" \
  "all(line['steps'] == 4 and line['rank'] == 0 for line in lines if 'steps' in line)"
DFRUN_LOG_JSON=1 timeout 60 "$DFRUN" job.yaml --output one --resume > out || fail "by the environment"
objects out "'all 4 steps are done' in messages[-1]"
timeout 60 "$DFRUN" job.yaml --output plain > out 2>&1 || fail "without the option"
if grep -q '^{' out; then fail "objects that nobody asked for"; fi

# Warnings of a job, and lines of the log of each rank, whatever is in them.
cat > say.yaml <<'END'
dfrun: 1
graph:
  n:    {op: Variable, shape: [], init: 0.0}
  next: AssignAdd(n, 1.0)
  text: {op: Const, value: "'a \"quoted\"\ttext\nof two lines'"}
  say0: {op: PrintV2, inputs: [text], output_stream: "log(warning)", device: "/job:worker/task:0"}
  say1: {op: PrintV2, inputs: [text], output_stream: "log(info)", device: "/job:worker/task:1"}
run: {steps: 1, fetch: [next], targets: [say0, say1]}
END
ranks 3 "$DFRUN" say.yaml --output say --log-json > out 2> err || { cat out err; fail "three ranks"; }
objects err "sorted((line['rank'], line['level']) for line in lines if 'quoted' in line['message']) == \
[(0, 'warning'), (1, 'info')]" "messages.count('a \"quoted\"\ttext\nof two lines\n') == 2"
objects out "any(line['level'] == 'warning' and not line['message'].startswith('warning') for line in lines)"

# Errors, each as one object, with the exit code of any other form.
cat > bad.yaml <<'END'
dfrun: 1
graph: {loss: Mean(1.0, nothing=2)}
run: {fetch: [los]}
END
code=0
timeout 60 "$DFRUN" bad.yaml --log-json > out 2> err || code=$?
[ $code = 65 ] || fail "exit code $code of a bad spec"
[ "$(wc -l < err)" = 1 ] || { cat err; fail "an error is not one line"; }
objects err "lines[0]['level'] == 'error'" "messages[0].startswith('bad.yaml:2:')"
cat > fails.yaml <<'END'
dfrun: 1
graph: {n: {op: Variable, shape: [], init: 3}, less: "Less(n, 3)", say: {op: Assert, inputs: [less, n]}}
run: {fetch: [n], targets: [say]}
END
code=0
timeout 60 "$DFRUN" fails.yaml --log-json > out 2> err || code=$?
[ $code != 0 ] || fail "the assertion held"
objects err "lines[-1]['level'] == 'error' and 'assertion' in messages[-1].lower()"

# eval and predict: notes, and what they would print.
timeout 60 "$DFRUN" eval job.yaml --log-json > out 2> err || { cat out err; fail "eval"; }
objects out "messages[0].startswith('loss: ')" "len(lines) == 1"
objects err "any('initial values' in message for message in messages)"
timeout 60 "$DFRUN" predict job.yaml --restore one --fetch predicted --out p.h5 --log-json > out 2> err ||
  { cat out err; fail "predict"; }
objects out "messages[-1].startswith('p.h5: 10 rows of predicted')"
objects err
echo "the lines of run, eval and predict are objects"
