#!/usr/bin/env bash
# Replicas that run for themselves with their layers and variables on a GPU. With `max_staleness: 0` losses and variables
# have equal bits on one rank and on two, in every order of the device's streams, node by node and recorded; without a
# bound the loss falls; a share that is not finite ends the job. The same with backup replicas.
#   async_training_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/gpu/training_lib.sh"

# run NAME RANKS OUTPUT OPTION...: trains, with the losses and the last fingerprint in $WORK/OUTPUT.bits.
run() {
  local name=$1 ranks=$2 output=$WORK/$3
  shift 3
  train "$ranks" "$WORK/configs/$name-gpu.yaml" "$output" --set train.strategy=async --set train.replicas=2 "$@" \
    > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name with async on a GPU"; }
  { losses "$output"; grep -oE '"state": "[0-9a-f]{16}"' "$output/metrics.jsonl"; } > "$output.bits"
  grep -q state "$output.bits" || fail "$output has no fingerprint"
}
# spec NAME: the copy of it that is trained on a GPU.
spec() {
  all_on_gpu "$(short_spec "$1" 1 1000)" "$WORK/configs/$1-gpu.yaml"
  sed -i -e '/^eval:/d' "$WORK/configs/$1-gpu.yaml"
}
# in_turn NAME OPTION...
in_turn() {
  local name=$1
  shift
  spec "$name"
  run "$name" 1 "$name-1" --set train.max_staleness=0 "$@" --no-gpu-graphs
  for seed in 1 2; do
    DFRUN_EMULATED_SEED=$seed run "$name" 1 "$name-1-$seed" --set train.max_staleness=0 "$@"
    DFRUN_EMULATED_SEED=$seed run "$name" 2 "$name-2-$seed" --set train.max_staleness=0 "$@"
    for ranks in 1 2; do
      cmp "$WORK/$name-1.bits" "$WORK/$name-$ranks-$seed.bits" || fail "$name on $ranks ranks has other bits, seed $seed"
    done
  done
  echo "$name: $(wc -l < "$WORK/$name-1.bits") lines of equal bits"
}

# falls NAME: the loss of $WORK/NAME
falls() {
  losses "$WORK/$1" | awk '{ if (NR <= 5) first += $2; last[NR % 5] = $2 }
    END { for (i in last) sum += last[i]; exit !(sum < first / 2) }' || fail "the loss of $1 does not fall"
}

in_turn digits_mlp
in_turn digits_cnn --set train.epochs=0.25 --set train.optimizer=adam --set train.momentum=null --set train.clip_norm=1 --set train.learning_rate=0.001

for options in "--set train.max_staleness=none" "--set train.max_staleness=1 --set train.steps_in_flight=2 --threads 2"; do
  rm -rf "$WORK/free"
  run digits_mlp 2 free --set train.learning_rate=0.02 --set train.epochs=2 $options
  falls free
done

sed -E 's/^( +)loss: .*/\1loss: {op: Mean, inputs: [huge], device: \/device:gpu:0}\n\1huge: {op: Exp, x: tripled, device: \/device:gpu:0}\n\1tripled: {op: Square, x: logits, device: \/device:gpu:0}/' \
  "$WORK/configs/digits_mlp-gpu.yaml" > "$WORK/configs/inf.yaml"
code=0
train 2 "$WORK/configs/inf.yaml" "$WORK/inf" --set train.strategy=async --set train.replicas=2 --set train.learning_rate=9 \
  > "$WORK/log" 2>&1 || code=$?
[ "$code" = 71 ] || { cat "$WORK/log"; fail "a loss that is not finite: exit code $code"; }
grep -q "of replica [01] is not finite" "$WORK/log" || { cat "$WORK/log"; fail "no replica is named"; }
train 2 "$WORK/configs/digits_mlp-gpu.yaml" "$WORK/backup" --set train.replicas=2 --set train.backup=1 --set train.epochs=2 \
  > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "backup on a GPU"; }
falls backup
code=0
train 2 "$WORK/configs/inf.yaml" "$WORK/backup-inf" --set train.replicas=2 --set train.backup=1 --set train.learning_rate=9 \
  > "$WORK/log" 2>&1 || code=$?
[ "$code" = 71 ] || { cat "$WORK/log"; fail "a loss that is not finite, with backup: exit code $code"; }
echo "without a bound the loss falls; a share that is not finite ends the job"
