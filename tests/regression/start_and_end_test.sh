#!/usr/bin/env bash
# A rank that is stopped at any instant of the start or of the end, one that runs something else, and one that has ended:
# each is named, and the job ends in time.
#   start_and_end_test.sh SOURCE_DIR DFRUN [INSTANTS [RANKS [TRANSPORT]]]    at how many instants a rank is stopped
SOURCE=$1 DFRUN=$2 INSTANTS=${3:-3} RANKS=${4:-2} TRANSPORT=${5:-mpi}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"
source "$SOURCE/tests/preload.sh"

cat > job.yaml <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: ones, device: "/job:worker/task:1"}
  loss: Sum(w * w)
train: {loss: loss, optimizer: sgd, learning_rate: 0.000001, steps: 20}
YAML
timeout_s=3  # of the start, and so of the end
says() {  # says TEXT
  grep -qE -- "$1" "$WORK/out" || { cat "$WORK/out" >&2; fail "it does not say '$1'"; }
}

# Stopped before it runs dfrun, another command, no command; and a start that is waited for, without a loss.
# shellcheck disable=SC2016  # the wrapper's own
for kind in 'stopped' "runs 'sleep'" 'has ended'; do
  case $kind in
    stopped) command='kill -STOP $$' ;;
    runs*) command='exec sleep 60' ;;
    *) command='exit 0' ;;
  esac
  printf '#!/bin/bash\n[ "$OMPI_COMM_WORLD_RANK" != 1 ] || { %s; }\nexec "$@"\n' "$command" > wrapper
  chmod +x wrapper
  start_ranks 2 "$WORK/wrapper" "$DFRUN" job.yaml --output never --start-timeout "$timeout_s"
  ends_with 76
  says "the ranks have not all started within $timeout_s s .*rank 1 .*$kind"
  [ ! -e never ] || fail "it made a run directory"
  no_process_left
done
# shellcheck disable=SC2016
printf '#!/bin/bash\n[ "$OMPI_COMM_WORLD_RANK" != 1 ] || sleep 4\nexec "$@"\n' > wrapper
for patient in '--start-timeout 0' "--start-timeout $timeout_s --heartbeat off"; do
  # shellcheck disable=SC2086  # options
  start_ranks 2 "$WORK/wrapper" "$DFRUN" job.yaml --output late $patient
  ends_with 0
  rm -rf late
done

# Stopped where it is about to leave MPI: the job's own code. When it has left it: 76, for no other ends a launcher that waits.
library=$(dirname "$DFRUN")/libdfrun_test_stop_at_end.so
preload_name library
for case in 'before 0 MPI_Finalize' 'after 76 the other ranks of this host to end'; do
  read -r when code what <<< "$case"
  STOP_AT_END=$when LD_PRELOAD=$library start_ranks "$RANKS" "$DFRUN" job.yaml --output "end-$when" \
    --transport "$TRANSPORT" --start-timeout "$timeout_s"
  ends_with "$code"
  says "the results are written, .*$what.*rank 1 .*is stopped"
  [ -s "end-$when/metrics.jsonl" ] || fail "the results are not written"
  no_process_left
done

# At instants from before the first process to after the last.
length_ms=
for i in 1 2; do
  began=$(date +%s%N)
  ranks "$RANKS" "$DFRUN" job.yaml --output "whole$i" --transport "$TRANSPORT" > "$WORK/out" 2>&1 ||
    { cat "$WORK/out"; fail "the job"; }
  took_ms=$((($(date +%s%N) - began) / 1000000))
  [ -n "$length_ms" ] && [ "$took_ms" -gt "$length_ms" ] || length_ms=$took_ms
done
is_stopped() {  # is_stopped PID: within a second; not where it was ending, and does so
  local stat
  for _ in $(seq 100); do
    stat=$(cat "/proc/$1/stat" 2> /dev/null) || return 1
    case ${stat##*) } in T*) return 0 ;; [ZX]*) return 1 ;; esac
    sleep 0.01
  done
  return 1
}
ends=
launcher_crashes=0
for i in $(seq "$INSTANTS"); do
  # Nobody is there to see rank 0 stopped when it is the last to leave.
  if [ $((2 * i)) -le "$INSTANTS" ]; then stopped=$((i % RANKS)); else stopped=$((i % (RANKS - 1) + 1)); fi
  start_ranks "$RANKS" "$DFRUN" job.yaml --output "run$i" --transport "$TRANSPORT" --start-timeout "$timeout_s" \
    --heartbeat 0.3,1.5
  at_ms=$((length_ms * i / INSTANTS))
  sleep "$((at_ms / 1000)).$(printf %03d $((at_ms % 1000)))"
  rank=
  for pid in $(pgrep -P "$job" || true); do
    if { tr '\0' '\n' < "/proc/$pid/environ"; } 2> /dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$stopped"; then rank=$pid; fi
  done
  if [ -n "$rank" ] && kill -STOP "$rank" 2> /dev/null && is_stopped "$rank"; then how=stopped; else how=missed; fi
  code=0
  for _ in $(seq 600); do kill -0 "$job" 2> /dev/null || break; sleep 0.05; done
  ! kill -0 "$job" 2> /dev/null || { cat "$WORK/out" >&2; fail "it has not ended 30 s after rank $stopped was stopped after $at_ms ms"; }
  wait "$job" || code=$?
  case $how$code in
    stopped76) says "rank $stopped " ;;
    stopped0) says "the results are written.*rank $stopped " ;;
    missed0) ;;  # the process had ended before the signal
    stopped139)  # Open MPI 4.1's mpirun now and then dies of SIGSEGV while its ranks end; what the ranks do still counts
      says "rank $stopped .*it ends with 76"
      launcher_crashes=$((launcher_crashes + 1)) ;;
    *) cat "$WORK/out" >&2; fail "exit code $code, rank $stopped $how after $at_ms of $length_ms ms" ;;
  esac
  ends+=" $how$code"
  no_process_left
done
[ "$launcher_crashes" -le $((1 + INSTANTS / 20)) ] || fail "mpirun died of SIGSEGV $launcher_crashes times:$ends"
[[ $ends == *stopped76* ]] || fail "no rank was stopped in time:$ends"
echo "ranks $RANKS over $TRANSPORT:$(tr ' ' '\n' <<< "$ends" | grep . | sort | uniq -c | tr '\n' ' ')in $length_ms ms"
