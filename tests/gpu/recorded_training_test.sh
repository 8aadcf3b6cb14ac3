#!/usr/bin/env bash
# Trainings of the digits whose steps are launched as a whole: once a step, with the losses that they have node by node,
# in every order of the nodes that the graph's edges allow.
#   recorded_training_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/gpu/training_lib.sh"

# run NAME RANKS EPOCHS OPTION...: trains, with the losses in $WORK/losses and what is said in $WORK/log.
run() {
  local name=$1 ranks=$2 epochs=$3 output=$WORK/$1-$2-$RANDOM
  shift 3
  all_on_gpu "$(short_spec "$name" "$epochs" 1000)" "$WORK/configs/$name-gpu.yaml"
  sed -i -e '/^eval:/d' -e 's/replicas: 4/replicas: '"$ranks"'/' "$WORK/configs/$name-gpu.yaml"  # the mean of replicas' losses is small work, which stays with the CPU
  train "$ranks" "$WORK/configs/$name-gpu.yaml" "$output" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name on a GPU"; }
  losses "$output" > "$WORK/losses"
}
# said WHAT: the number before these words that a GPU tells at the end, by rank.
said() { sed -nE "s|.*/device:gpu:0: .* ?\b([0-9]+) $1.*|\1|p" "$WORK/log"; }
steps() { wc -l < "$WORK/losses"; }

# compared NAME RANKS EPOCHS LAUNCHES SEED...: as many launches a step, on each rank that has a GPU.
compared() {
  local name=$1 ranks=$2 epochs=$3 launches=$4
  shift 4
  run "$name" "$ranks" "$epochs" --no-gpu-graphs --explain-gpu
  [ "$(said launches | sort -u)" = 0 ] || { cat "$WORK/log"; fail "$name: node by node there are launches"; }
  cp "$WORK/losses" "$WORK/expected"
  for seed in "$@"; do
    DFRUN_EMULATED_SEED=$seed run "$name" "$ranks" "$epochs" --explain-gpu
    cmp "$WORK/expected" "$WORK/losses" || fail "$name on $ranks ranks has other losses recorded, seed $seed"
    for count in $(said launches); do
      [ "$count" -ge $(( launches * ($(steps) - 1) )) ] || { cat "$WORK/log"; fail "$name: $count launches in $(steps) steps"; }
      [ "$ranks" != 1 ] || [ "$count" -le "$(steps)" ] || fail "$name: $count launches in $(steps) steps of one rank"
    done
    [ "$(said updates | sort -u)" = 0 ] || fail "$name: a graph was updated"
  done
  echo "$name on $ranks ranks: $(steps) steps, $(said launches | tr '\n' ' ')launches"
}

compared digits_mlp 1 1 1 1 2 3 4 5
compared digits_mlp 2 1 1 1
compared digits_cnn 1 1 1 1 2
compared digits_cnn 2 1 1 1
