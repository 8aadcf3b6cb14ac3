#!/usr/bin/env bash
# Trainings of the digits with their layers on a GPU: they reach the accuracy that they reach on CPUs, and have equal
# losses each time and with other ranks.
#   training_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/gpu/training_lib.sh"

accuracy() { sed -n 's|.*"eval/accuracy": *\([0-9.]*\).*|\1|p' "$1/metrics.jsonl" | tail -n 1; }

# trained NAME RANKS EPOCHS LEAST: the job, of at least that accuracy.
trained() {
  local name=$1 ranks=$2 epochs=$3 least=$4 output=$WORK/$1-$2-$RANDOM
  on_gpu "$(short_spec "$name" "$epochs" 1000)" "$WORK/configs/$name-gpu.yaml"
  train "$ranks" "$WORK/configs/$name-gpu.yaml" "$output" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name on a GPU"; }
  awk -v seen="$(accuracy "$output")" -v least="$least" 'BEGIN {exit !(seen >= least)}' ||
    fail "$name on a GPU has accuracy $(accuracy "$output"), expected $least"
  losses "$output" > "$WORK/losses"
  echo "$name on $ranks ranks: accuracy $(accuracy "$output")"
}

trained digits_mlp 1 6 0.9
cp "$WORK/losses" "$WORK/first"
trained digits_mlp 1 6 0.9
cmp "$WORK/first" "$WORK/losses" || fail "the losses differ from run to run"
trained digits_mlp 2 6 0.9
cmp "$WORK/first" "$WORK/losses" || fail "the losses differ with the number of ranks"
