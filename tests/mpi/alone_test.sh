#!/usr/bin/env bash
# A process that its launcher started as one of several, and that finds itself alone, refuses and says what heals it.
#   alone_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

refuses() {  # refuses EXIT_CODE TEXT VARIABLE... -- OPTION...: in a process with these variables
  local code=$1 text=$2 got=0 variables=()
  shift 2
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  env "${variables[@]}" timeout 60 "$DFRUN" "$SOURCE/configs/digits_mlp.yaml" --output "$WORK/run" "$@" > "$WORK/log" 2>&1 || got=$?
  [ $got = "$code" ] || { cat "$WORK/log"; fail "exit $got instead of $code for ${variables[*]} $*"; }
  grep -q -- "$text" "$WORK/log" || { cat "$WORK/log"; fail "no '$text' for ${variables[*]} $*"; }
  [ ! -e "$WORK/run" ] || fail "it made a run directory"
}

refuses 70 'srun --mpi=pmix' SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 --
# By a variable of the step: those of an allocation say nothing of who runs beside.
refuses 70 'Flux started 3 tasks of this step (FLUX_JOB_SIZE)' FLUX_TASK_RANK=0 FLUX_JOB_SIZE=3 FLUX_JOB_ID=f1 --
refuses 70 'unset JSM_NAMESPACE_SIZE' JSM_NAMESPACE_SIZE=4 JSM_NAMESPACE_RANK=1 --
refuses 70 'PALS started at least 3 tasks of this step (PALS_RANKID)' PALS_RANKID=2 PALS_APID=a --
refuses 70 'PALS started 2 tasks' PALS_RANKID=0 PALS_SIZE=2 --
refuses 70 'MVAPICH started 2 tasks' MV2_COMM_WORLD_SIZE=2 MV2_COMM_WORLD_RANK=0 --
refuses 70 'MVAPICH started 2 tasks' MPIRUN_NPROCS=2 MPIRUN_RANK=0 --
printf 'dfrun: 1\ngraph:\n  x: Sum([1.0, 2.0])\nrun: {steps: 1, fetch: [x]}\n' > "$WORK/small.yaml"
runs() {  # runs VARIABLE...: alone, with these variables
  rm -rf "$WORK/run"
  env "$@" timeout 60 "$DFRUN" "$WORK/small.yaml" --output "$WORK/run" > "$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "it does not run under $*"; }
  rm -rf "$WORK/run"
}
runs SLURM_NTASKS=4 SLURM_JOB_ID=7 PBS_NP=4 LSB_DJOB_NUMPROC=4 FLUX_ENCLOSING_ID=f1 COBALT_JOBSIZE=4
runs FLUX_TASK_RANK=0 FLUX_JOB_SIZE=1
runs PALS_RANKID=0 PALS_APID=a
refuses 64 'PMI_FD=junk is no socket of this process' PMI_FD=junk PMI_RANK=0 PMI_SIZE=1 --
refuses 64 'PMI_FD=77 is no socket of this process' PMI_FD=77 PMI_RANK=0 PMI_SIZE=2 --
refuses 64 'PMI_PORT=junk is no HOST:PORT' PMI_PORT=junk PMI_ID=0 PMI_RANK=0 --
refuses 64 "there is no MPI ABI 'lam'; there are ompi, mpich, abi, smpi" PMI_RANK=0 PMI_SIZE=1 -- --mpi-abi lam
if [ -e "$(dirname "$DFRUN")/../lib/dfrun/libdfrun_mpi_ompi.so" ] && command -v mpirun > /dev/null; then
  refuses 70 'a PMI launcher started 3 ranks, and this process is alone' PMI_RANK=0 PMI_SIZE=3 -- --mpi-abi ompi
fi
cp -r "$(dirname "$DFRUN")/../lib" "$WORK/lib" && rm -f "$WORK"/lib/dfrun/libdfrun_mpi_*.so
mkdir "$WORK/bin" && cp "$DFRUN" "$WORK/bin/dfrun"
DFRUN=$WORK/bin/dfrun
refuses 70 'built are: none' OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 --
echo "processes that find themselves alone refuse"
