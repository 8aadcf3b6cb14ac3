#!/usr/bin/env bash
# One program under the launchers of every MPI that there is: the transports' conformance suite, and a training whose
# losses have the same bits under each, on each transport and number of ranks.
#   launchers_test.sh SOURCE_DIR DFRUN CONFORMANCE RANKS [FOLDER]
# RANKS is a list, "2 4". With FOLDER, Open MPI 5 and MPICH 5 of the package index are installed there if they are not.
# An MPI that is absent is named, and is no failure; exit 77 where there is none but one.
SOURCE=$1 DFRUN=$2 CONFORMANCE=$3 RANKS=$4 FOLDER=${5:-}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1

launcher() {  # launcher MPI RANKS: the command in `start`, the libraries in `libraries`, options of dfrun in `options`
  libraries='' options=()
  case $1 in
    openmpi) start=(mpirun --oversubscribe -np "$2") ;;
    mpich) start=(mpiexec.mpich -n "$2") ;;
    openmpi5) start=("$FOLDER/openmpi/bin/mpirun" --oversubscribe -np "$2") libraries=$FOLDER/openmpi/lib ;;
    mpich5) start=("$FOLDER/mpich/bin/mpiexec" -n "$2") libraries=$FOLDER/mpich/lib ;;
    mpich5_abi) start=("$FOLDER/mpich/bin/mpiexec" -n "$2") libraries=$FOLDER/mpich/lib options=(--mpi-abi abi) ;;
  esac
}

part_of() {
  case $1 in
    openmpi*) echo ompi ;;
    mpich5_abi) echo abi ;;
    mpich*) echo mpich ;;
  esac
}

is_there() {  # is_there MPI
  [ -e "$(dirname "$DFRUN")/../lib/dfrun/libdfrun_mpi_$(part_of "$1").so" ] || { echo "absent: $1 (no part was built)"; return 1; }
  launcher "$1" 2
  command -v "${start[0]}" > /dev/null || { echo "absent: $1 (no ${start[0]})"; return 1; }
}

if [ -n "$FOLDER" ]; then
  source "$SOURCE/scripts/packages.sh"
  mpis_from_wheels "$FOLDER"
fi

under() {  # under MPI RANKS COMMAND...
  launcher "$1" "$2"
  shift 2
  LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} timeout 240 "${start[@]}" "$@"
}

spec=$(short_spec digits_mlp 1 1000)
grep -q 'replicas:' "$spec" || sed -i 's/^train: {/train: {replicas: 4, /' "$spec"
transports=$("$DFRUN" info | sed -nE 's/^transport +([a-z]+):.*/\1/p' | grep -v '^self$')
tried=0
for mpi in openmpi mpich openmpi5 mpich5 mpich5_abi; do
  is_there "$mpi" || continue
  tried=$((tried + 1))
  for ranks in $RANKS; do
    [ "$ranks" = 1 ] || under "$mpi" "$ranks" "$CONFORMANCE" > "$WORK/log" 2>&1 || { tail -n 60 "$WORK/log"; fail "conformance under $mpi on $ranks ranks"; }
    for transport in $transports; do
      run=$WORK/${mpi}_${ranks}_$transport
      launcher "$mpi" "$ranks"
      under "$mpi" "$ranks" "$DFRUN" "$spec" --output "$run" --transport "$transport" "${options[@]}" > "$WORK/log" 2>&1 ||
        { tail -n 40 "$WORK/log"; fail "the training under $mpi on $ranks ranks over $transport"; }
      losses "$run" > "$run.losses"
      [ -s "$WORK/first" ] || cp "$run.losses" "$WORK/first"
      cmp "$WORK/first" "$run.losses" || fail "the losses under $mpi on $ranks ranks over $transport are others"
    done
  done
  echo "$mpi: conformance and training on $RANKS ranks over $(echo $transports)"
done
[ "$(wc -l < "$WORK/first")" -gt 10 ] || fail "there are no losses"
[ $tried -gt 1 ] || { echo "there is no second MPI: nothing was compared"; exit 77; }
