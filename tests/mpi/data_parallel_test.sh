#!/usr/bin/env bash
# Trainings whose tasks update copies of the variables by gradients that they reduce together have the losses and the
# variables of those on parameter servers, on 1, 2 and 4 ranks, with and without buckets, however collectives are done.
#   data_parallel_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/mpi/variants_lib.sh"

STEPS=8
REPLICAS=4
CONFIGS=$(dirname "$(short_spec digits_mlp 1 1000)")
cp "$SOURCE/configs/data/digits.h5" "$CONFIGS/"

# with SPEC KEYS: the name of a copy of the spec that is trained so.
with() { variant "$1" "replicas: $REPLICAS, $2" "checkpoint: {every: $STEPS}"; }
# check NAME SPEC KEYS: on parameter servers, then by copies.
check() {
  local name=$1 spec=$2 keys=$3 variant bytes ranks
  run "$name-ps" 1 "$(with "$spec" "$keys, data_parallel: ps")"
  [ "$(sort -u -k2 "$WORK/$name-ps.losses" | wc -l)" = "$STEPS" ] || fail "the losses of $name do not change"
  for variant in 1:1048576 2:0 4:4096; do
    ranks=${variant%:*} bytes=${variant#*:}
    run "$name-$ranks-$bytes" "$ranks" "$(with "$spec" "$keys, data_parallel: allreduce, bucket_bytes: $bytes")"
    same "$name-ps" "$name-$ranks-$bytes"
  done
  run "$name-participants" 4 "$(with "$spec" "$keys, data_parallel: allreduce")" --collectives participants --trace 2
  same "$name-ps" "$name-participants"
  grep -qh '/_AllReduce"' "$WORK/$name-participants"/trace/*.json || fail "no participants ran on 4 ranks"
}

for name in digits_mlp digits_cnn; do
  check $name-momentum "$SOURCE/configs/$name.yaml" "optimizer: momentum, learning_rate: 0.05"
  check $name-adam "$SOURCE/configs/$name.yaml" "optimizer: adam, learning_rate: 0.01, clip_norm: 1.0"
done
# Rows of a table, and statistics that the model itself assigns.
check embeddings "$SOURCE/tests/mpi/graphs/embeddings.yaml" "optimizer: adam, learning_rate: 0.01, clip_norm: 1.0, on_nan: skip"
sed -E -e 's/normalised\(([a-z0-9]+), channels=16\)/batch_norm(\1)/' -e '/^functions:/,/^graph:/{/^graph:/!d}' \
    "$SOURCE/tests/mpi/graphs/residual.yaml" > "$WORK/residual.yaml"
grep -q 'batch_norm(stem)' "$WORK/residual.yaml" || fail "the spec has no batch normalisation"
check residual "$WORK/residual.yaml" "optimizer: momentum, learning_rate: {schedule: cosine, initial: 0.05, steps: 8}"
# Steps whose loss is not finite update no copy either.
sed -E 's/^( *)loss: .*/\1loss: Mean(Exp(Square(logits) * 3.0))/' "$SOURCE/configs/digits_mlp.yaml" > "$WORK/inf.yaml"
keys="optimizer: adam, learning_rate: 0.3, clip_norm: 1.0, on_nan: skip"
run inf-ps 1 "$(with "$WORK/inf.yaml" "$keys")"
grep -q 'Infinity' "$WORK/inf-ps/metrics.jsonl" || fail "the loss stays finite"
run inf-copies 2 "$(with "$WORK/inf.yaml" "$keys, data_parallel: allreduce")"
same inf-ps inf-copies
# More replicas than are summed in one go, with gradients that travel whole and in parts.
REPLICAS=40
keys="optimizer: momentum, learning_rate: 0.05"
run many-ps 1 "$(with "$SOURCE/configs/digits_mlp.yaml" "$keys, data_parallel: ps")" --set batch=80 --set hidden=512
for variant in 1:1048576 4:1048576 4:0; do
  spec=$(with "$SOURCE/configs/digits_mlp.yaml" "$keys, data_parallel: allreduce, bucket_bytes: ${variant#*:}")
  run many-$variant "${variant%:*}" "$spec" --set batch=80 --set hidden=512
  same many-ps many-$variant
done
echo "the losses and variables of parameter servers, on 1, 2 and 4 ranks, with buckets and without"
