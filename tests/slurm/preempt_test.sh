#!/usr/bin/env bash
# A job of more weight takes the place of scripts/slurm/train.slurm on a real Slurm of two nodes: it saves, is put into the
# queue again, goes on, and ends with the bits of a run that nothing interrupted.
# Usage: preempt_test.sh SOURCE_DIRECTORY DFRUN [mpirun]. mpirun: where Slurm has no pmix, so that it starts the ranks.
# Status 77: Slurm cannot run here, and the reason is printed.
set -uo pipefail
source_dir=$1
export DFRUN_BINARY=$2
launcher=${3:-srun}
source "$source_dir/tests/slurm/cluster.sh"

JOB_LIMIT_S=180

fail() {
  echo "FAILED: $*" >&2
  tail -n 30 "$folder"/job.out "$folder"/*.log >&2
  exit 1
}

need h5dump
folder=$(mktemp -d /tmp/dfrun-slurm-XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT

cat >"$folder/job.yaml" <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: "RandomUniform(shape=[8])"}
  spin: {op: While, vars: {i: 0, x: 1.0}, cond: i < 300000, body: {i: i + 1, x: "x * 0.999"}}
  loss: "Sum(w * w) * StopGradient(spin:1 + 1.0)"
train: {loss: loss, optimizer: momentum, momentum: 0.9, learning_rate: 0.0001, steps: 600, log_every: 10}
checkpoint: {every: 10000}
YAML
# The bytes of the variable at the end of a run.
final() {  # final RUN FILE
  "$DFRUN_BINARY" eval "$folder/job.yaml" --restore "$1/checkpoints/step-600" --fetch w --out "$folder/w.h5" >/dev/null ||
    fail "$1 has no last checkpoint"
  h5dump --binary=LE --dataset=/w --output="$2" "$folder/w.h5" >/dev/null
  [ -s "$2" ] || fail "the weights of $1 are empty"
}

start_cluster "$folder" || fail "Slurm did not start"
if ! srun --mpi=list 2>&1 | grep pmix >/dev/null; then launcher=mpirun; fi
if [ "$launcher" = mpirun ]; then hide_pmix "$folder/without-pmix"; fi
cd "$source_dir" || exit 1
job=$(sbatch --parsable --nodes=2 --output="$folder/job.out" scripts/slurm/train.slurm "$folder/job.yaml" "$folder/run") ||
  fail "sbatch refused the job"
wait_until 60 test -s "$folder/run/metrics.jsonl" || fail "the job does not begin"
urgent=$(sbatch --parsable --partition=urgent --nodes=2 --ntasks-per-node=2 --output="$folder/urgent.out" --wrap 'sleep 1') ||
  fail "sbatch refused the urgent job"
wait_until 120 job_ended "$urgent" || fail "the urgent job did not get its place"
wait_until "$JOB_LIMIT_S" job_ended "$job" || fail "the job did not end in $JOB_LIMIT_S s"

cat "$folder/job.out"
[ "$(job_state "$urgent")" = COMPLETED ] || fail "the urgent job ended as $(job_state "$urgent")"
[ "$(job_state "$job")" = COMPLETED ] || fail "the job ended as $(job_state "$job")"
[ "$(grep -c "^Job $job: $launcher starts the ranks" "$folder/job.out")" = 2 ] || fail "$launcher did not start the ranks twice"
grep -q "^Job $job: $launcher ended with 75" "$folder/job.out" || fail "the code of a save did not pass through $launcher"
grep -q 'SIGUSR1: the job ends after step' "$folder/job.out" || fail "it did not save at the signal"
grep -q 'into the queue again, saved at a signal' "$folder/job.out" || fail "the script did not put it into the queue"
grep -q 'resuming at step' "$folder/job.out" || fail "it did not go on from a checkpoint"

"$DFRUN_BINARY" "$folder/job.yaml" --output "$folder/whole" >/dev/null || fail "the run without interruption"
final "$folder/whole" "$folder/expected"
final "$folder/run" "$folder/seen"
cmp "$folder/expected" "$folder/seen" || fail "other weights than without interruption"
echo "Slurm job $job was preempted, $(grep -o 'resuming at step [0-9]*' "$folder/job.out"), and ended with the same bits"
