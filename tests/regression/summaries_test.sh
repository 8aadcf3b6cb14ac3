#!/usr/bin/env bash
# Summaries of a training: losses and checkpoints have the bits of the same training without them, at 1, 2 and 4 ranks,
# with variables on one task and with copies on each, and sections that are wrong are errors at their place.
#   summaries_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - <<'P'
import h5py, numpy as np
rng = np.random.default_rng(11)
with h5py.File("data.h5", "w") as f:
    f["token"] = rng.integers(0, 9, (48, 3)).astype("i4")
    f["x"] = rng.standard_normal((48, 6)).astype("f4")
    f["label"] = rng.integers(0, 3, 48).astype("i4")
P
cat > plain.yaml <<'Y'
dfrun: 1
params: {by: ps, dropout: 0.3}
inputs:
  batch: {hdf5: data.h5, tensors: {token: /token, x: /x, label: /label}, batch: 8, shuffle: true}
graph:
  table: {op: Variable, shape: [9, 4], init: "RandomNormal(stddev=0.5)"}
  W: {op: Variable, shape: [10, 8], init: "RandomNormal(stddev=0.5)"}
  b: {op: Variable, shape: [8], init: zeros}
  V: {op: Variable, shape: [8, 3], init: "RandomNormal(stddev=0.5)"}
  rows: Mean(GatherV2(table, batch/token, 0), 1)
  input: {op: ConcatV2, inputs: [[rows, batch/x], 1]}
  hidden: Relu(MatMul(input, W) + b)
  logits: MatMul(hidden, V)
  losses: SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)
  loss: Mean(losses)
  chance: Reshape(StridedSlice(Softmax(logits), [0, 0], [8, 1], [1, 1], begin_mask=3, end_mask=1), [-1])
  hit: Equal(batch/label, 0)
  picture: Reshape(batch/x, [-1, 2, 3, 1])
  words: AsString(batch/label)
train: {loss: loss, optimizer: momentum, momentum: 0.9, learning_rate: 0.05, steps: 12, replicas: 4, log_every: 3,
        data_parallel: "${by}"}
checkpoint: {every: 6}
Y
cp plain.yaml summed.yaml
cat >> summed.yaml <<'Y'
summaries:
  histograms: {weights: ["*"], gradients: ["*"], values: [hidden, table, W]}
  images: [picture]
  audio: [batch/x]
  text: [words]
  pr_curves: {first: {labels: hit, predictions: chance}}
  every: 2
Y
cp plain.yaml normed.yaml
echo 'summaries: {gradient_norm: true}' >> normed.yaml

# lines RUN: metrics but for those of summaries.
lines() {
  metric_lines "$1" | sed -E 's/, "grad_norm": [^,}]*//'
}

for by in ps allreduce; do
  for count in 1 2 4; do
    for spec in plain summed normed; do
      ranks "$count" "$DFRUN" "$spec.yaml" --set by=$by --output "$spec-$by-$count" > out 2>&1 ||
        { cat out; fail "$spec by $by at $count ranks"; }
      for step in 6 12; do
        dump "$spec-$by-$count/checkpoints/step-$step/"shard-*.h5 | sort > "$spec.$step"
      done
      lines "$spec-$by-$count" > "$spec.lines"
    done
    for spec in summed normed; do
      for file in lines 6 12; do
        cmp "plain.$file" "$spec.$file" || fail "$spec changes $file by $by at $count ranks"
      done
    done
    grep -q '"grad_norm"' "normed-$by-$count/metrics.jsonl" || fail "no norm by $by at $count ranks"
    metric_lines "normed-$by-$count" | grep -o '"grad_norm": [^,}]*' > "norms-$by-$count"
    cmp norms-ps-1 "norms-$by-$count" || fail "another norm by $by at $count ranks"
  done
done
[ "$(wc -l < norms-ps-1)" = 4 ] || fail "norms of other steps than the logged ones"

# A run with summaries goes on from its checkpoint as one without.
ranks 2 "$DFRUN" summed.yaml --set train.steps=18 --resume --output summed-ps-2 > out 2>&1 || { cat out; fail "resume"; }
ranks 2 "$DFRUN" plain.yaml --set train.steps=18 --resume --output plain-ps-2 > out 2>&1 || { cat out; fail "resume"; }
cmp <(lines plain-ps-2) <(lines summed-ps-2) || fail "a resumed run differs"

wrong() {
  local text=$1
  shift
  { cat plain.yaml; echo "summaries: $1"; } > wrong.yaml
  expect 65 "wrong.yaml:$(wc -l < wrong.yaml):$text" "$DFRUN" check wrong.yaml
}
wrong "39: 'U' is no variable of the graph; the nearest are 'W', 'b', 'V'" '{histograms: {weights: [W, U]}}'
wrong "22: 'images' takes [batch, height, width, 1, 3 or 4]" '{images: [hidden]}'
wrong "13: unknown key 'image' of the section 'summaries', did you mean 'images'?" '{image: [picture]}'
