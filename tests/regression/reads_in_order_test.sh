#!/usr/bin/env bash
# Who sees which value of a variable in a step, on one rank and on two, in a run and in a training.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# metric RUN NAME: its values, a step each.
metric() {
  /usr/bin/python3 - "$1" "$2" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1] + '/metrics.jsonl')]
print(*[line[sys.argv[2]] for line in lines if sys.argv[2] in line])
END
}
# gives RUN NAME VALUES
gives() {
  local seen
  seen=$(metric "$1" "$2")
  [ "$seen" = "$3" ] || fail "$2 in $1 is $seen, not $3"
}
# everywhere SPEC: runs it on one rank and on two, over each transport.
everywhere() {
  "$DFRUN" run "$1.yaml" --output "$1-1" > out 2>&1 || { cat out >&2; fail "$1 on one rank"; }
  runs=("$1-1")
  for transport in "${transports[@]}"; do
    ranks 2 "$DFRUN" run "$1.yaml" --set there=1 --output "$1-2-$transport" --transport "$transport" > out 2>&1 ||
      { cat out >&2; fail "$1 on two ranks over $transport"; }
    runs+=("$1-2-$transport")
  done
}
"$DFRUN" info > info
transports=(mpi)
if grep -q '^transport *ucx: UCX' info; then transports+=(ucx); fi

# What a node waits for, at any distance, it sees; what it does not wait for comes after it.
cat > run.yaml <<'END'
dfrun: 1
name: run
params: {there: 0}
functions:
  times: {args: [x, y], returns: {z: "x * y"}}
graph:
  v: {op: Variable, shape: [], init: 0.0, trainable: false, device: "/job:worker/task:0"}
  big: {op: Variable, shape: [300000], init: 0.0, trainable: false, device: "/job:worker/task:0"}
  table: {op: Variable, shape: [4, 2], init: zeros, trainable: false, device: "/job:worker/task:0"}
  add: AssignAdd(v, 1.0)
  grow: AssignAdd(big, 1.0 + Fill([300000], 0.0))
  rows: {op: ScatterAdd, inputs: [table, [1], [[1.0, 2.0]]]}
  after: {op: Mul, inputs: [v, 10.0], control: [^add], device: "/job:worker/task:${there}"}
  before: {op: Mul, inputs: [v, 10.0], device: "/job:worker/task:${there}"}
  far: {op: AddV2, inputs: [v, after], device: "/job:worker/task:${there}"}
  most: {op: Max, inputs: [big, 0], control: [^grow], device: "/job:worker/task:${there}"}
  least: {op: Min, inputs: [big, 0], control: [^grow], device: "/job:worker/task:${there}"}
  row: {op: Sum, inputs: [table, [0, 1]], control: [^rows], device: "/job:worker/task:${there}"}
  call: {op: times, x: v, y: 3.0, control: [^add], device: "/job:worker/task:${there}"}
  either: Cond(Greater(after, -1.0), after, before)
  chosen: {op: AddV2, inputs: [v, either], device: "/job:worker/task:${there}"}
  twice: {op: AssignAdd, inputs: [v, 100.0], control: [^after]}
  last: {op: Mul, inputs: [v, 1.0], control: [^twice], device: "/job:worker/task:${there}"}
run: {steps: 3, fetch: [after, before, far, most, least, row, call, chosen, last, v]}
END
everywhere run
for out in "${runs[@]}"; do
  gives "$out" after "10 1020 2030"
  gives "$out" before "0 1010 2020"
  gives "$out" far "11 1122 2233"
  gives "$out" most "1 2 3"
  gives "$out" least "1 2 3"
  gives "$out" row "3 6 9"
  gives "$out" call "3 306 609"
  gives "$out" chosen "11 1122 2233"
  gives "$out" last "101 202 303"
  gives "$out" v "101 202 303"
done

# Two variables ask for orders that exclude each other: `add` reads w and so comes before `set`, which `reader` waits for,
# which reads v and so comes before `add`. The variable that comes first in the graph has its own, on any number of ranks.
cat > turned.yaml <<'END'
dfrun: 1
name: turned
params: {there: 0}
graph:
  v: {op: Variable, shape: [], init: 2.0, trainable: false, device: "/job:worker/task:0"}
  w: {op: Variable, shape: [], init: 3.0, trainable: false, device: "/job:worker/task:0"}
  more: {op: Add, inputs: [w, 1.0], device: "/job:worker/task:${there}"}
  set: Assign(w, more)
  reader: {op: AddN, inputs: ["[set, w, v]"], device: "/job:worker/task:${there}"}
  add: AssignAdd(v, w)
run: {steps: 3, fetch: [v, w, reader], targets: [add]}
END
everywhere turned
for out in "${runs[@]}"; do
  gives "$out" v "6 11 17"
  gives "$out" w "4 5 6"
  gives "$out" reader "10 16 23"
done

# In a training, beside the optimizer's updates: the loss reads what the model has assigned.
cat > train.yaml <<'END'
dfrun: 1
name: train
params: {there: 0}
graph:
  w: {op: Variable, shape: [], init: 1.0, device: "/job:worker/task:0"}
  n: {op: Variable, shape: [], init: 0.0, trainable: false, device: "/job:worker/task:0"}
  next: AssignAdd(n, 1.0)
  seen: {op: Mul, inputs: [n, 1.0], control: [^next], device: "/job:worker/task:${there}"}
  first: {op: Mul, inputs: [n, 1.0], device: "/job:worker/task:${there}"}
  loss: {op: AddV2, inputs: [w * seen, first * 1000.0], device: "/job:worker/task:${there}"}
train: {loss: loss, optimizer: sgd, learning_rate: 1.0, steps: 3, log_every: 1}
END
everywhere train
for out in "${runs[@]}"; do gives "$out" loss "1 1000 1994"; done
