#!/usr/bin/env bash
# Trainings with backup replicas. Nets are trained on 1, 2 and 4 ranks; where all rows are equal, so that it does not
# matter which shares make a step, losses and variables have the bits of a training without backup.
#   backup_replicas_test.sh SOURCE_DIR DFRUN
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
  for ranks in 1 2 4; do
    run "$name-$ranks" "$ranks" "$(with "$spec" "$keys, replicas: 4, backup: 2")"
    [ "$(sort -u -k2 "$WORK/$name-$ranks.losses" | wc -l)" = "$STEPS" ] || fail "the losses of $name do not change"
  done
  run "$name-threads" 2 "$(with "$spec" "$keys, replicas: 2, backup: 1, parameters: spread")" --threads 3
  run "$name-resumed" 2 "$(with "$spec" "$keys, replicas: 4, backup: 2")" --set train.steps=7
  run "$name-resumed" 3 "$(with "$spec" "$keys, replicas: 4, backup: 2")" --resume
  [ "$(wc -l < "$WORK/$name-resumed.losses")" = "$STEPS" ] || fail "$name has not gone on"
}

rate="learning_rate: {schedule: cosine, initial: 0.01, steps: $STEPS}"
check mlp "$SOURCE/configs/digits_mlp.yaml" "optimizer: momentum, $rate"
check cnn "$SOURCE/configs/digits_cnn.yaml" "optimizer: adam, clip_norm: 1.0, $rate"
# Rows of a table, and statistics that the model itself assigns.
check embeddings "$SOURCE/tests/mpi/graphs/embeddings.yaml" "optimizer: adam, $rate"
sed -E -e 's/normalised\(([a-z0-9]+), channels=16\)/batch_norm(\1)/' -e '/^functions:/,/^graph:/{/^graph:/!d}' \
    "$SOURCE/tests/mpi/graphs/residual.yaml" > "$WORK/residual.yaml"
check residual "$WORK/residual.yaml" "optimizer: sgd, $rate"

# All rows equal: the bits of a training without backup.
for ((i = 0; i < 96; ++i)); do echo "1.5,-0.5"; done > "$CONFIGS/equal.csv"
cat > "$CONFIGS/equal.yaml" <<Y
dfrun: 1
name: equal
inputs:
  batch: {csv: equal.csv, tensors: {x: 0, y: 1}, batch: 24}
graph:
  W: {op: Variable, shape: [1, 8], init: "RandomNormal(seed=3) * 0.4"}
  V: {op: Variable, shape: [8, 1], init: "RandomNormal(seed=5) * 0.4"}
  m: {op: Variable, shape: [8], init: zeros, trainable: false, reduce: mean}
  h: Tanh(MatMul(ExpandDims(batch/x, 1), W))
  kept: Assign(m, m * 0.9 + Mean(h, 0) * 0.1)
  raw: Mean(Square(Squeeze(MatMul(h, V), axis=[1]) - batch/y)) + Mean(Square(V)) * 0.01
  loss: {op: Identity, input: raw, control: [^kept]}
train: {loss: loss, learning_rate: 0.1, steps: $STEPS, log_every: 1}
checkpoint: {every: 4}
Y
keys=(--set train.replicas=3 --set train.optimizer=momentum)
run equal-sync 1 "$CONFIGS/equal.yaml" "${keys[@]}"
for ranks in 1 2 4; do
  run "equal-$ranks" "$ranks" "$CONFIGS/equal.yaml" "${keys[@]}" --set train.backup=1
  cmp "$WORK/equal-sync.losses" "$WORK/equal-$ranks.losses" || fail "losses on $ranks ranks differ from those without backup"
  for variable in W V m W/Momentum; do
    h5diff --follow-symlinks "$WORK/equal-sync/checkpoints/step-$STEPS/index.h5" \
      "$WORK/equal-$ranks/checkpoints/step-$STEPS/index.h5" "/$variable:0" || fail "$variable differs on $ranks ranks"
  done
done

echo "four nets with backup replicas, and the bits of equal rows"
