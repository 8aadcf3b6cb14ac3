#!/usr/bin/env bash
# Inputs that belong together (`with`), and what replicas read of `batch: all` (`split`).
#   tied_inputs_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

for i in $(seq 0 9); do echo "$i" >> x.csv; echo "$((i * 10))" >> y.csv; done
for i in $(seq 20 26); do echo "$i" >> tx.csv; echo "$((i * 10))" >> ty.csv; done

# spec NAME KEYS_OF_X KEYS_OF_Y [KEYS_OF_TY] [FEED]: trains nothing; the loss is 0 where row i meets row i.
spec() {
  local both='{x: tx, y: ty}'
  cat > "$1.yaml" <<END
dfrun: 1
params: {replicas: 1, steps: 12}
inputs:
  y: {csv: y.csv, tensors: {v: {from: 0}}, $3}
  x: {csv: x.csv, tensors: {v: {from: 0}}, $2}
  tx: {csv: tx.csv, tensors: {v: {from: 0}}, batch: 3, shuffle: true}
  ty: {csv: ty.csv, tensors: {v: {from: 0}}, ${4:-with: tx}}
graph:
  W: {op: Variable, shape: [], init: ones}
  apart: Square(y/v - 10.0 * x/v)
  loss: Mean(apart) * W
  rows: Sum(OnesLike(x/v))
train: {loss: loss, learning_rate: 0.0, steps: "\${steps}", log_every: 1, replicas: "\${replicas}"}
summaries: {scalars: [rows]}
eval: {feed: ${5:-$both}, metrics: [loss]}
checkpoint: {every: 6}
END
}
losses() { grep -o '"loss":[^,}]*' "$1/metrics.jsonl" | sort | uniq -c | tr -s ' '; }

# Tied: over several epochs, on replicas and ranks, and in an evaluation.
spec tied 'batch: 4, shuffle: true' 'with: x'
for np in 1 2; do
  ranks $np "$DFRUN" tied.yaml --set replicas=$np --output tied$np > out 2>&1 || { cat out; fail "tied on $np ranks"; }
  [ "$(losses "tied$np")" = ' 12 "loss": 0' ] || { losses "tied$np"; fail "rows part on $np ranks"; }
  grep -q 'eval/loss": 0[,}]' "tied$np/metrics.jsonl" || { tail -n 2 "tied$np/metrics.jsonl"; fail "rows part in the evaluation"; }
done
"$DFRUN" tied.yaml --output tied1 --resume --set steps=20 > out 2>&1 || { cat out; fail "resume"; }
[ "$(losses tied1)" = ' 20 "loss": 0' ] || { losses tied1; fail "rows part after a resume"; }
if "$DFRUN" check tied.yaml 2>&1 | grep "meet in the loss"; then fail "a warning of inputs that are tied"; fi
expect 0 'x/position' h5ls -r tied1/checkpoints/step-12/index.h5
if grep -q 'y/position' out; then fail "the follower has a position"; fi
expect 0 "apart: float32[7] 0 0 0" "$DFRUN" eval tied.yaml --fetch apart
expect 0 "apart: float32[7] 0 0 0" "$DFRUN" eval tied.yaml --feed x=tx --feed y=ty --fetch apart

# Untied: a warning, until `with: none`. A checkpoint with both positions goes on, and says what it leaves out.
spec untied 'batch: 4, shuffle: true' 'batch: 4, shuffle: true'
meet="untied.yaml:5:3: rows of the inputs 'y' and 'x' meet in the loss, one with one, and each is shuffled in its own order: write \`with: y\` in 'x'"
expect 0 "$meet" "$DFRUN" check untied.yaml
expect 0 "$meet" "$DFRUN" untied.yaml --output old
[ "$(losses old)" != ' 12 "loss": 0' ] || fail "rows that are shuffled apart meet"
expect 0 "y/position" "$DFRUN" tied.yaml --output old --resume --set steps=20
spec none 'batch: 4, shuffle: true' 'batch: 4, shuffle: true, with: none'
spec plain 'batch: 4' 'batch: 4'
expect 0 "and nothing keeps them together" "$DFRUN" check plain.yaml
for silent in none; do
  if "$DFRUN" check "$silent.yaml" 2>&1 | grep "meet in the loss"; then fail "a warning of $silent"; fi
done

# Errors.
wrong() {
  spec wrong "$1" "$2"
  expect 65 "$3" "$DFRUN" check wrong.yaml
}
wrong 'batch: 4' 'with: x, batch: 4' "input 'y' goes with 'x', whose 'batch' it has: leave out its own"
wrong 'batch: 4' 'with: x, shuffle: true' "input 'y' goes with 'x', whose 'shuffle' it has"
wrong 'batch: 4' 'with: y' "input 'y' goes with itself"
wrong 'with: y' 'with: x' "which goes with"
wrong 'with: ty' 'batch: 4' "input 'x' goes with 'ty', which goes with 'tx'"
wrong 'batch: 4' 'with: tx' "wrong.yaml:4:50: input 'y' has 10 samples, but 'tx', which it goes with, 7"
wrong 'batch: 4' 'with: xx' "input 'y' goes with 'xx', which is no input, did you mean"
wrong 'batch: 4' 'shuffle: true' "lacks 'batch'"
wrong 'batch: 4, split: true' 'with: x' "'split', which is about 'batch: all'"
spec one 'batch: 4' 'with: x' 'with: tx' '{x: tx}'
expect 65 "'x' and 'y' go together, and 'tx' takes the place of the first alone: replace both" "$DFRUN" check one.yaml
spec apart 'batch: 4' 'with: x' 'batch: 3'
expect 65 "and 'tx' and 'ty', which take their places, do not" "$DFRUN" check apart.yaml
expect 64 "takes the place of the first alone" "$DFRUN" eval tied.yaml --feed x=tx --fetch apart

# Rows that meet on purpose: a Siamese net, a softmax over the batch, a net over a fixed graph.
cat > head <<'END'
dfrun: 1
inputs:
  y: {csv: y.csv, tensors: {v: {from: "0:1"}}, batch: 4, shuffle: true}
  x: {csv: x.csv, tensors: {v: {from: "0:1"}}, batch: 4, shuffle: true}
graph:
  W: {op: Variable, shape: [1, 2], init: ones}
  a: MatMul(x/v, W)
END
end='train: {loss: loss, learning_rate: 0.1, steps: 2}'
{ cat head; echo '  b: MatMul(y/v, W)'; echo '  same: Cast(Equal(x/v, y/v), DstT=float32)'
  echo '  loss: Mean(Square(Sum(Square(a - b), axis=1) - Sum(same, axis=1)))'; echo "$end"; } > siamese.yaml
{ cat head; echo '  V: {op: Variable, shape: [1, 2], init: ones}'; echo '  b: MatMul(y/v, V)'
  echo '  logits: MatMul(a, b, transpose_b=true)'
  echo '  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, Range(0, Gather(Shape(a), 0), 1)))'; echo "$end"; } > softmax.yaml
{ sed 's/batch: 4, shuffle: true/batch: all/' head; echo '  loss: Mean(Square(Sum(a, axis=1, keepdims=true) - y/v))'; echo "$end"; } > graph.yaml
# The same net on both sides, and more behind it on one: a bilinear form, and a sample drawn to tell apart.
{ cat head; echo '  M: {op: Variable, shape: [2, 2], init: ones}'; echo '  b: MatMul(y/v, W)'
  echo '  loss: Mean(Sum(MatMul(a, M) * b, axis=1))'; echo "$end"; } > bilinear.yaml
{ cat head; echo '  Q: {op: Variable, shape: [1, 2], init: ones}'; echo '  q: MatMul(x/v, Q)'; echo '  b: MatMul(y/v, W)'
  echo '  loss: Mean(Relu(1.0 - Sum(q * a, axis=1) + Sum(q * b, axis=1)))'; echo "$end"; } > negative.yaml
for name in siamese softmax graph bilinear negative; do
  expect 0 "ok" "$DFRUN" check $name.yaml
  if grep -q "meet in the loss" out; then cat out; fail "a warning of the $name"; fi
done

# Sentences and their translations, from two files, which share a table of embeddings alone, or a projection of it too:
# with an encoder of their own, by way of one value or of a loop over the words.
for i in $(seq 0 9); do echo "$((i % 5)),$((i % 3)),$((i % 4))" >> words.csv; done
translation() {
  cat > translation.yaml <<END
dfrun: 1
inputs:
  to: {csv: y.csv, tensors: {v: {from: 0, dtype: int64}}, batch: 4, shuffle: true${3:-}}
  source: {csv: words.csv, tensors: {v: {from: "0:3", dtype: int64}}, batch: 4, shuffle: true}
graph:
  E: {op: Variable, shape: [100, 2], init: "RandomUniform()"}
  U: {op: Variable, shape: [2, 2], init: "RandomUniform()"}
  D: {op: Variable, shape: [4, 100], init: "RandomUniform()"}
$(if [[ $1$2 = *V* ]]; then echo '  V: {op: Variable, shape: [2, 2], init: "RandomUniform()"}'; fi)
  begin: MatMul(Cast(source/v, DstT=float32), Fill([3, 2], 0.0))
  state: $1
  word: $2
  logits: MatMul(ConcatV2([state, word], 1), D)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, to/v))
train: {loss: loss, learning_rate: 0.1, steps: 2}
END
}
bag='Tanh(MatMul(Mean(Gather(E, source/v), axis=1), U))'
loop='{op: While, vars: {i: 0, h: begin, words: source/v}, cond: i < 3, body: {i: i + 1, h: "Tanh(MatMul(h, U) + MatMul(Gather(E, GatherV2(words, i, axis=1)), V))"}}'
for way in "$bag|Gather(E, to/v)" "$bag|MatMul(Gather(E, to/v), V)" "$loop|Gather(E, to/v)"; do
  translation "${way%|*}" "${way#*|}"
  if [ "${way%|*}" = "$loop" ]; then sed -i 's/\[state, word\]/[state:1, word]/' translation.yaml; fi
  expect 0 "rows of the inputs 'to' and 'source' meet in the loss, one with one" "$DFRUN" check translation.yaml
done
translation "$bag" 'Gather(E, to/v)' ', with: none'
if "$DFRUN" check translation.yaml 2>&1 | grep "meet in the loss"; then fail "a warning of translations that go apart"; fi

# `batch: all` on replicas: the whole for each, with a warning that names both ways, or a slice each.
whole="each of the 2 replicas computes the whole of input 'x': \`split: true\` gives each its slice, as of other batches, and \`split: false\`"
for split in '' ', split: true' ', split: false'; do
  spec all "batch: all$split" 'with: x'
  expect 0 "" "$DFRUN" all.yaml --set replicas=2 --output "all.run$split"
  rows=10
  if [ "$split" = ', split: true' ]; then rows=5; fi
  grep -q "\"rows\": $rows[,}]" "all.run$split/metrics.jsonl" || fail "other rows than $rows with$split"
  [ "$(losses "all.run$split")" = ' 12 "loss": 0' ] || fail "rows of slices part"
  if [ -z "$split" ]; then
    grep -qF "$whole" out || { cat out; fail "no warning of the whole set"; }
  elif grep -q "computes the whole" out; then
    fail "a warning with$split"
  fi
done
spec all "batch: all, split: true" 'with: x'
expect 65 "a batch of 10 cannot be cut into equal slices for 3 replicas" "$DFRUN" check all.yaml --set replicas=3
[ "$(grep -c 'cannot be cut' out)" = 1 ] || fail "one batch is said to be wrong twice"
spec all "batch: all" 'with: x'
if "$DFRUN" check all.yaml 2>&1 | grep "computes the whole"; then fail "a warning with one replica"; fi
