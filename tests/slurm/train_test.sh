#!/usr/bin/env bash
# Submits scripts/slurm/train.slurm to a real Slurm of two nodes on this machine, where srun starts the ranks and where
# mpirun does, and checks what it leaves behind.
# Usage: train_test.sh SOURCE_DIRECTORY DFRUN. Status 77: Slurm cannot run here, and the reason is printed.
set -uo pipefail
source_dir=$1
export DFRUN_BINARY=$2
source "$source_dir/tests/slurm/cluster.sh"

JOB_LIMIT_S=120
LEAST_ACCURACY=0.96

fail() {
  echo "FAILED: $*" >&2
  tail -n 30 "$folder"/*.job "$folder"/*.log >&2
  exit 1
}

need h5ls
folder=$(mktemp -d /tmp/dfrun-slurm-XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT
start_cluster "$folder" || fail "Slurm did not start"
cd "$source_dir" || exit 1

trained() {  # trained LAUNCHER: by which the ranks of two nodes are started
  local job accuracy index run=$folder/$1 output=$folder/$1.job
  job=$(sbatch --parsable --nodes=2 --output="$output" scripts/slurm/train.slurm configs/digits_mlp.yaml "$run") ||
    fail "sbatch refused the job"
  wait_until "$JOB_LIMIT_S" job_ended "$job" || fail "the job did not end in $JOB_LIMIT_S s"
  cat "$output"
  [ "$(job_state "$job")" = COMPLETED ] || fail "the job ended as $(job_state "$job")"
  scontrol --oneliner show job "$job" | grep 'NumNodes=2 ' >/dev/null || fail "the job did not run on two nodes"
  grep -q "^Job $job: $1 starts the ranks" "$output" || fail "$1 did not start the ranks"
  grep -q "^Job $job: .* on 4 ranks" "$output" || fail "the job did not have two ranks on each node"

  accuracy=$(grep -o 'accuracy[ =:]*[0-9.]*' "$output" | tail -n 1 | grep -o '[0-9.]*$')
  awk -v a="${accuracy:-0}" -v least="$LEAST_ACCURACY" 'BEGIN { exit !(a >= least) }' ||
    fail "accuracy '${accuracy}' in the job's output, expected at least $LEAST_ACCURACY"
  index=$(find "$run/checkpoints" -name index.h5 | sort -V | tail -n 1)
  h5ls -rE "$index" | grep -E '^/h1/W:0 .*Dataset \{64, 128\}' || fail "h5ls does not show h1/W in '$index'"
  read_by_h5py "$index"
  echo "Slurm job $job completed by $1: accuracy $accuracy, checkpoint $index"
}

read_by_h5py() {  # read_by_h5py INDEX: where a Python has it
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import h5py' 2>/dev/null || continue
    "$python" -c '
import sys, h5py, numpy
weights = h5py.File(sys.argv[1])["/h1/W:0"][...]
assert weights.shape == (64, 128) and weights.dtype == "float32" and numpy.ptp(weights) > 0, weights
' "$1" || fail "h5py does not read h1/W from $1"
    return
  done
}

if srun --mpi=list 2>&1 | grep pmix >/dev/null; then trained srun; else echo "Slurm has no pmix here: srun is left out"; fi
hide_pmix "$folder/without-pmix"
trained mpirun
