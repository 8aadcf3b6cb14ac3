#!/usr/bin/env bash
# Ranks beside work of a higher priority, four threads that compute for each core: none is called lost while it waits
# for a CPU, also one that gets next to none. One of them that is stopped is named in time.
#   starved_ranks_test.sh SOURCE_DIR DFRUN [SECONDS [HEARTBEAT]]    default: 3 0.2,1
SOURCE=$1 DFRUN=$2 LASTS=${3:-3} HEARTBEAT=${4:-0.2,1}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

spinners=
stop_spinners() {
  # shellcheck disable=SC2086  # each is a process
  [ -z "$spinners" ] || kill -KILL $spinners 2> /dev/null || true
  spinners=
}
trap 'stop_spinners; stop_job' EXIT
spin() {  # spin [COMMAND...]: so many spinners as there are ranks, each started by the command
  started=
  for _ in $(seq "$count"); do
    "$@" bash -c 'while :; do :; done' &
    started+=" $!"
    spinners+=" $!"
    disown
  done
}
none_lost() {
  kill -0 "$job" 2> /dev/null || { cat "$WORK/out" >&2; fail "the job has ended by itself"; }
  ! grep -q "was lost\|was declared dead" "$WORK/out" || { cat "$WORK/out" >&2; fail "a false alarm"; }
}
said_after_ms() {  # said_after_ms TEXT MOST: waits for it, and sets took_ms
  local began
  began=$(date +%s%N) took_ms=0
  until grep -qE "$1" "$WORK/out"; do
    took_ms=$((($(date +%s%N) - began) / 1000000))
    [ "$took_ms" -lt "$2" ] || { cat "$WORK/out" >&2; fail "after $took_ms ms it does not say '$1'"; }
    sleep 0.05
  done
}

count=$((2 * $(nproc)))
heavy_spec "$count" > heavy.yaml
start nice -n 10 mpirun --oversubscribe --mca odls_base_sigkill_timeout 1 -np "$count" \
  "$DFRUN" heavy.yaml --output heavy --threads 1 --stall 0 --no-optimize --heartbeat "$HEARTBEAT"
until_running heavy
starved=$(pid_of_rank 1)
stopped=$(pid_of_rank 2)
# Priorities count within a session where the scheduler makes a group of each.
if [ -e /proc/self/autogroup ]; then
  [ "$(cut -d ' ' -f 1 "/proc/$starved/autogroup")" = "$(cut -d ' ' -f 1 /proc/self/autogroup)" ] ||
    fail "the ranks are in another session, in which their priority means nothing"
fi
spin
sleep "$LASTS"
none_lost
steps=$(wc -l < heavy/metrics.jsonl)
words=$(grep -c 'is silent, and is waited for' "$WORK/out" || true)

# One rank gets what all others leave of one core: nothing for seconds.
core=$(taskset -c -p $$ | sed 's/.*: //; s/[-,].*//')
spin taskset -c "$core"
taskset -a -c -p "$core" "$starved" > /dev/null
chrt -a -i -p 0 "$starved"
said_after_ms 'rank 1 \(host .*\) is silent, and is waited for, at most 60 s: .*state R' 60000
sleep 2
none_lost
# shellcheck disable=SC2086  # each is a process
kill -KILL $started
spinners=${spinners%"$started"}

signal STOP "$stopped"
for _ in $(seq 500); do  # a thread stops when it gets a CPU
  sed 's/.*) //' "/proc/$stopped/task/"*/stat | grep -q '^[^T]' || break
  sleep 0.02
done
said_after_ms 'rank 2 \(host .*\) was lost: no heartbeat for .* is stopped \(state T\)' 6000
stop_spinners
ends_with 76
no_process_left
! grep -q 'rank 1 .* was lost' "$WORK/out" || { cat "$WORK/out" >&2; fail "the starved rank is called lost"; }
echo "$count ranks of low priority beside $count spinners on $(nproc) cores for $LASTS s: $steps steps, no false alarm," \
  "$words warnings; a stopped rank is named after $took_ms ms"
