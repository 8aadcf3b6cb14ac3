#!/usr/bin/env bash
# Submits scripts/slurm/bench.slurm to a real Slurm of two nodes on this machine: each benchmark leaves its figures, and the
# curves are drawn.
# Usage: bench_test.sh SOURCE_DIRECTORY DFRUN. Status 77: Slurm cannot run here, and the reason is printed.
set -uo pipefail
source_dir=$1
dfrun=$2
source "$source_dir/tests/slurm/cluster.sh"

JOB_LIMIT_S=300

skip() { echo "skipped: $*"; exit 77; }
fail() {
  echo "FAILED: $*" >&2
  tail -n 60 "$folder"/job.out "$folder"/*.log >&2
  exit 1
}

[ "$(id -u)" = 0 ] || skip "Slurm's daemons need root"
for program in munged slurmctld slurmd sbatch mpirun python3; do
  command -v "$program" >/dev/null || skip "$program is not installed (Debian: slurm-wlm munge openmpi-bin)"
done

folder=$(mktemp -d /tmp/dfrun-slurm-XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Two nodes of one host would share files of shared memory, and do not know that they share cores.
export OMPI_MCA_btl=self,tcp OMPI_MCA_mpi_yield_when_idle=1

start_cluster "$folder" || fail "Slurm did not start"
export DFRUN_BINARY=$dfrun
cd "$source_dir" || exit 1
job=$(sbatch --parsable --output="$folder/job.out" scripts/slurm/bench.slurm "$folder/figures" --rounds 1) ||
  fail "sbatch refused the job"
job_state() { scontrol --oneliner show job "$job" | grep -o 'JobState=[A-Z_]*'; }
job_done() { ! job_state | grep -Eq 'PENDING|RUNNING|COMPLETING'; }
wait_until "$JOB_LIMIT_S" job_done || fail "the job did not end in $JOB_LIMIT_S s"
[ "$(job_state)" = JobState=COMPLETED ] || fail "the job ended as $(job_state)"
for bench in p2p null-step collectives tasks fetch; do
  grep -q '"value"' "$folder/figures/${bench}_2.json" || fail "no figures of $bench"
done
grep -q '<polyline' "$folder/figures/scaling.svg" || fail "no curves"
grep -Eq '^1 +[^ ]+ +' "$folder/job.out" || fail "no table of where ranks are"
tail -n 40 "$folder/job.out"
