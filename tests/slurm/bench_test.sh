#!/usr/bin/env bash
# Submits scripts/slurm/bench.slurm to a real Slurm on this machine, as it is on one node, and with one rank on each of two
# where mpirun starts the ranks: each benchmark leaves its figures, and the curves are drawn.
# Usage: bench_test.sh SOURCE_DIRECTORY DFRUN. Status 77: Slurm cannot run here, and the reason is printed.
set -uo pipefail
source_dir=$1
export DFRUN_BINARY=$2
source "$source_dir/tests/slurm/cluster.sh"

JOB_LIMIT_S=160

fail() {
  echo "FAILED: $*" >&2
  tail -n 60 "$folder"/*.job "$folder"/*.log >&2
  exit 1
}

need
folder=$(mktemp -d /tmp/dfrun-slurm-XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT
start_cluster "$folder" || fail "Slurm did not start"
cd "$source_dir" || exit 1

measured() {  # measured LAUNCHER NODES SBATCH-OPTION...
  local launcher=$1 nodes=$2 output=$folder/$1.job figures=$folder/$1 job bench
  shift 2
  job=$(sbatch --parsable --output="$output" "$@" scripts/slurm/bench.slurm "$figures" --rounds 1) ||
    fail "sbatch refused the job"
  wait_until "$JOB_LIMIT_S" job_ended "$job" || fail "the job did not end in $JOB_LIMIT_S s"
  [ "$(job_state "$job")" = COMPLETED ] || fail "the job ended as $(job_state "$job")"
  scontrol --oneliner show job "$job" | grep "NumNodes=$nodes " >/dev/null || fail "the job did not run on $nodes nodes"
  grep -q "^Job $job: $launcher starts the ranks" "$output" || fail "$launcher did not start the ranks"
  for bench in p2p null-step collectives tasks fetch; do
    grep -q '"value"' "$figures/${bench}_2.json" || fail "no figures of $bench"
  done
  grep -q '<polyline' "$figures/scaling.svg" || fail "no curves"
  grep -Eq '^1 +[^ ]+ +' "$output" || fail "no table of where ranks are"
  tail -n 40 "$output"
}

if srun --mpi=list 2>&1 | grep pmix >/dev/null; then measured srun 1; else echo "Slurm has no pmix here: srun is left out"; fi
hide_pmix "$folder/without-pmix"
measured mpirun 2 --nodes=2 --ntasks-per-node=1
