#!/usr/bin/env bash
# The ranks that wait for a killed one end with the transport's error. mpirun would end them first, so each rank's process
# is a child of a shell that mpirun sees, and that waits for the others.
#   killed_test.sh PROGRAM TRANSPORT RANKS KILLED
set -u
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export WORK RANKS=$3
# shellcheck disable=SC2016  # expanded by the shells of the ranks
timeout 60 mpirun --oversubscribe -np "$3" bash -c '"$@" > "$WORK/out.$OMPI_COMM_WORLD_RANK" 2>&1
  echo $? > "$WORK/status.$OMPI_COMM_WORLD_RANK"
  for _ in {1..200}; do
    [ "$(ls "$WORK" | grep -c status)" = "$RANKS" ] && exit
    sleep 0.1
  done' rank "$1" "$2" killed "$4" > "$WORK/log" 2>&1
failed=0
for ((rank = 0; rank < $3; ++rank)); do
  expected=0
  [ "$rank" = "$4" ] && expected=137
  seen=$(cat "$WORK/status.$rank" 2>/dev/null)
  if [ "$seen" != "$expected" ]; then echo "FAILED: rank $rank ended with '$seen', not with $expected"; failed=1; fi
done
cat "$WORK"/out.*
[ "$failed" = 0 ] || cat "$WORK/log"
exit "$failed"
