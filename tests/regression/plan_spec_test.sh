#!/usr/bin/env bash
# `dfrun plan SPEC` forecasts the step of a job: no shorter than its bound, with the messages and bytes that the ranks of a
# real run send, and with the memory that the spec grants.
#   plan_spec_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
cp -r "$SOURCE/configs" .
spec=configs/digits_cnn.yaml

expect 0 "all work on all devices" "$DFRUN" plan $spec --ranks 1
expect 0 "same_host, " "$DFRUN" plan $spec --ranks 2
expect 0 "network, " "$DFRUN" plan $spec --ranks 2 --ranks-per-node 1
expect 0 "efficiency falls below 0.8 at " "$DFRUN" plan $spec --ranks 1,2,4,64
backup=configs/digits_backup.yaml
expect 65 "$backup:24:30: a step that takes the first of more replicas" "$DFRUN" plan $backup
expect 65 "$backup:24:30: replicas of this strategy run for themselves" "$DFRUN" explain $backup loss
expect 0 "for one of each of 4 replicas" "$DFRUN" plan $spec --ranks 4 --set train.strategy=async
expect 65 "$spec:11:12: a batch of 31" "$DFRUN" plan $spec --set batch=31
expect 64 "'x' is no number" "$DFRUN" plan $spec --ranks 1,x
expect 64 "give the spec of a job, or a placement graph" "$DFRUN" plan
expect 66 "cannot open missing.json" "$DFRUN" plan $spec --cost-file missing.json
expect 0 "step 3/3" "$DFRUN" run $spec --steps 3 --trace 2 --output profile
expect 65 "$backup:24:30: replicas" "$DFRUN" plan $backup --learn 1 --profile profile
expect 64 "--profile requires --learn" "$DFRUN" plan $spec --profile .

# A node's memory counts, however much the spec grants; a latency that is no time is refused.
printf 'nodes: 2\ncores: 4\nmemory: 100KiB\n' > small.yaml
expect 65 "has 100 KiB" "$DFRUN" plan $spec --ranks 2 --cluster small.yaml
expect 65 "has 100 KiB" "$DFRUN" plan $spec --ranks 2 --cluster small.yaml --set cluster.memory=4GiB
printf 'nodes: 2\ncores: 4\nmemory: 1GiB\nlinks: {network: {latency: 1e308, bandwidth: 1GiB}}\n' > late.yaml
expect 65 "late.yaml:4:28: a latency of 1e+308 s is more than 3600 s" "$DFRUN" plan $spec --ranks 2 --cluster late.yaml

# A file that people edit is replaced where they say so.
expect 0 "step:" "$DFRUN" plan $spec --ranks 2 --write-placement edited.json
cp edited.json copy.json
expect 64 "edited.json: there is such a file, which may have been edited" \
  "$DFRUN" plan $spec --ranks 2 --write-placement edited.json
cmp edited.json copy.json || fail "a placement that people edit was replaced"
expect 0 "step:" "$DFRUN" plan $spec --ranks 2 --write-placement edited.json --force

# Nodes of a loop count as often as they run, and the bound with them where that is certain.
loop() {
  printf 'dfrun: 1\ngraph:\n  x: {op: Variable, shape: [64, 64], init: ones, device: /job:worker/task:0}\n' > loop.yaml
  printf '  y: {op: While, vars: {v: x, i: 0}, cond: "%s", body: {v: "MatMul(v, v)", i: i + 1}%s}\n' "$1" "${2:-}" >> loop.yaml
  printf '  total: Sum(y)\nrun: {steps: 1, fetch: [total]}\n' >> loop.yaml
  "$DFRUN" plan loop.yaml --json > plan.json || fail "the plan of a loop"
}
loop 'i < 10'
cp plan.json ten.json
loop 'i < 1000'
cp plan.json thousand.json
loop 'Sum(v) < 1e30' ', max_iterations: 1000'
/usr/bin/python3 - <<'P' || fail "the turns of loops"
import json
ten, thousand, most = (json.load(open(name)) for name in ('ten.json', 'thousand.json', 'plan.json'))
turns = [list(plan['loops'].values()) for plan in (ten, thousand, most)]
assert turns == [[{'turns': 10, 'is_exact': True}], [{'turns': 1000, 'is_exact': True}],
                 [{'turns': 1000, 'is_exact': False}]], turns
assert 90 < thousand['cost'] / ten['cost'] < 101, (ten, thousand)
assert 90 < thousand['bound'] / ten['bound'] < 101, (ten, thousand)
assert most['cost'] > 90 * ten['cost'] and most['bound'] < ten['bound'], most
P

# Bytes between nodes that are bound to different ranks must leave one of them.
cat > bound.yaml <<'Y'
dfrun: 1
graph:
  x: {op: Variable, shape: [1024, 1024], init: ones, device: /job:worker/task:0}
  half: "StridedSlice(x, [0, 0], [512, 1024], [1, 1])"
  y: {op: Variable, shape: [512, 1024], init: ones, device: /job:worker/task:1}
  z: {op: AssignAdd, inputs: [y, half], device: /job:worker/task:1}
run: {steps: 1, fetch: [z]}
Y
cat > costs.json <<'J'
{"written_by": "dfrun", "form": 1, "host": "h", "processor": "p", "threads": 1, "families": [], "measured": [],
 "executor": {"node_s": 1e-7, "edge_s": 1e-8},
 "pairs": [{"pair": "same_host", "latency_s": 1e-6, "bytes_per_s": 1000}, {"pair": "network", "latency_s": 1e-6, "bytes_per_s": 1000}]}
J
expect 0 "the 2.00 MiB that must leave rank 0, which nodes are bound to" \
  "$DFRUN" plan bound.yaml --ranks 2 --cost-file costs.json

# What a step sends is what the plan says, of values and of messages, on as many ranks.
for count in 2 3 4; do
  "$DFRUN" plan $spec --set train.log_every=1 --ranks $count --json > plan.json
  ranks $count "$DFRUN" run $spec --set train.log_every=1 --set train.steps=4 --set eval=null --set checkpoint=null \
    --trace 4 --output "run_$count" > out 2>&1 || { cat out; fail "the run on $count ranks"; }
  /usr/bin/python3 - $count <<'P' || fail "the plan for $count ranks"
import json
import pathlib
import sys

plan = json.load(open('plan.json'))
assert plan['cost'] >= plan['bound'] > 0, plan
assert abs(plan['gap'] - (plan['cost'] / plan['bound'] - 1)) < 1e-9, plan
sent, size = {}, {}
for path in pathlib.Path(f'run_{sys.argv[1]}/trace').glob('rank-*.json'):
    for event in json.load(open(path))['traceEvents']:
        if event.get('cat') == 'send':
            step = event['args']['step']
            sent[step] = sent.get(step, 0) + 1
            size[step] = size.get(step, 0) + event['args']['bytes']
of_steps = sorted({(sent[step], size[step]) for step in sent})
link = plan['links']['same_host']
assert of_steps == [(link['messages'], link['bytes'])], (of_steps, link)
P
done
echo "plans: not below their bounds; messages and bytes of real steps on 2, 3 and 4 ranks"
