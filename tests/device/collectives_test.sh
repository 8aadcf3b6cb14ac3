#!/usr/bin/env bash
# Collectives between CPUs and devices of the tests' own, on two ranks: participants have the values of Sends and sums.
#   collectives_test.sh SOURCE_DIR DFRUN DEVICE_LIBRARY
SOURCE=$1 DFRUN=$2 LIBRARY=$3
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

for how in lowered participants; do
  timeout 120 mpirun --oversubscribe -x "LD_PRELOAD=$LIBRARY" -np 2 "$DFRUN" "$SOURCE/tests/device/collectives.yaml" \
    --output "$WORK/$how" --collectives "$how" --trace 1 > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "collectives, $how"; }
done
for op in AllReduce ReduceScatter AllGather; do
  [ "$(cat "$WORK"/participants/trace/*.json | { grep -o "/_$op\"" || true; } | wc -l)" = 4 ] || fail "not 4 participants of $op"
done
values() { sed -E 's/"(wall_s|samples_per_s|waiting\/[a-z]+|memory[^"]*)": [^,]+, //g' "$1/metrics.jsonl"; }
[ -s "$WORK/lowered/metrics.jsonl" ] || fail "nothing is fetched"
diff <(values "$WORK/lowered") <(values "$WORK/participants") || fail "participants have other values than Sends and sums"
echo "the values of $(wc -l < "$WORK/lowered/metrics.jsonl") steps are the same"
