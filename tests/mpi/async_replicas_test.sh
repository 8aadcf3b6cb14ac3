#!/usr/bin/env bash
# Trainings whose replicas run for themselves. With `max_staleness: 0` losses and variables are the same on 1, 2 and 4
# ranks, with threads, and in a job that is resumed; with one replica they are those of `sync`. With other bounds and
# without one no job hangs; that each row is used once is shown by tests/strategies.
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
echo "equal bits with max_staleness: 0 on 1, 2 and 4 ranks, with threads and resumed"
