#!/usr/bin/env bash
# The digits job on ranks that SimGrid's SMPI simulates, with the losses that one process alone gets; and a message of
# what it refuses. Exit 77 where there is no smpirun or no part for it.
#   smpi_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
RANKS=16
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

source "$SOURCE/tests/mpi/smpi_lib.sh"

spec=$(short_spec digits_mlp 1 1000)
sed -i -E "s/replicas: [0-9]+/replicas: $RANKS, data_parallel: allreduce/; s/batch: 64/batch: 256/" "$spec"
timeout 120 "$DFRUN" "$spec" --threads 1 --output "$WORK/alone" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "one process"; }
losses "$WORK/alone" > "$WORK/expected"
[ "$(wc -l < "$WORK/expected")" -gt 4 ] || fail "there are no losses"
simulated "$spec" --threads 1 --output "$WORK/run" || { tail -n 40 "$WORK/log"; fail "$RANKS simulated ranks"; }
losses "$WORK/run" > "$WORK/got"
cmp "$WORK/expected" "$WORK/got" || fail "the losses of simulated ranks are others"

! simulated "$spec" --threads 2 --output "$WORK/threads" || fail "two threads a rank were let through"
grep -q 'this MPI does not allow 2 threads a rank; run with --threads 1' "$WORK/log" || { cat "$WORK/log"; fail "no word of --threads 1"; }
echo "$(wc -l < "$WORK/got") steps on $RANKS simulated ranks have the losses of one process"
