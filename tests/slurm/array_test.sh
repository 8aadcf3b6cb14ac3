#!/usr/bin/env bash
# A job array of scripts/slurm/train.slurm on a real Slurm of one node, as the script is, without options for nodes: a task
# that saves at a signal, and one that loses a rank, go into the queue again alone; one that is cancelled stays so.
# Usage: array_test.sh SOURCE_DIRECTORY DFRUN. Status 77: Slurm cannot run here, and the reason is printed.
set -uo pipefail
source_dir=$1
export DFRUN_BINARY=$2
source "$source_dir/tests/slurm/cluster.sh"

CLUSTER_NODES=(dfrun1)
# Three tasks of two ranks at once.
CLUSTER_CPUS=6
# A save with its step, and srun; mpirun would hold the node for 40 s.
HELD_LIMIT_S=15
JOB_LIMIT_S=100

fail() {
  echo "FAILED: $*" >&2
  tail -n 30 "$folder"/slurm-*.out "$folder"/*.log >&2
  exit 1
}

need
folder=$(mktemp -d /tmp/dfrun-slurm-XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT
start_cluster "$folder" || fail "Slurm did not start"
if ! srun --mpi=list 2>&1 | grep pmix >/dev/null; then
  echo "skipped: Slurm has no pmix here, so that each task would hold its node for 40 s"
  exit 77
fi

# Some seconds of work.
cat >"$folder/job.yaml" <<'YAML'
dfrun: 1
params: {steps: 150}
graph:
  w: {op: Variable, shape: [8], init: "RandomUniform(shape=[8])"}
  spin: {op: While, vars: {i: 0, x: 1.0}, cond: i < 1000000, body: {i: i + 1, x: "x * 0.999"}}
  loss: "Sum(w * w) * StopGradient(spin:1 + 1.0)"
train: {loss: loss, optimizer: sgd, learning_rate: 0.0001, steps: "${steps}", log_every: 5}
checkpoint: {every: 10}
YAML
ln -s "$source_dir/scripts" "$folder/scripts"
cd "$folder" || exit 1
printed() { grep -q "$2" "slurm-${array}_$1.out"; }  # printed TASK TEXT: in the log that Slurm names without an option
has_saved() { [ -n "$(find "run/it_$1/checkpoints" -maxdepth 1 -name 'step-*' 2>/dev/null)" ]; }  # has_saved TASK
restarts() { scontrol --oneliner show job "${array}_$1" | grep -o 'Restarts=[0-9]*' | cut -d= -f2; }

array=$(sbatch --parsable --array=3,5,7 scripts/slurm/train.slurm job.yaml run/it) || fail "sbatch refused the job"
all_have_saved() { has_saved 3 && has_saved 5 && has_saved 7; }
wait_until 90 all_have_saved || fail "not all tasks begin"

# Task 3 is cancelled, at which its ranks save too. A rank of task 5 is stopped, which the others find after 5 s. Task 7,
# the last, is the one whose SLURM_JOB_ID is the array's; it gets a signal.
from=$SECONDS
stopped=$(pgrep -f "^$DFRUN_BINARY job.yaml --output run/it_5 " | tail -n 1)
kill -STOP "$stopped" || fail "there is no rank of task 5"
scancel "${array}_3"
scancel --signal=USR1 --batch "${array}_7"
wait_until "$HELD_LIMIT_S" printed 7 "^Job ${array}_7: into the queue again, saved at a signal" || fail "task 7 has not saved"
echo "task 7 was in the queue again $((SECONDS - from)) s after the signal"
printed 7 "^Job ${array}_7: srun ended with 75" || fail "the code of a save did not pass through srun"
wait_until 30 printed 3 "^Job ${array}_3: saved at a signal, and cancelled" || fail "task 3 does not say that it was cancelled"
wait_until 30 printed 5 "^Job ${array}_5: into the queue again, loss 1 of at most 3" || fail "task 5 has not lost a rank"
printed 5 "^Job ${array}_5: srun ended with 76" || fail "the code of a lost rank did not pass through srun"

all_have_ended() { job_ended "${array}_3" && job_ended "${array}_5" && job_ended "${array}_7"; }
wait_until "$JOB_LIMIT_S" all_have_ended || fail "the tasks did not end"
[ "$(for task in 3 5 7; do job_state "${array}_$task"; done | paste -sd' ')" = "CANCELLED COMPLETED COMPLETED" ] ||
  fail "the tasks ended as $(for task in 3 5 7; do job_state "${array}_$task"; done | paste -sd' ')"
[ "$(restarts 3) $(restarts 5) $(restarts 7)" = "0 1 1" ] || fail "restarted: $(restarts 3), $(restarts 5), $(restarts 7) times"
for task in 5 7; do printed $task 'resuming at step' || fail "task $task did not go on from its checkpoint"; done
[ "$(cat run/it_5/lost)" = 1 ] && [ ! -e run/it_7/lost ] || fail "the losses of a task are not its own"
echo "Slurm array $array: each task has its own run directory, log and requeue"
