# Shared by the tests of signals; after lib.sh. $job is the process that was started last, its output is in $WORK/out.

job=
stop_job() {
  [ -z "$job" ] || kill -KILL "$job" 2> /dev/null || true
  rm -rf "$WORK"
}
trap stop_job EXIT

# A shell has what it starts in the background ignore SIGINT and SIGQUIT, which a job then goes on ignoring.
start() {  # start COMMAND...: in the background
  : > "$WORK/out"  # what an earlier one said is not taken for this one's
  env --default-signal=INT,QUIT "$@" > "$WORK/out" 2>&1 &
  job=$!
}

start_ranks() {  # start_ranks N COMMAND...
  local count=$1
  shift
  start mpirun --oversubscribe --mca odls_base_sigkill_timeout 1 -np "$count" "$@"
}

signal() {  # signal NAME PID
  kill -s "$1" "$2" || fail "there is no process $2 to send SIG$1: $(cat "$WORK/out")"
}

until_running() {  # until_running RUN [SECONDS]: it has logged a step
  local seconds=${2:-20}
  for _ in $(seq "$((10 * seconds))"); do
    [ ! -s "$1/metrics.jsonl" ] || return 0
    sleep 0.1
  done
  cat "$WORK/out" >&2
  fail "no step of $1 in $seconds s"
}

until_resumed() {  # the process that was started last goes on from a checkpoint
  for _ in $(seq 200); do
    if grep -q 'resuming at step' "$WORK/out"; then sleep 0.2; return 0; fi
    sleep 0.1
  done
  cat "$WORK/out" >&2
  fail "the job has not gone on in 20 s"
}

pid_of_rank() {  # pid_of_rank RANK: of the mpirun that was started last
  local pid
  for pid in $(pgrep -P "$job"); do
    if tr '\0' '\n' < "/proc/$pid/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then echo "$pid"; return; fi
  done
  fail "rank $1 of process $job was not found"
}

ends_with() {  # ends_with CODE [TEXT]: within 30 s
  local seen=0 deadline=$((SECONDS + 30))
  while kill -0 "$job" 2> /dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.05; done
  ! kill -0 "$job" 2> /dev/null || { cat "$WORK/out" >&2; fail "it has not ended 30 s after the signal"; }
  wait "$job" || seen=$?
  if [ "$seen" != "$1" ] || { [ $# = 2 ] && ! grep -qF -- "$2" "$WORK/out"; }; then
    cat "$WORK/out" >&2
    fail "exit code $seen, expected $1 and '${2:-}'"
  fi
}

values() {  # values SPEC CHECKPOINT FILE: the bytes of its variable w
  timeout 60 "$DFRUN" eval "$1" --restore "$2" --fetch w --out "$WORK/values.h5" > "$WORK/out" 2>&1 ||
    { cat "$WORK/out" >&2; fail "the weights of $2 cannot be read"; }
  h5dump --binary=LE --dataset=/w --output="$3" "$WORK/values.h5" > /dev/null
  [ -s "$3" ] || fail "the weights of $2 are empty"
}

no_temporaries() {
  local left
  left=$(find "$WORK" -name '*.tmp*')
  [ -z "$left" ] || fail "temporaries are left: $left"
}
