#!/usr/bin/env bash
# Silent ranks and what /proc shows of them. A rank whose heartbeat thread computes (state R) or is in the kernel (D)
# without a heartbeat is waited for, and goes on afterwards; one whose thread sleeps (S) or is stopped (T) is lost. None
# is called lost beside work of a higher priority, four threads that compute for each core.
#   starved_ranks_test.sh SOURCE_DIR DFRUN [SECONDS [HEARTBEAT [NAMED_S]]]    default: 3 0.2,1 30
# NAMED_S bounds the time in which a stopped rank is named.
SOURCE=$1 DFRUN=$2 LASTS=${3:-3} HEARTBEAT=${4:-0.2,1} NAMED_S=${5:-30}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"
source "$SOURCE/tests/preload.sh"
library=$(dirname "$DFRUN")/libdfrun_test_silence_beats.so
preload_name library
mkdir silent

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
broken() {
  cat "$WORK/out" >&2
  fail "$*"
}
none_lost() {
  kill -0 "$job" 2> /dev/null || broken "the job has ended by itself"
  ! grep -q "was lost\|was declared dead" "$WORK/out" || broken "a false alarm"
}
until_said() {  # until_said TEXT MOST_S: waits for it, and sets took_ms
  local began
  began=$(date +%s%N) took_ms=0
  until grep -qE "$1" "$WORK/out"; do
    took_ms=$((($(date +%s%N) - began) / 1000000))
    [ "$took_ms" -lt "$((1000 * $2))" ] || broken "after $took_ms ms it does not say '$1'"
    kill -0 "$job" 2> /dev/null || grep -qE "$1" "$WORK/out" || broken "it has ended, and does not say '$1'"
    sleep 0.05
  done
}
silence() {  # silence RANK STATE: returns when it is silent
  echo "$2" > "silent/$1"
  for _ in $(seq 1200); do
    [ ! -e "silent/$1.silent" ] || return 0
    sleep 0.05
  done
  broken "rank $1 sends heartbeats, or none of its own accord"
}
silent_beyond_death() {  # silent_beyond_death: silent for three times what makes a silent rank dead, none is lost
  sleep "$(awk "BEGIN { print 3 * ${HEARTBEAT#*,} }")"
  none_lost
}
goes_on() {  # goes_on: they send heartbeats again, and the job computes
  local before
  rm -f silent/[0-9]
  for _ in $(seq 1200); do
    [ -n "$(find silent -name '*.silent')" ] || break
    sleep 0.05
  done
  [ -z "$(find silent -name '*.silent')" ] || broken "a rank does not go on"
  before=$(wc -l < heavy/metrics.jsonl)
  for _ in $(seq 1200); do
    none_lost
    [ "$(wc -l < heavy/metrics.jsonl)" -lt "$((before + 2))" ] || return 0
    sleep 0.05
  done
  broken "the job stands still after step $before"
}

count=$((2 * $(nproc) > 4 ? 2 * $(nproc) : 4))
heavy_spec "$count" > heavy.yaml
SILENT_RANKS=$WORK/silent LD_PRELOAD=$library start_ranks "$count" \
  "$DFRUN" heavy.yaml --output heavy --threads 1 --stall 0 --no-optimize --heartbeat "$HEARTBEAT"
until_running heavy 120
# shellcheck disable=SC2046  # each is a thread
renice -n $(($(nice) + 10)) -p $(for pid in "$job" $(pgrep -P "$job"); do ls "/proc/$pid/task"; done) > /dev/null
starved=$(pid_of_rank 1)
stopped=$(pid_of_rank 2)
# Priorities count within a session where the scheduler makes a group of each.
if [ -e /proc/self/autogroup ]; then
  [ "$(cut -d ' ' -f 1 "/proc/$starved/autogroup")" = "$(cut -d ' ' -f 1 /proc/self/autogroup)" ] ||
    fail "the ranks are in another session, in which their priority means nothing"
fi

# Each is told of within 50 s, in which a rank that is waited for is not lost. The word may be from before, where load
# has made the rank late.
silence 1 R
silence 3 D
until_said 'rank 1 \(host .*\) is silent, and is waited for, at most 60 s: .*\(state R\)' 50
until_said 'rank 3 \(host .*\) is silent, and is waited for, at most 60 s: .*\(state [DR]\)' 50
silent_beyond_death
goes_on

# Beside the spinners: first all beat as the scheduler lets them, then one is silent.
words=$(grep -c 'is silent, and is waited for' "$WORK/out" || true)
spin
sleep "$LASTS"
none_lost
steps=$(wc -l < heavy/metrics.jsonl)
words=$(($(grep -c 'is silent, and is waited for' "$WORK/out") - words))
silence 1 R
silent_beyond_death
goes_on

# One rank gets what all others leave of one core, which is next to nothing under some schedulers.
core=$(taskset -c -p $$ | sed 's/.*: //; s/[-,].*//')
spin taskset -c "$core"
taskset -a -c -p "$core" "$starved" > /dev/null
chrt -a -i -p 0 "$starved"
silent_beyond_death
# shellcheck disable=SC2086  # each is a process
kill -KILL $started
spinners=${spinners%"$started"}

signal STOP "$stopped"
for _ in $(seq 500); do  # a thread stops when it gets a CPU
  sed 's/.*) //' "/proc/$stopped/task/"*/stat | grep -q '^[^T]' || break
  sleep 0.02
done
until_said 'rank 2 \(host .*\) was lost: no heartbeat for .* is stopped \(state T\)' "$NAMED_S"
named_ms=$took_ms
stop_spinners
ends_with 76
no_process_left
! grep -q 'rank [013] .* was lost' "$WORK/out" || broken "a rank that was waited for is called lost"

# A thread that sleeps is not waited for.
heavy_spec 2 > two.yaml
SILENT_RANKS=$WORK/silent LD_PRELOAD=$library start_ranks 2 \
  "$DFRUN" two.yaml --output two --threads 1 --stall 0 --no-optimize --heartbeat "$HEARTBEAT"
until_running two 120
silence 1 S
until_said 'rank 1 \(host .*\) was lost: no heartbeat for .* sleeps \(state S\)' 50
ends_with 76
no_process_left
echo "$count ranks of low priority beside $count spinners on $(nproc) cores for $LASTS s: $steps steps," \
  "no false alarm, $words warnings; a stopped rank is named after $named_ms ms"
