#!/usr/bin/env bash
# A variable that is trained as the first value of a loop's variable: it trains, with the bits of one that is read first.
#   learned_state_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# trains NAME FIRST TRAIN: the losses of a graph whose loops begin with FIRST, from the variable w.
trains() {
  cat > "$1.yaml" << END
dfrun: 1
graph:
  w: {op: Variable, shape: [4], init: ones}
  p: Greater(Sum(w), 0.0)
  one: {op: While, vars: {i: 0, z: $2}, cond: i < 3, body: {i: i + 1, z: "Tanh(z) * w"}}
  none: {op: While, vars: {i: 5, z: $2}, cond: i < 3, body: {i: i + 1, z: "Tanh(z) * 2.0"}}
  twice: {op: While, vars: {i: 0, a: $2, b: $2}, cond: i < 3, body: {i: i + 1, a: "Tanh(b)", b: a}}
  side: Cond(p, loop($2), loop($2))
  outer:
    op: While
    vars: {i: 0, s: 0.0}
    cond: i < 2
    body: inner(i, s, $2)
  loss: Sum(one:1) + Sum(none:1) + Sum(twice:1) + Sum(side) + outer:1
functions:
  less: {args: [t, h], returns: t < 4}
  step: {args: [t, h], returns: {t: t + 1, h: "Sin(h)"}}
  loop: {args: [v], graph: {r: "While(0, v, cond=less, body=step)"}, returns: "r:1"}
  inner:
    args: [i, s, v]
    graph: {r: {op: While, vars: {j: 0, u: v}, cond: j < 2, body: {j: j + 1, u: u * 0.5}}}
    returns: {next: i + 1, sum: "s + Sum(r:1)"}
train: {loss: loss, learning_rate: 0.1, steps: 5, log_every: 1, $3}
END
  expect 0 "step 5/5" "$DFRUN" "$1.yaml" --output "$1"
  grep -o '"loss": *[^,}]*' "$1/metrics.jsonl" > "$1.losses"
  [ "$(sort -u "$1.losses" | wc -l)" = 5 ] || fail "$1 does not train"
}
for train in "optimizer: sgd" "optimizer: adam, replicas: 2" "replicas: 2, data_parallel: allreduce"; do
  rm -rf a b
  trains a w "$train"
  trains b "Identity(w)" "$train"
  cmp a.losses b.losses || fail "other losses with $train"
done

# One that the step assigns is read before that.
cat > run.yaml << 'END'
dfrun: 1
graph:
  w: {op: Variable, shape: [], init: 1.0}
  r: {op: While, vars: {i: 0, z: w}, cond: i < 3, body: {i: i + 1, z: z * 2.0}}
  z: Identity(r:1)
  up: AssignAdd(w, 1.0)
run: {fetch: [z], targets: [up], steps: 3}
END
expect 0 "z 24" "$DFRUN" run.yaml --output run
