#!/usr/bin/env bash
# What scripts/slurm/train.slurm does with each exit code of mpirun and with each signal. Programs of these names stand in
# for mpirun, srun and scontrol; tests/slurm runs the script under a real Slurm.
#   slurm_script_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"

mkdir bin
cat > bin/mpirun <<'SH'
#!/usr/bin/env bash
trap 'echo "mpirun got USR1"; exit 75' USR1
echo "mpirun $*"
[ "$CODE" = wait ] || exit "$CODE"
while :; do sleep 0.05; done
SH
printf '#!/bin/sh\nexit 0\n' > bin/srun
printf '#!/bin/sh\necho "scontrol $*" >> "%s/requeued"\n' "$WORK" > bin/scontrol
chmod +x bin/*
export PATH=$WORK/bin:$PATH SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_JOB_NODELIST=n SLURM_JOB_NUM_NODES=1 DFRUN_BINARY=$DFRUN
mkdir run
script=$SOURCE/scripts/slurm/train.slurm

code_of() { CODE=$1 expect "$1" "mpirun ended with $1" bash "$script" spec.yaml run; }
requeues() { [ ! -e requeued ] && echo 0 || grep -c '^scontrol requeue 7$' requeued; }
for code in 0 1 65 71 130 137; do code_of "$code"; done
[ "$(requeues)" = 0 ] || fail "a job that has ended or failed was put into the queue"
code_of 75
[ "$(requeues)" = 1 ] || fail "a job that has saved was not put into the queue"
for _ in 1 2 3 4 5; do code_of 76; done
[ "$(requeues)" = 4 ] || fail "a lost rank put the job into the queue $(($(requeues) - 1)) times, not 3"
grep -q 'not started again' "$WORK/out" || fail "it does not say that the job is given up"

for name in USR1 TERM; do
  CODE=wait start bash "$script" spec.yaml run
  for _ in $(seq 100); do ! grep -q '^mpirun --mca' "$WORK/out" || break; sleep 0.05; done
  signal "$name" "$job"
  ends_with 75 "mpirun got USR1"
done
[ "$(requeues)" = 6 ] || fail "a job that saved at a signal was not put into the queue"
grep -qx '#SBATCH --signal=B:USR1@120' "$script" || fail "Slurm is not asked for a signal before the end"
echo "train.slurm: 75 goes into the queue, 76 three times, others do not; signals reach mpirun"
