#!/usr/bin/env bash
# An output that nobody reads does not keep a single process from ending at SIGTERM, with what it has saved.
#
#   unread_output_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > job.yaml <<'Y'
dfrun: 1
name: job
graph:
  W: {op: Variable, shape: [2], init: 0}
  next: AssignAdd(W, [1.0, 1.0])
run: {steps: 1000000000, fetch: [next]}
checkpoint: {every: 1000000000}
Y
# run NAME OUT ERR: the job with these outputs, of which `full` is filled once it runs.
run() {
  rm -f full
  mkfifo full
  exec 9<> full  # so that it has a reader, who never reads
  "$DFRUN" job.yaml --output "$1" --grace 3 > "$2" 2> "$3" &
  local pid=$! code=0
  for ((i = 0; i < 200; ++i)); do
    [ -s "$1/metrics.jsonl" ] && break
    sleep 0.1
  done
  timeout 1 dd if=/dev/zero bs=4096 of=full 2> dd || true
  sleep 0.5
  local begin=$SECONDS
  kill $pid
  for ((i = 0; i < 150; ++i)); do
    kill -0 $pid 2> /dev/null || break
    sleep 0.1
  done
  kill -0 $pid 2> /dev/null && { kill -9 $pid; fail "$1: still there after $((SECONDS - begin)) s"; }
  wait $pid || code=$?
  [ $code = 75 ] || fail "$1: exit code $code, not 75"
  ls "$1/checkpoints" 2> ls | grep -q step- || fail "$1: nothing is saved"
}
run err /dev/null full
run out full /dev/null
run both full full
echo "ended"
