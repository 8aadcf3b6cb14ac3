#!/usr/bin/env bash
# Submits scripts/slurm/train.slurm to a real Slurm of two nodes on this machine, and checks what it leaves behind.
# Usage: train_test.sh SOURCE_DIRECTORY DFRUN. Status 77: Slurm cannot run here, and the reason is printed.
set -uo pipefail
source_dir=$1
dfrun=$2
source "$source_dir/tests/slurm/cluster.sh"

JOB_LIMIT_S=180
LEAST_ACCURACY=0.96

skip() { echo "skipped: $*"; exit 77; }
fail() {
  echo "FAILED: $*" >&2
  tail -n 30 "$folder"/job.out "$folder"/*.log >&2
  exit 1
}

[ "$(id -u)" = 0 ] || skip "Slurm's daemons need root"
for program in munged slurmctld slurmd sbatch mpirun h5ls python3; do
  command -v "$program" >/dev/null || skip "$program is not installed (Debian: slurm-wlm munge openmpi-bin hdf5-tools)"
done

folder=$(mktemp -d /tmp/dfrun-slurm-XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI names its shared-memory files by host, job and rank on the node: two nodes of one host would share them.
export OMPI_MCA_btl=self,tcp
# Nor can it know that the nodes share cores, so that waiting ranks should yield: 30 us a message for 6 ms.
export OMPI_MCA_mpi_yield_when_idle=1

start_cluster "$folder" || fail "Slurm did not start"

export DFRUN_BINARY=$dfrun
cd "$source_dir" || exit 1
job=$(sbatch --parsable --output="$folder/job.out" scripts/slurm/train.slurm configs/digits_mlp.yaml "$folder/run") ||
  fail "sbatch refused the job"
job_state() { scontrol --oneliner show job "$job" | grep -o 'JobState=[A-Z_]*'; }
job_done() { ! job_state | grep -Eq 'PENDING|RUNNING|COMPLETING'; }
wait_until "$JOB_LIMIT_S" job_done || fail "the job did not end in $JOB_LIMIT_S s"

cat "$folder/job.out"
[ "$(job_state)" = JobState=COMPLETED ] || fail "the job ended as $(job_state)"
scontrol --oneliner show job "$job" | grep -q 'NumNodes=2 ' || fail "the job did not run on two nodes"

accuracy=$(grep -o 'accuracy[ =:]*[0-9.]*' "$folder/job.out" | tail -n 1 | grep -o '[0-9.]*$')
awk -v a="${accuracy:-0}" -v least="$LEAST_ACCURACY" 'BEGIN { exit !(a >= least) }' ||
  fail "accuracy '${accuracy}' in the job's output, expected at least $LEAST_ACCURACY"

index=$(find "$folder/run/checkpoints" -name index.h5 | sort -V | tail -n 1)
h5ls -rE "$index" | grep -E '^/h1/W:0 .*Dataset \{64, 128\}' || fail "h5ls does not show h1/W in '$index'"
for python in python3 /usr/bin/python3; do
  "$python" -c 'import h5py' 2>/dev/null || continue
  "$python" -c '
import sys, h5py, numpy
weights = h5py.File(sys.argv[1])["/h1/W:0"][...]
assert weights.shape == (64, 128) and weights.dtype == "float32" and numpy.ptp(weights) > 0, weights
' "$index" || fail "h5py does not read h1/W from $index"
  break
done
echo "Slurm job $job completed: accuracy $accuracy, checkpoint $index"
