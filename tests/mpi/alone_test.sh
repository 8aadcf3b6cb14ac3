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
refuses 64 "there is no MPI ABI 'lam'; there are ompi, mpich, abi, smpi" PMI_RANK=0 PMI_SIZE=1 -- --mpi-abi lam
if [ -e "$(dirname "$DFRUN")/../lib/dfrun/libdfrun_mpi_ompi.so" ] && command -v mpirun > /dev/null; then
  refuses 70 'a PMI launcher started 3 ranks, and this process is alone' PMI_RANK=0 PMI_SIZE=3 -- --mpi-abi ompi
fi
cp -r "$(dirname "$DFRUN")/../lib" "$WORK/lib" && rm -f "$WORK"/lib/dfrun/libdfrun_mpi_*.so
mkdir "$WORK/bin" && cp "$DFRUN" "$WORK/bin/dfrun"
DFRUN=$WORK/bin/dfrun
refuses 70 'built are: none' OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 --
echo "processes that find themselves alone refuse"
