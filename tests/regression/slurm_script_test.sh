#!/usr/bin/env bash
# What scripts/slurm/train.slurm does with each exit code of the launcher and with each signal, which launcher it takes, and
# what it does in a job array. Programs of these names stand in for mpirun, srun, squeue and scontrol; tests/slurm runs the
# script under a real Slurm.
#   slurm_script_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"

mkdir bin
# The ranks, as a launcher shows them: ends with CODE, or waits for a signal.
cat > bin/mpirun <<'SH'
#!/usr/bin/env bash
name=mpirun
trap 'echo "$name got USR1"; exit 75' USR1
echo "$name $*"
[ "$CODE" = wait ] || exit "$CODE"
while :; do sleep 0.05; done
SH
# KINDS: what there is of MPI's interfaces. TRIAL: the rank that a second task becomes; `launch failed`, `hangs`.
cat > bin/srun <<'SH'
#!/usr/bin/env bash
case "$*" in
  --mpi=list) echo "MPI plugin types are... $KINDS" ;;
  *clean-shm*) echo "cleans" ;;
  *--ntasks=2*info) echo "$*" > "$WORK/trial"
                    case $TRIAL in
                      1) printf 'dfrun 0.1\n\nrank  host  processors\n0     n     0\n1     n     1\n' ;;
                      0) printf 'dfrun 0.1\n\nrank  host  processors\n0     n     0\n' ;;
                      hangs) trap '' TERM; exec sleep 60 ;;
                      *) echo "srun: error: task 0 $TRIAL"; exit 137 ;;
                    esac ;;
  *) exec "$WORK/bin/as-srun" "$@" ;;
esac
SH
sed 's/name=.*/name=srun/' bin/mpirun > bin/as-srun
printf '#!/bin/sh\necho "scontrol $*" >> "%s/requeued"\n' "$WORK" > bin/scontrol
printf '#!/bin/sh\necho "$STATE"\n' > bin/squeue
chmod +x bin/*
export WORK PATH=$WORK/bin:$PATH DFRUN_BINARY=$DFRUN STATE="RUNNING None" KINDS=none TRIAL=1
export SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_JOB_NODELIST=n SLURM_JOB_NUM_NODES=1 SLURM_CPUS_PER_TASK=3
mkdir run
script=scripts/slurm/train.slurm
cd "$SOURCE"

code_of() { CODE=$1 expect "$1" "${2:-mpirun} ended with $1" bash $script spec.yaml "$WORK/run"; }
requeues() { grep -c "^scontrol requeue ${1:-7}\$" "$WORK/requeued" 2> /dev/null || true; }
# says TEXT: the script that ran last.
says() { grep -qF -- "$1" "$WORK/out" || { cat "$WORK/out" >&2; fail "it does not say '$1'"; }; }

for code in 0 1 65 71 130 137; do code_of "$code"; done
[ ! -e "$WORK/requeued" ] || fail "a job that has ended or failed was put into the queue"
code_of 75
[ "$(requeues)" = 1 ] || fail "a job that has saved was not put into the queue"
for _ in 1 2 3 4 5; do code_of 76; done
[ "$(requeues)" = 4 ] || fail "a lost rank put the job into the queue $(($(requeues) - 1)) times, not 3"
says 'not started again'

# A launcher that ends before the script waits for it: its code is not lost.
cat > "$WORK/slow" <<'SH'
trap() { [ "${0##*/}" != train.slurm ] || sleep 0.3; builtin trap "$@"; }
SH
BASH_ENV=$WORK/slow code_of 71

# srun where it can start the ranks, else mpirun, with the reason.
code_of 0
says 'mpirun starts the ranks: srun --mpi=list has no pmix'
[ ! -e "$WORK/trial" ] || fail "srun was tried where it has no pmix"
export KINDS="none pmi2 pmix_v4"
TRIAL='launch failed' code_of 0
says 'mpirun starts the ranks: two tasks of srun --mpi=pmix do not become two ranks: srun: error: task 0 launch failed'
says 'mpirun --map-by slot:PE=3 --mca odls_base_sigkill_timeout 20 --report-uri'
says 'cleans'
TRIAL=0 code_of 0
TRIAL=hangs DFRUN_TRIAL_S=1 code_of 0
rm -f "$WORK/run/lost"
for code in 0 1 65 71 75 76 130 137; do code_of "$code" srun; done
says "srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task=3 $DFRUN spec.yaml --output $WORK/run --resume"
[ "$(requeues)" = 6 ] || fail "75 and 76 of srun put the job into the queue $(($(requeues) - 4)) times, not twice"
grep -q -- '--nodes=1 --ntasks=2 --ntasks-per-node=2 ' "$WORK/trial" || fail "the trial was not of two tasks on one node"
SLURM_JOB_NUM_NODES=3 code_of 0 srun
grep -q -- '--nodes=2 --ntasks=2 --ntasks-per-node=1 ' "$WORK/trial" || fail "the trial was not of two tasks on two nodes"

for kinds in none pmix; do
  for name in USR1 TERM; do
    launcher=mpirun
    if [ $kinds = pmix ]; then launcher=srun; fi
    CODE=wait KINDS=$kinds start bash $script spec.yaml "$WORK/run"
    for _ in $(seq 100); do ! grep -q "^$launcher --" "$WORK/out" || break; sleep 0.05; done
    signal "$name" "$job"
    ends_with 75 "$launcher got USR1"
  done
done
[ "$(requeues)" = 10 ] || fail "a job that saved at a signal was not put into the queue"
# The user has cancelled it, or its time is over: Slurm ends both with SIGTERM.
STATE="COMPLETING None" code_of 75 srun
says 'saved at a signal, and cancelled'
[ "$(requeues)" = 10 ] || fail "a job that was cancelled was put into the queue"
STATE="COMPLETING TimeLimit" code_of 75 srun
[ "$(requeues)" = 11 ] || fail "a job whose time is over was not put into the queue"

# In a job array: the task alone, with a run directory and losses of its own, and of its own by default too.
export SLURM_JOB_ID=100 SLURM_ARRAY_JOB_ID=100 SLURM_ARRAY_TASK_ID=3
code_of 75 srun
[ "$(requeues 100_3)" = 1 ] || fail "the task of an array was not put into the queue"
says "--output $WORK/run_3 --resume"
mkdir "$WORK/run_3"
code_of 76 srun
[ "$(cat "$WORK/run_3/lost")" = 1 ] || fail "the task of an array does not count its own losses"
SLURM_JOB_ID=101 SLURM_ARRAY_TASK_ID=4 code_of 75 srun
[ "$(requeues 100_4)" = 1 ] || fail "another task of the array was not put into the queue"
[ "$(wc -l < "$WORK/requeued")" = 14 ] || fail "something else was put into the queue: $(cat "$WORK/requeued")"
mkdir -p "$WORK/default" && ln -s "$SOURCE/scripts" "$WORK/default/scripts" && cd "$WORK/default"
CODE=0 expect 0 "--output run/slurm-100_3 --resume" bash $script
SLURM_ARRAY_JOB_ID='' SLURM_ARRAY_TASK_ID='' CODE=0 expect 0 "--output run/slurm-100 --resume" bash $script

cd "$SOURCE"
grep -qx '#SBATCH --signal=B:USR1@120' "$script" || fail "Slurm is not asked for a signal before the end"
for script in scripts/slurm/*.slurm; do
  grep -qx '#SBATCH --nodes=1' "$script" || fail "$script does not start on a cluster of one node"
  ! grep -q '#SBATCH --output' "$script" || fail "$script names its log for all tasks of an array alike"
done
echo "train.slurm: 75 goes into the queue, 76 three times, others do not, a task of an array alone; signals reach the ranks"
