#!/usr/bin/env bash
# Variables that a side of a Cond or the body of a While updates: what is taken runs, in its order, and who waits for the
# Cond or the While sees it; on one rank, and on two of which the other has the variables. The values are worked out by hand.
#   flow_updates_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

HEAD='dfrun: 1
params: {where: "", p: 1.0}
functions:
  # Reads, updates, reads again; the update is no value of it.
  turn:
    args: [v]
    graph:
      before: Identity(v)
      update: {op: AssignAdd, inputs: [v, 1.0], control: [^before]}
      after: {op: Mul, inputs: [v, 10.0], control: [^update]}
    returns: {before: before, after: after}
  keep: {args: [v], returns: {before: Identity(v), after: v * 10.0}}
  # Updates on even counts alone.
  bump: {args: [v, i], returns: "Cond(FloorMod(i, 2) == 0, AssignAdd(v, 1.0), Identity(v))"}
  lazy: {args: [v, i], graph: {unused: "AssignAdd(v, 1.0)"}, returns: i + 1}
  count:
    args: [v, i]
    graph:
      update: AssignAdd(v, 1.0)
    returns: {next: "AddV2(i, 1, ^update)"}
  through_handle:
    args: [h, s]
    graph:
      update: {op: AssignAddVariableOp, inputs: [h, 1.0]}
      value: {op: ReadVariableOp, inputs: [h], dtype: float32, control: [^update]}
    returns: s + value
graph:
  v: {op: Variable, shape: [], init: 0.0, trainable: false, device: "${where}"}
  w: {op: Variable, shape: [], init: 0.0, trainable: false, device: "${where}"}
  pred: Greater(Identity(${p}), 0.0)'

# run RANKS SETS: runs spec.yaml, into ./results
run() {
  rm -rf results
  if [ "$1" = 1 ]; then
    timeout 60 "$DFRUN" spec.yaml --output results ${2:-} > log 2>&1 || { cat log; fail "one rank: ${2:-}"; }
  else
    ranks "$1" "$DFRUN" spec.yaml --output results --set where=/job:worker/task:1 ${2:-} > log 2>&1 || { cat log; fail "$1 ranks: ${2:-}"; }
  fi
}
# values NAME "1 2 3" STEPS...: of the logged steps
values() {
  local seen
  seen=$(sed -n "s/.*\"$1\": \([-0-9.e+]*\)[,}].*/\1/p" results/metrics.jsonl | tr '\n' ' ')
  [ "$seen" = "$2 " ] || { cat spec.yaml log; fail "$1 is $seen, not $2"; }
}
# spec FETCHES: the spec of HEAD and of the graph on stdin
spec() { { echo "$HEAD"; cat; echo "run: {steps: 3, fetch: [$1]}"; } > spec.yaml; }

spec 'inside, seen_v, seen_w' << 'END'
  inside: Cond(pred, AssignAdd(v, 1.0), AssignAdd(w, 2.0))
  seen_v: Identity(v, ^inside)
  seen_w: Identity(w, ^inside)
END
for n in 1 2; do
  run $n
  values inside "1 2 3"; values seen_v "1 2 3"; values seen_w "0 0 0"
  run $n "--set p=-1.0"
  values inside "2 4 6"; values seen_v "0 0 0"; values seen_w "2 4 6"
done

# Reads on both sides of an update in one side; the second value alone is wanted of the other.
spec 'old, new, seen' << 'END'
  y: Cond(pred, turn(v), keep(v))
  old: Identity(y)
  new: Identity(y:1)
  seen: Identity(v, ^y)
END
for n in 1 2; do
  run $n
  values old "0 1 2"; values new "10 20 30"; values seen "1 2 3"
  run $n "--set p=-1.0"
  values old "0 0 0"; values new "0 0 0"; values seen "0 0 0"
done

# Iterations see each other's updates, also those of a Cond within; a condition reads what its loop updates; what the
# body's value does not need does not run.
spec 'sums, nested, counted, left, seen, idle' << 'END'
  l: {op: While, vars: {i: 0, s: 0.0}, cond: i < 3, body: {i: i + 1, s: "s + AssignAdd(v, 1.0)"}}
  sums: Identity(l:1)
  m: {op: While, vars: {i: 0, s: 0.0}, cond: i < 4, body: {i: i + 1, s: "s + bump(w, i)"}}
  nested: Identity(m:1)
  n: {op: Variable, shape: [], init: 0.0, trainable: false, device: "${where}"}
  c: {op: While, vars: {i: 0}, cond: n < 3.0, body: {i: "count(n, i)"}}
  counted: Cast(c, DstT=float32)
  left: Identity(n, ^c)
  seen: Identity(v, ^l)
  d: {op: Variable, shape: [], init: 5.0, trainable: false, device: "${where}"}
  e: {op: While, vars: {i: 0}, cond: i < 3, body: {i: "lazy(d, i)"}}
  idle: Identity(d, ^e)
END
for n in 1 2; do
  run $n
  values sums "6 15 24"; values seen "3 6 9"
  values nested "6 14 22"
  values counted "3 0 0"; values left "3 3 3"
  values idle "5 5 5"
done

# What a Cond or a While waits for comes before what is within: updates outside, and reads of them within.
spec 'a, b, c, d' << 'END'
  first: AssignAdd(v, 1.0)
  a: {op: Cond, inputs: [pred, v, 0.0], control: [^first]}
  b: Cond(pred, Mul(v, 2.0, ^first), 0.0)
  l: {op: While, vars: {i: 0, s: 0.0}, cond: i < 2, body: {i: i + 1, s: s + v}, control: [^first]}
  c: Identity(l:1)
  other: AssignAdd(w, 1.0)
  x: {op: Cond, inputs: [pred, "AssignAdd(w, 10.0)", 0.0], control: [^other]}
  d: Identity(x)
END
for n in 1 2; do
  run $n
  values a "1 2 3"; values b "2 4 6"; values c "2 4 6"; values d "11 22 33"
done

# Through a handle.
spec 'sum' << 'END'
  h: {op: VarHandleOp, dtype: float32, shape: [], shared_name: h, device: "${where}"}
  begin: AssignVariableOp(h, 0.0)
  l: {op: While, vars: {i: 0, s: 0.0}, cond: i < 3, body: {i: i + 1, s: "through_handle(h, s)"}, control: [^begin]}
  sum: Identity(l:1)
END
for n in 1 2; do
  run $n
  values sum "6 6 6"
done

# Training: the gradient takes the values that the iterations saw, 1.5 * 2 * 2.5 of the first step.
cat > spec.yaml << 'END'
dfrun: 1
params: {where: "", p: 1.0}
graph:
  v: {op: Variable, shape: [], init: 1.0, trainable: false, device: "${where}"}
  n: {op: Variable, shape: [], init: 0.0, trainable: false, device: "${where}"}
  W: {op: Variable, shape: [], init: 2.0}
  pred: Greater(Identity(${p}), 0.0)
  l: {op: While, vars: {i: 0, s: W * 1.0}, cond: i < 3, body: {i: i + 1, s: "s * AssignAdd(v, 0.5)"}}
  loss: "l:1 + Cond(pred, Square(W) * 0.0 + AssignAdd(n, 1.0), Square(W))"
train: {loss: loss, learning_rate: 0.1, steps: 2, log_every: 1}
summaries: {scalars: [loss]}
END
# W is 2, then 2 - 0.1 * 7.5 = 1.25, and the product of the second step is 3 * 3.5 * 4 = 42.
for n in 1 2; do
  run $n
  values loss "16 54.5"
done

# What a step trains, no branch may assign.
cat > refused.yaml << 'END'
dfrun: 1
graph:
  W: {op: Variable, shape: [], init: 2.0}
  less: Cond(W > 1.0, AssignSub(W, 1.0), Identity(W))
  loss: Square(W, ^less)
train: {loss: loss, learning_rate: 0.1, steps: 2}
END
expect 65 "refused.yaml:3:11: node 'W' (op VariableV2) is trained, and 'less/then/AssignSub' may assign it in a branch or a loop" \
  "$DFRUN" check refused.yaml
echo "updates within Conds and Whiles run where they are taken, in their order"
