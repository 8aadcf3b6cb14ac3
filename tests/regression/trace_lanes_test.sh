#!/usr/bin/env bash
# The traces of both commands that write some: slices of a row nest, rows have names, each tensor that a Send moved has an
# arrow to its Recv, and each message of the transport that one rank sent was received by another one in the same step.
#   trace_lanes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > check.py <<'CHECK'
import collections, json, sys
arrows = collections.defaultdict(set)
messages = {"send": collections.Counter(), "receive": collections.Counter()}
for path in sys.argv[1:]:
    events = json.load(open(path))["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    slices = [e for e in events if e["ph"] == "X"]
    assert slices, path + " holds no slice"
    assert {e["tid"] for e in slices} <= names.keys(), path + ": a row without a name"
    rows = collections.defaultdict(list)
    for e in slices:
        begin = round(e["ts"] * 1000)
        rows[e["tid"]].append((begin, -(begin + round(e["dur"] * 1000)), e["name"]))
    for row in rows.values():
        ends = []
        for begin, end, name in sorted(row):
            while ends and ends[-1] <= begin: ends.pop()
            assert not ends or -end <= ends[-1], f"{path}: {name} overlaps another"
            ends.append(-end)
    for e in slices:
        if not names[e["tid"]].startswith("comm"): continue
        ranks = [e["pid"], e["args"]["peer"]]
        if e["cat"] == "receive": ranks.reverse()
        assert e["name"].startswith(e["cat"] + " ") and "channel" not in e["name"], f"{path}: {e} is of no node"
        key = [e["args"][what] for what in ("channel", "slot", "step", "bytes")]
        messages[e["cat"]][(*ranks, e["name"].split(" ", 1)[1], *key)] += 1
    for e in events:
        if e["ph"] in "sf": arrows[e["id"]].add((e["ph"], e["pid"]))
pairs = [ends for ends in arrows.values() if {ph for ph, _ in ends} == {"s", "f"}]
assert len(pairs) == len(arrows) > 0, f"{len(arrows)} arrows, of which {len(pairs)} have both ends"
assert messages["send"].total() > 0, "no messages"
differ = (messages["send"] - messages["receive"]) + (messages["receive"] - messages["send"])
assert not differ, f"not both sent and received: {differ}"
print(len(pairs), "arrows,", messages["send"].total(), "messages")
CHECK

ranks 2 "$DFRUN" "$SOURCE/configs/digits_mlp.yaml" --set batch=64 --output run --trace 4 > out 2>&1 || fail "run: $(cat out)"
python3 check.py run/trace/rank-0.json run/trace/rank-1.json

cat > graph.pbtxt <<'GRAPH'
node { name: "x" op: "RandomUniform" input: "shape" device: "/job:worker/task:0"
       attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "T" value { type: DT_INT32 } } }
node { name: "shape" op: "Const" device: "/job:worker/task:0" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 64 } } } }
node { name: "y" op: "Neg" input: "x" device: "/job:worker/task:1" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "z" op: "Exp" input: "y" device: "/job:worker/task:0" attr { key: "T" value { type: DT_FLOAT } } }
GRAPH
ranks 2 "$DFRUN" eval graph.pbtxt --fetch z --repeat 3 --trace 3 > out 2>&1 || fail "eval: $(cat out)"
python3 check.py trace/rank-0.json trace/rank-1.json
