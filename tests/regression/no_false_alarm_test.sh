#!/usr/bin/env bash
# Four times as many ranks as cores, all in heavy kernels: none is called lost, and the job is not called stuck.
#   no_false_alarm_test.sh SOURCE_DIR DFRUN [SECONDS]    default: 30
SOURCE=$1 DFRUN=$2 LASTS=${3:-30}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

count=$((4 * $(nproc)))
heavy_spec "$count" > heavy.yaml
start_ranks "$count" "$DFRUN" heavy.yaml --output heavy --threads 2 --stall 5 --no-optimize
until_running heavy
sleep "$LASTS"
kill -0 "$job" 2> /dev/null || { cat "$WORK/out" >&2; fail "the job has ended by itself"; }
signal USR1 "$job"
ends_with 138
! grep -q "was lost\|can never go on\|was declared dead" "$WORK/out" || { cat "$WORK/out" >&2; fail "a false alarm"; }
echo "$count ranks on $(nproc) cores for $LASTS s: $(wc -l < heavy/metrics.jsonl) steps, no false alarm"
