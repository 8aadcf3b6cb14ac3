#!/usr/bin/env bash
# Jobs that a simulation places, or a file: the bits are those of the rules, on one and two ranks and after a resume; what
# was used is in the run; a placement that cannot be is refused where it is checked.
#   placed_jobs_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
cp -r "$SOURCE/configs" .
cat > towers.yaml <<'YAML'
dfrun: 1
include: [configs/lib/nn.yaml]
inputs:
  batch:
    hdf5: configs/data/digits.h5
    tensors: {image: /train/image, label: /train/label}
    batch: 64
    shuffle: true
graph:
  a1: dense(batch/image, units=256, activation=Relu)
  a2: dropout(dense(a1, units=256, activation=Relu), rate=0.2)
  b1: dense(batch/image, units=256, activation=Tanh)
  b2: batch_norm(dense(b1, units=256, activation=Relu))
  logits: dense(a2, units=10) + dense(b2, units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  accuracy: Mean(Cast(Equal(ArgMax(logits, 1), batch/label), DstT=float32))
train: {loss: loss, optimizer: adam, learning_rate: 0.001, steps: 12, log_every: 4}
eval: {every: 6, metrics: [accuracy]}
checkpoint: {every: 6}
YAML
# Fast messages, so that moving pays.
cat > costs.json <<'JSON'
{"written_by": "dfrun", "form": 1, "host": "h", "processor": "p", "threads": 1,
 "executor": {"node_s": 1e-8, "edge_s": 1e-9}, "families": [],
 "pairs": [{"pair": "same_host", "latency_s": 1e-7, "bytes_per_s": 1e11}], "measured": []}
JSON
placed=(--set placement.kind=simulated --set placement.cost_file=costs.json)

# losses RUN: the values of the logged steps, bits and all.
losses() {
  /usr/bin/python3 -c 'import json, sys
for line in open(sys.argv[1] + "/metrics.jsonl"):
    row = json.loads(line)
    print(row["step"], row.get("loss"), row.get("eval/accuracy"), row.get("state"))' "$1"
}

expect 0 "nodes moved; a simulated step takes" "$DFRUN" check towers.yaml --ranks 2 "${placed[@]}"
grep -q "only holds variables\|nothing to compute" "$WORK/out" && fail "a rank that computes is called idle"
expect 0 "and none that was tried takes much less" "$DFRUN" check towers.yaml --ranks 1 "${placed[@]}"
"$DFRUN" plan towers.yaml --ranks 2 --json --cost-file costs.json > rules.json
"$DFRUN" plan towers.yaml --ranks 2 --json "${placed[@]}" > simulated.json
/usr/bin/python3 - <<'P' || fail "the simulated placement is not faster"
import json
rules, simulated = (json.load(open(name)) for name in ('rules.json', 'simulated.json'))
assert simulated['cost'] < 0.9 * rules['cost'], (simulated['cost'], rules['cost'])
assert len(set(simulated['placement'].values())) == 2, simulated['placement']
P

ranks 1 "$DFRUN" run towers.yaml --output one > out 2>&1 || { cat out; fail "one rank"; }
ranks 2 "$DFRUN" run towers.yaml --output by_rules > out 2>&1 || { cat out; fail "by the rules"; }
[ -e by_rules/placement.json ] && fail "the rules were written down"
ranks 2 "$DFRUN" run towers.yaml "${placed[@]}" --output placed > out 2>&1 || { cat out; fail "placed"; }
grep -q "nodes moved" out || { cat out; fail "the run does not say that it was placed"; }
losses one > expected
for run in by_rules placed; do losses $run | cmp - expected || fail "$run has other bits"; done
grep -q "task:0" placed/placement.json && grep -q "task:1" placed/placement.json || fail "placement.json"

# An edited file is read back.
sed 's/task:0/task:2/; s/task:1/task:0/; s/task:2/task:1/' placed/placement.json > turned.json
ranks 2 "$DFRUN" run towers.yaml --set placement.file=turned.json --output turned > out 2>&1 || { cat out; fail "turned"; }
losses turned | cmp - expected || fail "the turned placement has other bits"

# A resumed run has its placement; on fewer ranks it says that it cannot.
for count in 2 1; do
  rm -rf again && cp -r placed again && rm -rf again/checkpoints/step-12
  ranks $count "$DFRUN" run towers.yaml "${placed[@]}" --output again --resume > out 2>&1 || { cat out; fail "resume"; }
  losses again | cmp - expected || fail "resumed on $count ranks: other bits"
  if [ $count = 1 ]; then
    grep -q "which this job has not: it is placed anew" out || { cat out; fail "nothing says that the placement is another"; }
  else
    grep -q "placed anew" out && fail "the placement of the run was not taken"
    cmp placed/placement.json again/placement.json || fail "the placement of the run has changed"
  fi
done

# A net that one rank has no memory for trains on two, to the same bits.
small=(--set cluster.memory=3200KiB --threads 1)
code=0
ranks 2 "$DFRUN" run towers.yaml "${small[@]}" --output small_rules > out 2>&1 || code=$?
[ $code = 74 ] || { cat out; fail "exit code $code, not 74, by the rules in 3200 KiB"; }
ranks 2 "$DFRUN" run towers.yaml "${small[@]}" "${placed[@]}" --output small > out 2>&1 || { cat out; fail "placed in 3200 KiB"; }
losses small | cmp - expected || fail "placed in little memory: other bits"
expect 65 "raise \`memory\`" "$DFRUN" check towers.yaml --ranks 2 --set cluster.memory=1MiB
expect 0 "nodes moved" "$DFRUN" check towers.yaml --ranks 2 --set cluster.memory=1500KiB "${placed[@]}"

# What cannot be is said.
echo '{"nodes": {"nobody": "/job:worker/task:0/device:cpu:0"}}' > nobody.json
expect 65 "the job has not" "$DFRUN" check towers.yaml --ranks 2 --set placement.file=nobody.json
echo '{"nodes": {"a1/MatMul": "/job:worker/task:7/device:cpu:0"}}' > nowhere.json
expect 65 "there is no such device" "$DFRUN" check towers.yaml --ranks 2 --set placement.file=nowhere.json
echo '{"nodes": 3' > broken.json
expect 65 "broken.json: no placement" "$DFRUN" check towers.yaml --ranks 2 --set placement.file=broken.json
expect 65 "cannot open missing.json" "$DFRUN" check towers.yaml --ranks 2 --set placement.file=missing.json
expect 65 "'costs: measured' needs 'profile'" "$DFRUN" check towers.yaml --set placement.costs=measured
expect 65 "'kind' must be one of rules, simulated" "$DFRUN" check towers.yaml --set placement.kind=magic

# Every node that may be moved can be written, and explained.
expect 0 "step:" "$DFRUN" plan towers.yaml --ranks 2 --write-placement all.json
echo mine > mine.json
expect 64 "mine.json" "$DFRUN" plan towers.yaml --ranks 2 --write-placement mine.json
expect 0 "task:1/device:cpu:0" "$DFRUN" explain towers.yaml b1/MatMul --ranks 2
expect 0 "bound:" "$DFRUN" explain towers.yaml batch/read --ranks 2
expect 64 "did you mean 'b1/MatMul'?" "$DFRUN" explain towers.yaml b1/MatMull --ranks 2
"$DFRUN" explain towers.yaml b1/MatMul --ranks 2 --json | /usr/bin/python3 -c 'import json, sys
of = json.load(sys.stdin)
assert of["device"].endswith("task:0/device:cpu:0") and len(of["devices"]) == 2, of
for on in of["devices"]:
    assert abs(on["ends_s"] - on["ready_s"] - on["waits_s"] - on["takes_s"]) < 1e-12, on' || fail "explain --json"

# What was learned from a trace is kept, and taken by jobs of an equal step.
ranks 2 "$DFRUN" run towers.yaml --output profile --trace 5 > out 2>&1 || { cat out; fail "the traced run"; }
expect 0 "kept: " "$DFRUN" plan towers.yaml --ranks 2 --learn 1 --profile profile --cost-file costs.json
ls profile/placements/*.json > /dev/null || fail "nothing was kept"
learned=("${placed[@]}" --set placement.costs=measured --set placement.profile=profile)
expect 0 "as was learned" "$DFRUN" check towers.yaml --ranks 2 "${learned[@]}"
ranks 2 "$DFRUN" run towers.yaml "${learned[@]}" --output learned > out 2>&1 || { cat out; fail "learned"; }
losses learned | cmp - expected || fail "the learned placement has other bits"
echo "placed jobs: the bits of the rules, by simulation, file, resume and what was learned"
