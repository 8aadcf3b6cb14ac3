# Shared by the tests of ranks that SimGrid's SMPI simulates. Source it after setting DFRUN, RANKS and WORK. It ends the
# test with 77 where there is no smpirun or no part for it, and makes a platform with a host for each rank.
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

# What smpirun gets beside this: options of the simulation, and the seconds of the real clock that it may take.
SMPI_OPTIONS=(--cfg=contexts/factory:thread)
SMPI_SECONDS=120

simulated() {  # simulated DFRUN_ARGUMENT...
  # smpirun passes SIGTERM on, which is a request to the ranks: the simulation itself is bounded.
  (cd "$WORK" && smpirun -wrapper "timeout -s KILL $SMPI_SECONDS" -quiet -no-privatize --log=root.threshold:warning \
    --cfg=smpi/simulate-computation:no "${SMPI_OPTIONS[@]}" -np "$RANKS" -platform platform.xml -hostfile hosts \
    "$PROGRAM" "$@" --heartbeat off --stall 0 > "$WORK/log" 2>&1)
}
