#!/usr/bin/env bash
# `dfrun plan --graph` on the public placement graphs: costs, bounds, the splits made by hand, and wrong input.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
GRAPHS=$SOURCE/tests/golden/placement

while read -r graph; do
  name=$(echo "${graph#"$GRAPHS"/}" | tr / +)
  objective=${name%%-*}
  timeout 60 "$DFRUN" plan --graph "$graph" --objective "$objective" --json > "$name" || fail "no plan for $graph"
done < <(find "$GRAPHS"/*-inputs -name '*.json' | sort)
[ "$(find . -name '*-inputs+*' | wc -l)" = 24 ] || fail "there are not 24 graphs"

python3 - "$SOURCE" <<'P' || fail "a plan is worse than it was, or a bound is wrong"
import importlib.machinery
import importlib.util
import json
import math
import pathlib
import sys

source = pathlib.Path(sys.argv[1])
graphs = source / "tests/golden/placement"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("placement_optima", str(source / "scripts/placement_optima"))
optima = importlib.util.module_from_spec(importlib.util.spec_from_loader("placement_optima", loader))
loader.exec_module(optima)
bad = 0


def check(holds, text):
    global bad
    if not holds:
        bad += 1
        print(text)


def by_group(problem, device_of_node):
    device = [0] * problem.groups
    for node, d in device_of_node.items():
        device[problem.group[problem.place[node]]] = d
    return device


def devices_of(problem, plan):
    number = lambda name: int(name.split(":")[1]) + (problem.accelerators if name.startswith("cpu") else 0)
    return by_group(problem, dict(zip(problem.ids, map(number, plan["placement"]))))


ratios = []
by_hand = 0
for known in json.loads((graphs / "optima.json").read_text()):
    name = known["graph"]
    plan = json.loads(pathlib.Path(name.replace("/", "+")).read_text())
    problem = optima.Problem(graphs / name)
    objective = name.split("-")[0]
    cost = optima.evaluate(problem, objective, devices_of(problem, plan))
    best = known["optimum"] or known["bound"]
    ratios.append(plan["cost"] / best)
    check(abs(plan["cost"] - cost) <= 1e-9 * cost, f"{name}: the placement costs {cost}, not {plan['cost']}")
    # The solver that made the bounds keeps its rows within 1e-6.
    check(plan["cost"] >= known["bound"] * (1 - 1e-6), f"{name}: the cost {plan['cost']} is below the bound")
    # Bounds are sums in another order than costs.
    check(plan["bound"] <= known["seen"] * (1 + 1e-9), f"{name}: the bound {plan['bound']} is above {known['seen']}")
    check(abs(plan["gap"] - (max(plan["cost"] / plan["bound"], 1) - 1)) <= 1e-9, f"{name}: the gap is {plan['gap']}")
    # 3 % is more than any graph is above the least cost that was seen.
    check(plan["cost"] <= known["seen"] * 1.03, f"{name}: the cost {plan['cost']} is far above {known['seen']}")

    expert = graphs / "human-experts" / (pathlib.Path(name).stem + "_expert.json")
    if "Layer" not in name or not expert.exists():
        continue
    split = json.loads(expert.read_text())
    of = {}
    for first, parts in ((0, split["fpgas"]), (problem.accelerators, split["cpus"])):
        for d, part in enumerate(parts):
            of.update({node: first + d for node in part["nodes"]})
    if len(split["fpgas"]) > problem.accelerators or set(of) != set(problem.ids):
        continue
    hand = optima.evaluate(problem, objective, by_group(problem, of))
    by_hand += hand < optima.INFINITE
    check(plan["cost"] <= hand * (1 + 1e-9), f"{name}: the split by hand costs {hand}, the plan {plan['cost']}")
    print(f"{name}: {plan['cost']:.4f}, by hand {hand:.4f}")
mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
print(f"geometric mean of cost over optimum or bound: {mean:.4f}")
check(by_hand == 6, f"{by_hand} splits by hand were compared, not 6")
check(len(ratios) == 24, "not all graphs have an entry")
check(mean <= 1.05, "the geometric mean is above 1.05")
sys.exit(bad > 0)
P

small=$GRAPHS/throughput-inputs/LayerGraphs/bert24_inference.json
expect 0 "accelerator:5" "$DFRUN" plan --graph "$small"
expect 0 "reason: all work on all devices" "$DFRUN" plan --graph "$small" --effort 2
expect 64 "--graph" "$DFRUN" plan
expect 64 "neither throughput nor latency" "$DFRUN" plan --graph "$small" --objective cost
expect 64 "--effort" "$DFRUN" plan --graph "$small" --effort 0
expect 66 "absent.json" "$DFRUN" plan --graph absent.json
echo '{"maxFPGAs": NaN}' > nan.json
expect 65 "nan.json" "$DFRUN" plan --graph nan.json
echo '{"maxFPGAs": 1}' > short.json
expect 65 "short.json: maxSizePerFPGA: the member is missing" "$DFRUN" plan --graph short.json
sed 's/"maxCPUs": [0-9]*/"maxCPUs": 0/; s/"maxSizePerFPGA": [0-9.]*/"maxSizePerFPGA": 1e6/' "$small" > memory.json
expect 65 "and there is no CPU" "$DFRUN" plan --graph memory.json
sed 's/"maxCPUs": [0-9]*/"maxCPUs": 0/; s/"maxSizePerFPGA": [0-9.]*/"maxSizePerFPGA": 3e8/' "$small" > tight.json
expect 65 "no placement was found that fits" "$DFRUN" plan --graph tight.json
