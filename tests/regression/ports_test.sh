#!/usr/bin/env bash
# Four ranks of one host listen on its loopback alone, over every transport and under every MPI that is here, with nothing
# set; what the user has set wins; containers apart hear which variable restores TCP.
#   ports_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/ports.sh"

unset OMPI_MCA_btl OMPI_MCA_oob_tcp_if_include
export HOME=$WORK  # nothing is set in the user's files
steps_job > job.yaml
"$DFRUN" info > info
transports=$(sed -nE 's/^transport +([a-z]+): [^o].*/\1/p' info | grep -v '^self$')

listening() {  # listening RANKS: how many of the ranks listen on the network; then the job is ended
  local pid found=0 ranks
  until_running run
  ranks=$(processes_of_ranks)
  [ "$(wc -w <<< "$ranks")" = "$1" ] || fail "there are not $1 ranks: $ranks"
  for pid in $ranks; do if listens "$pid"; then found=$((found + 1)); fi; done
  signal USR1 "$job"
  wait "$job" || true
  rm -rf run
  echo "$found" > found
}
starters=("mpirun --oversubscribe -np")
! command -v mpiexec.mpich > /dev/null || starters+=("mpiexec.mpich -n")
for starter in "${starters[@]}"; do
  for transport in $transports; do
    # shellcheck disable=SC2086  # each option is a word
    start $starter 4 "$DFRUN" job.yaml --output run --transport "$transport"
    listening 4
    [ "$(cat found)" = 0 ] || fail "$(cat found) ranks listen on the network: $starter, $transport"
  done
  # shellcheck disable=SC2086
  expect 0 'shared memory and loopback alone' $starter 2 "$DFRUN" info
done

start mpirun --oversubscribe --mca btl self,tcp -np 2 "$DFRUN" job.yaml --output run
listening 2
[ "$(cat found)" = 2 ] || fail "--mca btl does not win"
mkdir .openmpi
echo 'btl = self,vader,tcp' > .openmpi/mca-params.conf
expect 0 "as the user has set it (btl in $WORK/.openmpi/mca-params.conf)" mpirun --oversubscribe -np 2 "$DFRUN" info
rm -r .openmpi

if unshare -m true 2> /dev/null; then
  cat > apart <<'SH'
#!/bin/bash
exec unshare -m bash -c 'mount -t tmpfs -o size=64m shm /dev/shm && exec "$@"' bash "$@"
SH
  chmod +x apart
  expect 1 'OMPI_MCA_btl=self,vader,tcp (mpirun --mca btl self,vader,tcp) in the environment restores TCP' \
    mpirun --oversubscribe -np 2 ./apart "$DFRUN" info
  OMPI_MCA_btl=self,vader,tcp expect 0 'as the user has set it' mpirun --oversubscribe -np 2 ./apart "$DFRUN" info
fi
echo "ranks of one host listen on its loopback alone"
