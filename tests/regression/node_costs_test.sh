#!/usr/bin/env bash
# `dfrun bench node` measures each family of nodes into a file, in the time that it is given; `dfrun graph --cost-file`
# predicts times by it; a run's trace and the selftest add to it, and what was there stays. Other files are refused.
#   node_costs_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
spec=$SOURCE/configs/digits_mlp.yaml

expect 0 "executor: " "$DFRUN" bench node --seconds 5 --threads 2 --cost-file costs.json
# has WHAT...: the file has these.
has() {
  /usr/bin/python3 - "$@" <<'P' || fail "costs.json: $*"
import json
import sys

table = json.load(open('costs.json'))
assert table['form'] == 1 and table['threads'] == 2 and table['written_by'] == 'dfrun', table
families = {f['family']: f for f in table['families'] if f['device'] == 'cpu'}
assert sorted(families) == sorted(['passing', 'product', 'convolution', 'pooling', 'elementwise', 'reduction', 'gather',
                                   'movement', 'random', 'other']), sorted(families)
for family in families.values():
    for name in 'overhead_s', 'flops_per_s', 'bytes_per_s':
        assert family[name] > 0, family
assert table['executor']['node_s'] > 0 and table['executor']['edge_s'] > 0, table['executor']
if 'measured' in sys.argv:
    assert len(table['measured']) > 10, table['measured']
    assert {'MatMul', 'Relu', 'ApplyMomentum'} <= {m['op'] for m in table['measured']}, table['measured']
    for cost in table['measured']:
        assert cost['seconds'] > 0 and cost['samples'] > 0 and len(cost['key']) == 16, cost
if 'pair' in sys.argv:
    pairs = {p['pair']: p for p in table['pairs']}
    assert pairs['same_host']['latency_s'] > 0 and pairs['same_host']['bytes_per_s'] > 0, pairs
P
}
has families

expect 0 "us=" "$DFRUN" graph "$spec" --costs --cost-file costs.json --partitioned
grep -q '^replica_0/h1/MatMul: MatMul .* us=[0-9.]* product$' out || fail "no time of a product"
grep -q '; measured: 0 of [0-9]* nodes$' out || fail "something is measured before any run"

timeout 60 "$DFRUN" run "$spec" --steps 10 --trace 5 --threads 2 --output run > out 2>&1 || { cat out; fail "the run"; }
expect 0 "got a measured cost, under" "$DFRUN" bench node --run run --cost-file costs.json
grep -Eq '^[1-9][0-9]+ of [0-9]+ nodes in the trace got a measured cost' out || fail "no node got a cost"
has families measured
expect 0 "us=" "$DFRUN" graph "$spec" --costs --cost-file costs.json --partitioned
grep -q '^replica_0/h1/MatMul: MatMul .* us=[0-9.]* measured$' out || fail "the product is not measured"
# Another graph with nodes that do the same: two more replicas, and other names.
expect 0 "us=" "$DFRUN" graph "$spec" --costs --cost-file costs.json --partitioned --set train.replicas=6 --set batch=96
grep -q '^replica_5/h1/MatMul: MatMul .* us=[0-9.]* measured$' out || fail "another graph does not profit"

ranks 2 "$DFRUN" info --selftest --most-bytes 1MiB --cost-file costs.json > out 2>&1 || { cat out; fail "the selftest"; }
grep -q '^same_host: ' out || { cat out; fail "the selftest tells no speed"; }
has families measured pair

echo 'not a table' > other.json
for command in "bench node --seconds 1 --cost-file other.json" "bench node --run run --cost-file other.json" \
  "graph $spec --costs --cost-file other.json"; do
  # shellcheck disable=SC2086
  expect 65 "other.json: no table of costs" "$DFRUN" $command
done
code=0
ranks 2 "$DFRUN" info --selftest --most-bytes 8 --cost-file costs.json > out 2>&1 || code=$?
[ $code = 64 ] || { cat out; fail "the selftest keeps a bandwidth that it has not measured: $code"; }
grep -q "a bandwidth is known from messages of 1.00 MiB on" out || { cat out; fail "the selftest tells no size"; }
code=0
ranks 2 "$DFRUN" info --selftest --most-bytes 1MiB --cost-file other.json > out 2>&1 || code=$?
[ $code = 65 ] || { cat out; fail "the selftest takes another file: $code"; }
grep -q "other.json: no table of costs" out || { cat out; fail "the selftest names no file"; }
[ "$(cat other.json)" = "not a table" ] || fail "a file of others was changed"
expect 66 "the run has no trace" "$DFRUN" bench node --run . --cost-file costs.json
# Another program has written the table anew, without spaces: it stays dfrun's.
/usr/bin/python3 -c 'import json
table = json.load(open("costs.json"))
json.dump(table, open("costs.json", "w"), separators=(",", ":"))'
expect 0 "got a measured cost, under" "$DFRUN" bench node --run run --cost-file costs.json
expect 66 "cannot open missing.json" "$DFRUN" graph "$spec" --costs --cost-file missing.json
expect 64 "--cost-file" "$DFRUN" graph "$spec" --cost-file costs.json
