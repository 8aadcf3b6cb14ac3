#!/usr/bin/env bash
# Mistakes that a newcomer makes in a spec or on the command line, each answered by what to write.
#   small_mistakes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# A param that nothing uses, a param that there is not, and a graph, which has none.
printf 'dfrun: 1\nparams: {hidden: 3, hiden: 4}\ngraph: {x: "Fill([${hidden}], 1.0)"}\nrun: {fetch: [x]}\n' > params.yaml
expect 65 "nothing in the spec uses the param 'hiden', so that --set hiden changes nothing, did you mean 'hidden'?" \
  "$DFRUN" check params.yaml --set hiden=5
expect 65 "unknown param 'hidde', did you mean 'hidden'?" "$DFRUN" check params.yaml --set hidde=5
expect 0 "float32[5]" "$DFRUN" eval params.yaml --set hidden=5

# Jobs of a cluster that get no rank.
printf 'dfrun: 1\ncluster:\n  jobs: {ps: 2, worker: rest}\ngraph: {x: "Fill([3], 1.0)"}\nrun: {fetch: [x]}\n' > cluster.yaml
expect 65 "cluster.yaml:3:17: job 'worker' gets no rank: the other jobs take all 2 ranks; start at least 3" \
  "$DFRUN" check cluster.yaml --ranks 2
expect 65 "cluster.yaml:3:9: the jobs have 2 tasks and a rest, but there are 1 ranks" "$DFRUN" check cluster.yaml --ranks 1
expect 0 "ok" "$DFRUN" check cluster.yaml --ranks 3
sed 's/ps: 2/ps: 0/' cluster.yaml > zero.yaml
expect 65 "zero.yaml:3:10: job 'ps' gets no rank: give it a task, or leave it out" "$DFRUN" check zero.yaml --ranks 3
ranks 2 "$DFRUN" cluster.yaml --output c > log 2>&1 && fail "a job without a rank ran"
grep -q "cluster.yaml:3:17: job 'worker' gets no rank" log || { cat log; fail "the job without a rank is not named"; }

# Quotes within expressions.
quotes() {
  printf 'dfrun: 1\ngraph:\n  x: {op: Const, value: [1, 2], dtype: float32}\n  y: %s\nrun: {fetch: [y]}\n' "$1" > q.yaml
  expect 65 "$2" "$DFRUN" check q.yaml
}
quotes 'Relu("x")' "'x' in quotes is a text: a node is written without them"
quotes "Relu('x')" "'x' in quotes is a text: a node is written without them"
quotes 'x + "y"' "'y' is no float32: quotes make a text, nodes and numbers are written without"
quotes 'Sum(x, axis="0")' "'0' is no int32: quotes make a text"
quotes 'Relu(x")' "q.yaml:4:12: expected ',' or ')', found '\"'; quotes, ' or \" at both ends, make a text"
quotes "Relu('x)" "is never closed; quotes, ' or \" at both ends, make a text"
quotes 'Relu(“x”)' "found '“'; quotes"

# Epochs count samples: 3 of 10 samples are 8 batches of 4.
{ echo x; seq 10; } > x.csv
epochs() {
  cat > epochs.yaml << YAML
dfrun: 1
inputs: {b: {csv: x.csv, header: true, tensors: {x: ~}, batch: 4}}
graph:
  W: {op: Variable, shape: [], init: 1}
  loss: Mean(Square(b/x * W))
train: {loss: loss, learning_rate: 0.0001, epochs: $1, log_every: 1}
YAML
}
steps() { grep -c '"loss"' "$1/metrics.jsonl"; }
for case in "3 8" "1 3" "0.5 2" "0.1 1" "2 5"; do
  read -r epochs steps <<< "$case"
  epochs "$epochs"
  "$DFRUN" epochs.yaml --output "e$epochs" > log 2>&1 || { cat log; fail "$epochs epochs"; }
  [ "$(steps "e$epochs")" = "$steps" ] || fail "$epochs epochs are $(steps "e$epochs") steps, not $steps"
done
for wrong in 0 -1 many; do
  epochs $wrong
  expect 65 "'epochs' must be" "$DFRUN" check epochs.yaml
done

# dfrun ops searches.
expect 0 "HDF5Reader" "$DFRUN" ops hdf5
expect 0 "Tanh " "$DFRUN" ops "hyperbolic TANGENT"
expect 0 "Gradient: yes" "$DFRUN" ops MatMul
expect 64 "no name and no description of an op has the word" "$DFRUN" ops no_such_op_at_all
echo "small mistakes are answered by what to write"
