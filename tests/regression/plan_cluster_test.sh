#!/usr/bin/env bash
# `dfrun plan --cluster` plans for the cluster of a file: its ranks, devices, memory and links.
#   plan_cluster_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
cp -r "$SOURCE/configs" .
spec=configs/digits_mlp.yaml

for cluster in configs/clusters/*.yaml; do
  expect 0 "memory: " "$DFRUN" plan $spec --ranks 1 --cluster "$cluster"
done

# cluster [GPUS] [LINKS]: two nodes of two ranks, with a gigabyte a rank.
cluster() {
  printf 'nodes: 2\ncores: 4\nmemory: 2GiB\nranks_per_node: 2\n%s\nlinks: {%s}\n' "${1:-}" "${2:-}" > cluster.yaml
}
cluster
expect 0 "of 1.00 GiB on /job:worker/task:0/device:cpu:0; the largest: " "$DFRUN" plan $spec --ranks 4 --cluster cluster.yaml
expect 0 "'h1/W' (float32[64,128]) of 32.0 KiB" "$DFRUN" plan $spec --ranks 1 --cluster cluster.yaml
expect 65 "cluster.yaml:1:8: 5 ranks are more than 2 nodes with 2 ranks each have, 4" \
  "$DFRUN" plan $spec --ranks 4,5 --cluster cluster.yaml
expect 64 "--gpus: the file of --cluster says which devices a rank has" "$DFRUN" plan $spec --gpus 1 --cluster cluster.yaml
expect 66 "cannot open absent.yaml" "$DFRUN" plan $spec --cluster absent.yaml

# Links: two of four ranks are on the other host, and a slow network makes the step longer. The file's links go before
# those of a file of costs.
seconds() {
  "$DFRUN" plan $spec --ranks 4 --cluster cluster.yaml --json "$@" > plan.json
  /usr/bin/python3 -c "import json; print(json.load(open('plan.json'))['cost'])"
}
cat > costs.json <<'J'
{"written_by": "dfrun", "form": 1, "host": "h", "processor": "p", "threads": 1, "families": [], "measured": [],
 "executor": {"node_s": 1e-7, "edge_s": 1e-8},
 "pairs": [{"pair": "network", "latency_s": 10, "bytes_per_s": 1000000}]}
J
cluster '' 'network: {latency: 1e-6, bandwidth: 10GiB}'
fast=$(seconds)
with_costs=$(seconds --cost-file costs.json)
cluster '' 'network: {latency: 0.5, bandwidth: 10GiB}'
slow=$(seconds)
cluster
measured=$(seconds --cost-file costs.json)
/usr/bin/python3 - "$fast" "$slow" "$with_costs" "$measured" <<'P' || fail "links: $fast $slow $with_costs $measured"
import sys
fast, slow, with_costs, measured = map(float, sys.argv[1:])
assert fast < 0.1 and with_costs < 0.1 and 0.5 < slow < 5 and measured > 10
P
/usr/bin/python3 - <<'P' || fail "the object of a plan"
import json
plan = json.load(open('plan.json'))
assert set(plan['links']) == {'same_host', 'network'}, plan['links']
assert plan['imbalance'] >= 1 and plan['efficiency'] == 1, plan
assert len(plan['memory']) == 4, plan['memory']
for device in plan['memory']:
    assert device['limit_bytes'] == 1 << 30, device
    sizes = [tensor['bytes'] for tensor in device['largest']]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] <= device['variables_bytes'] + device['step_bytes'], device
P
"$DFRUN" plan $spec --ranks 1,2,4 --cluster cluster.yaml --json > plans.json
/usr/bin/python3 - <<'P' || fail "the efficiencies of several plans"
import json
plans = json.load(open('plans.json'))
for plan in plans:
    expected = plans[0]['cost'] / (plan['cost'] * plan['ranks'])
    assert abs(plan['efficiency'] - expected) < 1e-9, plan
P

# Memory: 4,096 units have 4,096 x 4,096 weights, of 64 MiB, and as much momentum.
sed -E 's/logits: .*/h2: dense(h1, units=4096)\n  logits: dense(h2, units=10)/; s/hidden: 128/hidden: 4096/' $spec > configs/large.yaml
sed -i 's/^memory: .*/memory: 200MiB/' cluster.yaml
expect 65 "the job does not fit: /job:worker/task:0/device:cpu:0 has 100 MiB, but variables with their slots" \
  "$DFRUN" plan configs/large.yaml --ranks 1 --cluster cluster.yaml
expect 65 "'h2/W' (float32[4096,4096]) of 64.0 MiB" "$DFRUN" plan configs/large.yaml --ranks 1 --cluster cluster.yaml
sed -i 's/^memory: .*/memory: 2GiB/' cluster.yaml
expect 0 "'h2/W' (float32[4096,4096]) of 64.0 MiB" "$DFRUN" plan configs/large.yaml --ranks 1 --cluster cluster.yaml

# What is wrong with a file is said where it is.
wrong() {
  expect 65 "cluster.yaml:$1" "$DFRUN" plan $spec --ranks 1 --cluster cluster.yaml
}
cluster 'rank_per_node: 2'
wrong "5:1: unknown key 'rank_per_node' of the file of a cluster, did you mean 'ranks_per_node'?"
cluster 'gpus: {count: 4, kind: H10, memory: 80GiB}'
wrong "5:24: the speed of a 'H10' is not known, did you mean 'A10'?"
cluster 'gpus: {count: 3, memory: 80GiB}'
wrong "4:17: the 2 ranks of a node would share its 3 gpus unevenly"
cluster 'gpus: {kind: H100}'
wrong "5:7: 'gpus' lacks 'count'"
cluster '' 'network: {latency: 1us, bandwidth: 1GiB}'
wrong "6:28: 'latency' must be a number of seconds"
cluster '' 'network: {latency: 1e-6, bandwidth: 1GB}'
wrong "6:45: 'bandwidth' must be a number of bytes"
cluster '' 'net: {latency: 1e-6, bandwidth: 1GiB}'
wrong "6:9: unknown key 'net' of 'links'"
cluster '' 'network: {latency: 1e-6}'
wrong "6:18: 'network' lacks 'bandwidth'"
printf 'nodes: 0\ncores: 4\nmemory: 1GiB\n' > cluster.yaml
wrong "1:8: 'nodes' must be an integer of at least 1"
printf 'nodes: 1\ncores: 4\n' > cluster.yaml
wrong "1:1: the file of a cluster lacks 'memory'"
printf 'nodes: 1\ncores: 4\nmemory: 1GiB\nranks_per_node: 8\n' > cluster.yaml
wrong "4:17: 8 ranks of a node are more than its 4 cores"
printf 'nodes: [1\n' > cluster.yaml
wrong "2:1: "
echo "plans for clusters: ranks, memory, links, and what is wrong with a file"
