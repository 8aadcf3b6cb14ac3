#!/usr/bin/env bash
# The digits job on ranks that SimGrid's SMPI simulates, with the losses that one process alone gets; and a message of
# what it refuses. Exit 77 where there is no smpirun or no part for it.
#   smpi_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
RANKS=16
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

PROGRAM=$(dirname "$DFRUN")/../lib/dfrun/dfrun_smpi.so
command -v smpirun > /dev/null || { echo "skipped: there is no smpirun"; exit 77; }
[ -e "$PROGRAM" ] || { echo "skipped: this build has no dfrun_smpi.so, since it found no mpi.h of SMPI"; exit 77; }

cat > "$WORK/platform.xml" <<EOF
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-$((RANKS - 1))" speed="10Gf" bw="12.5GBps" lat="1us"/>
</platform>
EOF
for ((r = 0; r < RANKS; ++r)); do echo "h$r"; done > "$WORK/hosts"

simulated() {  # simulated DFRUN_ARGUMENT...
  # smpirun passes SIGTERM on, which is a request to the ranks: the simulation itself is bounded.
  smpirun -wrapper "timeout -s KILL 120" -quiet -no-privatize --log=root.threshold:warning --cfg=contexts/factory:thread \
    --cfg=smpi/simulate-computation:no -np $RANKS -platform "$WORK/platform.xml" -hostfile "$WORK/hosts" "$PROGRAM" \
    "$@" --heartbeat off --stall 0 > "$WORK/log" 2>&1
}

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
