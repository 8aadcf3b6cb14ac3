#!/usr/bin/env bash
# The memory of a training, by device: in run.json and in metrics.jsonl, of every rank; `check` refuses what cannot fit
# into the memory that the spec states, and warns of what may not.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > job.yaml <<'END'
dfrun: 1
name: job
params: {replicas: 2}
graph:
  W: {op: Variable, shape: [256, 256], init: "RandomUniform(minval=-1, maxval=1)"}
  x: RandomUniform(shape=[64, 256], dtype=float32)
  loss: Mean(Square(MatMul(Tanh(MatMul(x, W)), W)))
train: {loss: loss, optimizer: adam, learning_rate: 0.01, steps: 6, log_every: 2, replicas: "${replicas}"}
END
# told RUN DEVICES: run.json and each line of metrics.jsonl name these, with numbers that make sense.
told() {
  /usr/bin/python3 - "$1" "${@:2}" <<'END'
import json, sys
run, devices = sys.argv[1], sys.argv[2:]
record = json.load(open(run + '/run.json'))
assert [m['device'] for m in record['memory']] == devices, record['memory']
for memory in record['memory']:
    assert 0 < memory['in_use_bytes'] <= memory['peak_bytes'] <= memory['reserved_bytes'], memory
    assert memory['limit_bytes'] == 0, memory
assert record['memory'][0]['peak_bytes'] > 3 * 256 * 256 * 4, record['memory']  # the variable and its slots
lines = [json.loads(line) for line in open(run + '/metrics.jsonl')]
assert [line['step'] for line in lines] == [2, 4, 6], lines
for line in lines:
    assert list(line)[:2] == ['step', 'wall_s'] and list(line)[-2:] == ['loss', 'state'], line
    names = [name for name in line if not name.startswith('waiting/')]
    assert names[2:-3] == ['memory' + device for device in devices], line  # before what is the same in every run
peaks = [line['memory' + devices[0]] for line in lines]
assert peaks == sorted(peaks) and peaks[-1] == record['memory'][0]['peak_bytes'], peaks
END
}
expect 0 "step 6/6" "$DFRUN" job.yaml --output one
told one /job:worker/task:0/device:cpu:0
for count in 2 4; do
  ranks $count "$DFRUN" job.yaml --set replicas=$count --output run$count > log 2>&1 || { cat log >&2; fail "$count ranks"; }
  if grep -q 'memory' log; then fail "memory is told to the terminal"; fi
  told run$count $(for i in $(seq 0 $((count - 1))); do echo /job:worker/task:$i/device:cpu:0; done)
done
sed 's/data_parallel.*//; s/steps: 6,/steps: 6, data_parallel: allreduce,/' job.yaml > copies.yaml
ranks 2 "$DFRUN" copies.yaml --output copies > log 2>&1 || { cat log >&2; fail "copies"; }
told copies /job:worker/task:0/device:cpu:0 /job:worker/task:1/device:cpu:0

# W with two slots takes 786432 bytes; a step some hundred thousand more.
bounded() { sed "s/^name.*/&\ncluster: {memory: $1}/" job.yaml > bounded.yaml; }
bounded 700000
expect 65 "the variables of /job:worker/task:0/device:cpu:0 and their slots take 7864" "$DFRUN" check bounded.yaml --set replicas=1
grep -qF "more than the 700000 that \`memory\` of the cluster leaves; the largest is 'W" out || fail "the largest is not named"
expect 74 "/job:worker/task:0/device:cpu:0 has a limit of 700000 bytes" "$DFRUN" bounded.yaml --set replicas=1 --output narrow
grep -qE "no memory for a tensor float32\[[0-9,]+\] of [0-9]+ bytes" out || fail "what was asked for is not told"
bounded 800000
expect 0 "warning: the variables of /job:worker/task:0/device:cpu:0 and their slots take 7864" \
  "$DFRUN" check bounded.yaml --set replicas=1
bounded 64MiB
expect 0 ": ok, " "$DFRUN" check bounded.yaml --set replicas=1
if grep -q warning out; then cat out >&2; fail "a warning of what fits"; fi
expect 0 "step 6/6" "$DFRUN" bounded.yaml --set replicas=1 --output wide
grep -qF '"limit_bytes": 67108864' wide/run.json || fail "run.json lacks the limit"
bounded 0.9  # of this host
expect 0 "step 6/6" "$DFRUN" bounded.yaml --set replicas=1 --output share
if grep -qF '"limit_bytes": 0' share/run.json; then fail "a share of the host is no limit"; fi

stated() {
  sed -e "s/^name.*/&\ncluster: {gpus: 1, gpu_memory: $1}/" -e 's/Variable, /&device: "\/device:gpu:0", /' \
      -e 's/x: .*/x: Fill([64, 256], 0.5)/' job.yaml > stated.yaml
}
# A build without the part for GPUs cannot check what is on one.
if ! "$DFRUN" info | grep -q '^CUDA *off'; then
  stated 700000
  expect 65 "the variables of /job:worker/task:0/device:gpu:0 and their slots take 7864" "$DFRUN" check stated.yaml --set replicas=1
  grep -qF "more than the 700000 that \`gpu_memory\` of the cluster leaves; the largest is 'W" out || fail "the largest is not named"
  stated 800000
  expect 0 "warning: the variables of /job:worker/task:0/device:gpu:0 and their slots take 7864" \
    "$DFRUN" check stated.yaml --set replicas=1
  grep -qF ": ok, " out || fail "what may not fit was refused"
  stated 100000000
  expect 0 ": ok, " "$DFRUN" check stated.yaml --set replicas=1
  if grep -q warning out; then cat out >&2; fail "a warning of what fits"; fi
  stated 0.5  # of a GPU that is not there
  expect 0 ": ok, " "$DFRUN" check stated.yaml --set replicas=1
fi
echo "passed"
