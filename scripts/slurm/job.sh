# shellcheck shell=bash
# What train.slurm and bench.slurm share. Sourced in a job of Slurm; sets
#
#   task    _3 in that task of a job array, else empty
#   job     the number of the job, or 100_3: SLURM_JOB_ID is that of the whole array in one of its tasks
#   launch  after choose_launcher: the words that start a program on the ranks of the job, srun's or mpirun's

task=${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
job=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}$task

# Seconds for the two tasks that srun starts on trial; about one is usual.
TRIAL_LIMIT_S=${DFRUN_TRIAL_S:-30}

# why_not_srun DFRUN: prints why srun cannot start the ranks of this job; nothing where it can.
why_not_srun() {
  local kinds seen nodes=1
  kinds=$(srun --mpi=list 2>&1) || true
  if [[ $kinds != *pmix* ]]; then echo "srun --mpi=list has no pmix"; return; fi
  # On two nodes where there are two, since ranks may find each other on one node alone.
  if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then nodes=2; fi
  seen=$(timeout --kill-after=5 "$TRIAL_LIMIT_S" srun --overlap --overcommit --mpi=pmix --nodes=$nodes --ntasks=2 \
    --ntasks-per-node=$((2 / nodes)) --cpus-per-task=1 --kill-on-bad-exit=1 "$1" info 2>&1) || true
  # The line of rank 1 in the table of ranks.
  if ! grep -Eq '^1 +[^ ]+ ' <<<"$seen"; then echo "two tasks of srun --mpi=pmix do not become two ranks: $(tail -n 1 <<<"$seen")"; fi
}

# choose_launcher DFRUN: sets `launch`, and says which and why. srun ends as soon as the ranks have ended; mpirun of Open MPI
# waits twice its sigkill timeout after a rank has ended with another code than 0.
choose_launcher() {
  local why
  why=$(why_not_srun "$1")
  if [ -z "$why" ]; then
    echo "Job $job: srun starts the ranks"
    # A rank that ends with another code than 0 ends the others. srun ends with the highest code of a rank.
    launch=(srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}")
  else
    echo "Job $job: mpirun starts the ranks: $why"
    # It takes nodes and ranks from Slurm, and for each rank as many cores as Slurm gave to a task.
    launch=(mpirun --map-by "slot:PE=${SLURM_CPUS_PER_TASK:-1}")
  fi
}
