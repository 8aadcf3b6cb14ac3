#!/usr/bin/env bash
# A rank that is stopped, or killed, or wakes when the others have gone on without it: each is named, the job ends in
# time with 76, and no process is left. Ranks that were all stopped, or that nobody watches, are no reason to.
#   lost_ranks_test.sh SOURCE_DIR DFRUN [SECONDS]    how long all ranks are stopped; default: 4
SOURCE=$1 DFRUN=$2 STOPPED=${3:-4}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

training_spec > job.yaml
within() {  # within SECONDS: since `begun`
  local taken=$((SECONDS - begun))
  [ "$taken" -le "$1" ] || { cat "$WORK/out" >&2; fail "it took $taken s, more than $1"; }
}
lost() {  # lost RANK WHAT: the report names it
  grep -qE "rank $1 \(host .*\) was lost: $2" "$WORK/out" || { cat "$WORK/out" >&2; fail "rank $1 is not said to be lost: $2"; }
}

# Stopped: a worker, then rank 0.
for stopped in 1 0; do
  start_ranks 3 "$DFRUN" job.yaml --output "stopped$stopped" --heartbeat 0.2,1
  until_running "stopped$stopped"
  begun=$SECONDS
  signal STOP "$(pid_of_rank "$stopped")"
  ends_with 76
  within 11
  lost "$stopped" "no heartbeat for [0-9.]* s, last heard at"
  no_process_left
done
start_ranks 2 "$DFRUN" job.yaml --output advice --heartbeat 0.2,1
until_running advice
for _ in $(seq 200); do  # until a checkpoint is complete
  [ -z "$(find advice/checkpoints -maxdepth 1 -name 'step-*' ! -name '*.tmp*' 2> /dev/null)" ] || break
  sleep 0.1
done
sleep 0.2
signal STOP "$(pid_of_rank 1)"
ends_with 76 "is saved in advice/checkpoints: start the job again with --resume"
no_process_left
start_ranks 2 "$DFRUN" job.yaml --output advice --resume
until_resumed
signal USR1 "$job"
ends_with 75

# Killed, on shared memory and on TCP. Open MPI sees the death too, and ends with the code of the killed rank; behind a
# script that outlives its rank it does not, as under launchers that let others go on.
cat > outlives <<'EOF'
#!/bin/sh
"$@" &
wait $! || echo $? > "ended.$OMPI_COMM_WORLD_RANK"
sleep 20
EOF
cat > leaves_group <<'EOF'
#!/bin/sh
exec setsid --wait sh -c '"$@"; echo $? > "ended.$OMPI_COMM_WORLD_RANK"' sh "$@"
EOF
chmod +x outlives leaves_group
export OMPI_MCA_btl_tcp_if_include=lo
for way in vader tcp; do
  export OMPI_MCA_btl=self,$way
  start_ranks 3 "$DFRUN" job.yaml --output "killed$way"
  until_running "killed$way"
  begun=$SECONDS
  signal KILL "$(pid_of_rank 2)"
  ends_with 137
  within 10
  lost 2 "its process has ended"
  no_process_left

  start_ranks 3 "$WORK/outlives" "$DFRUN" job.yaml --output "alone$way"
  until_running "alone$way"
  begun=$SECONDS
  signal KILL "$(pgrep -P "$(pid_of_rank 2)")"
  ends_with 76
  within 10
  lost 2 "its process has ended"
  no_process_left
done
export OMPI_MCA_btl=self,vader

# It wakes when it is declared dead, and no launcher has ended it: it ends itself, and so do the others. Open MPI ends
# who loses its mpirun with 195, which may come first (tests/fault/heartbeat_test.cc is without MPI).
rm -f ended.*
start_ranks 3 "$WORK/leaves_group" "$DFRUN" job.yaml --output woken --heartbeat 0.2,1
until_running woken
rank=
for pid in $(ranks_left); do
  if tr '\0' '\n' < "/proc/$pid/environ" | grep -qx OMPI_COMM_WORLD_RANK=2; then rank=$pid; fi
done
[ -n "$rank" ] || fail "rank 2 was not found"
trap 'kill -KILL "$rank" 2> /dev/null || true; stop_job' EXIT
signal STOP "$rank"
ends_with 76
lost 2 "no heartbeat"
for _ in $(seq 120); do [ ! -e ended.0 ] || [ ! -e ended.1 ] || break; sleep 0.1; done
grep -qxE '76|195' ended.0 && grep -qxE '76|195' ended.1 || fail "the others end with $(cat ended.0 ended.1)"
[ ! -e ended.2 ] || fail "the stopped rank has ended: $(cat ended.2)"
signal CONT "$rank"
for _ in $(seq 100); do [ ! -e ended.2 ] || break; sleep 0.1; done
grep -qxE '76|195' ended.2 || fail "the rank that wakes ends with $(cat ended.2)"
no_process_left
trap stop_job EXIT

# No false alarm: all ranks stopped for longer than it takes to be dead; a rank held with --heartbeat off.
goes_on() {  # goes_on RUN: it logs more steps
  local before
  before=$(wc -l < "$1/metrics.jsonl")
  for _ in $(seq 100); do
    [ "$(wc -l < "$1/metrics.jsonl")" -le "$before" ] || return 0
    sleep 0.1
  done
  cat "$WORK/out" >&2
  fail "$1 does not go on"
}
start_ranks 4 "$DFRUN" job.yaml --output paused --heartbeat 0.2,1
until_running paused
ranks=$(for rank in 0 1 2 3; do pid_of_rank "$rank"; done)
# shellcheck disable=SC2086  # each is a process
kill -STOP $ranks
sleep "$STOPPED"
# shellcheck disable=SC2086
kill -CONT $ranks
goes_on paused
sleep 2
goes_on paused
signal USR1 "$job"
ends_with 75
! grep -q 'was lost' "$WORK/out" || fail "ranks that were all stopped are lost"

start_ranks 2 "$DFRUN" job.yaml --output held --heartbeat off
until_running held
held=$(pid_of_rank 1)
if command -v gdb > /dev/null; then
  timeout 120 gdb -p "$held" -batch -ex "shell sleep 7" > gdb.log 2>&1 || { cat gdb.log >&2; fail "gdb does not hold it"; }
else
  signal STOP "$held"
  sleep 7
  signal CONT "$held"
fi
goes_on held
signal USR1 "$job"
ends_with 75
! grep -q 'was lost' "$WORK/out" || fail "a rank that is held is lost"
echo "lost ranks are named, and none is named that lives"
