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
expect 65 "overlap, and are not forecast" "$DFRUN" plan $spec --set train.strategy=async
expect 65 "$spec:11:12: a batch of 31" "$DFRUN" plan $spec --set batch=31
expect 64 "'x' is no number" "$DFRUN" plan $spec --ranks 1,x
expect 64 "give the spec of a job, or a placement graph" "$DFRUN" plan
expect 66 "cannot open missing.json" "$DFRUN" plan $spec --cost-file missing.json

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
