#!/usr/bin/env bash
# Trainings whose replicas run for themselves. With `max_staleness: 0` losses and variables are the same on 1, 2 and 4
# ranks, with threads, and after a job was killed; with one replica they are those of `sync`. With other bounds and
# without one each row is used once, also by jobs that are killed, and no job hangs.
#   async_replicas_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/mpi/variants_lib.sh"

STEPS=12
CONFIGS=$(dirname "$(short_spec digits_mlp 1 1000)")
cp "$SOURCE/configs/data/digits.h5" "$CONFIGS/"

# with SPEC KEYS: the name of a copy of the spec that is trained so.
with() { variant "$1" "$2" "checkpoint: {every: 4}"; }
# check NAME SPEC KEYS
check() {
  local name=$1 spec=$2 keys=$3 ranks
  local turns="$keys, strategy: async, replicas: 4, max_staleness: 0"
  run "$name-1" 1 "$(with "$spec" "$turns")"
  [ "$(sort -u -k2 "$WORK/$name-1.losses" | wc -l)" = "$STEPS" ] || fail "the losses of $name do not change"
  for ranks in 2 4; do
    run "$name-$ranks" "$ranks" "$(with "$spec" "$turns")"
    same "$name-1" "$name-$ranks"
  done
  run "$name-threads" 2 "$(with "$spec" "$turns, parameters: spread")" --threads 3
  same "$name-1" "$name-threads"
  # A job that ends after some steps, and one that goes on from there on other ranks.
  run "$name-resumed" 2 "$(with "$spec" "$turns")" --set train.steps=7
  run "$name-resumed" 1 "$(with "$spec" "$turns")" --resume
  same "$name-1" "$name-resumed"
  run "$name-sync" 1 "$(with "$spec" "$keys")"
  run "$name-one" 2 "$(with "$spec" "$keys, strategy: async")"
  same "$name-sync" "$name-one"
  for bound in none 1; do
    run "$name-bound-$bound" 2 "$(with "$spec" "$keys, strategy: async, replicas: 4, max_staleness: $bound")"
  done
}

rate="learning_rate: {schedule: cosine, initial: 0.01, steps: $STEPS}"
check mlp "$SOURCE/configs/digits_mlp.yaml" "optimizer: momentum, $rate"
check cnn "$SOURCE/configs/digits_cnn.yaml" "optimizer: adam, clip_norm: 1.0, $rate"
# Rows of a table, and statistics that the model itself assigns.
check embeddings "$SOURCE/tests/mpi/graphs/embeddings.yaml" "optimizer: adam, $rate"
sed -E -e 's/normalised\(([a-z0-9]+), channels=16\)/batch_norm(\1)/' -e '/^functions:/,/^graph:/{/^graph:/!d}' \
    "$SOURCE/tests/mpi/graphs/residual.yaml" > "$WORK/residual.yaml"
check residual "$WORK/residual.yaml" "optimizer: sgd, $rate"

# Each row once: a table counts the rows by their numbers, with the updates of their shares.
rows=96 epochs=200 batch=8
for ((i = 0; i < rows; ++i)); do echo "$i,$((i % 7))"; done > "$CONFIGS/rows.csv"
cat > "$CONFIGS/once.yaml" <<Y
dfrun: 1
name: once
inputs:
  batch: {csv: rows.csv, tensors: {id: {from: 0, dtype: int32}, x: 1}, batch: $batch, shuffle: true}
graph:
  seen: {op: Variable, shape: [$rows], init: zeros, dtype: int32, trainable: false, reduce: sum}
  W: {op: Variable, shape: [], init: 0}
  count: ScatterAdd(seen, batch/id, OnesLike(batch/id))
  raw: Mean(Square(batch/x * W - 3.0))
  loss: {op: Identity, input: raw, control: [^count]}
train: {loss: loss, learning_rate: 0.001, epochs: $epochs, strategy: async, replicas: 4}
checkpoint: {every: 70}
Y
steps=$((rows * epochs / batch))
for bound in none 2 0; do
  run=$WORK/once-$bound
  train 2 "$CONFIGS/once.yaml" "$run" --set train.max_staleness=$bound --set train.steps=10 > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "once $bound"; }
  for try in 1 2 3; do
    timeout -s KILL "0.$((try * 2 + 1))" "$DFRUN" "$CONFIGS/once.yaml" --resume --threads 2 \
      --set train.max_staleness=$bound --output "$run" > "$WORK/log" 2>&1 || true
  done
  train 2 "$CONFIGS/once.yaml" "$run" --set train.max_staleness=$bound --resume > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "once $bound"; }
  h5dump -d /seen:0 "$run/checkpoints/step-$steps/index.h5" | grep -oE '^ +\([0-9]+\): .*' | sed 's/.*: //' | tr -d ' \n' |
    tr ',' '\n' | grep -oE '^[0-9]+' | sort | uniq -c > "$WORK/counts"
  [ "$(tr -s ' ' < "$WORK/counts")" = " $rows $epochs" ] || { cat "$WORK/counts"; fail "bound $bound: not each row $epochs times"; }
done
echo "equal bits with max_staleness: 0 on 1, 2 and 4 ranks, with threads and resumed; each row once"
