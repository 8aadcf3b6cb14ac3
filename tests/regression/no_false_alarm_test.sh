#!/usr/bin/env bash
# Four times as many ranks as cores, all in heavy kernels: none is called lost, and the job is not called stuck.
#   no_false_alarm_test.sh SOURCE_DIR DFRUN [SECONDS]    default: 30
SOURCE=$1 DFRUN=$2 LASTS=${3:-30}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

count=$((4 * $(nproc)))
{
  printf 'dfrun: 1\ngraph:\n  w: {op: Fill, inputs: ["[512, 512]", 0.001]}\n'
  sum=
  for rank in $(seq 0 $((count - 1))); do
    last=w
    for layer in 1 2 3 4; do
      printf '  p%d_%d: {op: MatMul, inputs: [%s, w], device: "/job:worker/task:%d"}\n' "$rank" "$layer" "$last" "$rank"
      last=p${rank}_$layer
    done
    printf '  s%d: {op: Identity, inputs: ["Sum(%s)"], device: "/job:worker/task:%d"}\n' "$rank" "$last" "$rank"
    sum="$sum + s$rank"
  done
  printf '  total: %s\nrun: {fetch: [total], steps: 100000000}\n' "${sum# + }"
} > heavy.yaml
start_ranks "$count" "$DFRUN" heavy.yaml --output heavy --threads 2 --stall 5 --no-optimize
until_running heavy
sleep "$LASTS"
kill -0 "$job" 2> /dev/null || { cat "$WORK/out" >&2; fail "the job has ended by itself"; }
signal USR1 "$job"
ends_with 138
! grep -q "was lost\|can never go on\|was declared dead" "$WORK/out" || { cat "$WORK/out" >&2; fail "a false alarm"; }
echo "$count ranks on $(nproc) cores for $LASTS s: $(wc -l < heavy/metrics.jsonl) steps, no false alarm"
