#!/usr/bin/env bash
# A training whose kernels begin before those that they wait for are done has the losses that it has where they do not:
# on a GPU that cannot, and with a driver that does not take such graphs; and in other orders of its work.
#   early_edges_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/gpu/training_lib.sh"

all_on_gpu "$(short_spec digits_mlp 1 640)" "$WORK/configs/mlp-gpu.yaml"
sed -i -e '/^eval:/d' -e 's/replicas: 4/replicas: 1/' "$WORK/configs/mlp-gpu.yaml"

# trained NAME: with the losses in $WORK/NAME, and how many edges are early in $early.
trained() {
  train 1 "$WORK/configs/mlp-gpu.yaml" "$WORK/run-$1" --explain-gpu > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "training $1"; }
  losses "$WORK/run-$1" > "$WORK/$1"
  early=$(sed -nE 's|.*\b([0-9]+) of them early;.*|\1|p' "$WORK/log" | sort -n | tail -n 1)
  grep -qE '[1-9][0-9]* ends that the work told' "$WORK/log" || { cat "$WORK/log"; fail "$1: no step tells its end"; }
}
same() { cmp "$WORK/early" "$WORK/$1" || fail "the losses differ: $1"; }

trained early
[ "$early" -gt 10 ] || { cat "$WORK/log"; fail "$early edges are early"; }
DFRUN_EMULATED_CARD=sm_80 trained sm_80
[ "$early" = 0 ] || fail "$early edges are early on a GPU of sm_80"
same sm_80
DFRUN_EMULATED_CARD=no-early-edges trained refused
[ "$early" = 0 ] || fail "$early edges are early where the driver refuses them"
same refused
for seed in 2 3; do
  DFRUN_EMULATED_SEED=$seed trained seed-$seed
  same seed-$seed
done
echo "$(wc -l < "$WORK/early") steps, equal losses"
