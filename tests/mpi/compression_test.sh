#!/usr/bin/env bash
# Gradients, or all values, that travel between ranks as 16 bits: half of the bytes, a small error, and the job learns.
#   compression_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

value() {  # value RUN KEY: the last of metrics.jsonl
  sed -nE "s#.*\"$2\": ([0-9.e+-]+).*#\\1#p" "$WORK/$1/metrics.jsonl" | tail -n 1
}
holds() {  # holds EXPRESSION: of awk
  awk "BEGIN { exit !($1) }" || fail "not so: $1"
}
run() {  # run NAME RANKS SPEC
  train "$2" "$3" "$WORK/$1" --trace 1 > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job $1 on $2 ranks"; }
}
moved() {  # moved RUN: bytes of messages between ranks in the traced step
  cat "$WORK/$1"/trace/*.json | tr '{' '\n' | grep '"bytes"' | sed -nE 's/.*"bytes": ?([0-9]+).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}

spec=$(short_spec digits_mlp 1 1000)
grep -q 'replicas: 4' "$spec" || fail "the spec has no 4 replicas"
run plain 2 "$spec"
losses "$WORK/plain" > "$WORK/plain.losses"
[ "$(sort -u -k2 "$WORK/plain.losses" | wc -l)" -gt 10 ] || fail "the losses do not change: nothing is trained"
[ -z "$(value plain wire/ratio)" ] || fail "a job that compresses nothing speaks of it"

sed 's/replicas: 4/replicas: 4, compress_gradients: true/' "$spec" > "$WORK/configs/gradients.yaml"
run gradients 2 "$WORK/configs/gradients.yaml"
holds "$(value gradients wire/ratio) == 0.5"
holds "$(value gradients wire/error) > 0 && $(value gradients wire/error) < 0.0079"
holds "$(value gradients eval/accuracy) > 0.9"
holds "$(moved gradients) < 0.85 * $(moved plain)"
losses "$WORK/gradients" | cmp -s "$WORK/plain.losses" - && fail "compression changes no loss"

{ echo 'cluster: {compress: ranks}'; cat "$spec"; } > "$WORK/configs/ranks.yaml"
run ranks 2 "$WORK/configs/ranks.yaml"
holds "$(moved ranks) < 0.6 * $(moved plain)"
holds "$(value ranks eval/accuracy) > 0.9"

# Nothing leaves its rank, or its host: not a bit is another.
run alone 1 "$WORK/configs/ranks.yaml"
losses "$WORK/alone" | cmp "$WORK/plain.losses" - || fail "one rank has other losses"
holds "$(value alone wire/ratio) == 0"
sed 's/compress: ranks/compress: hosts/' "$WORK/configs/ranks.yaml" > "$WORK/configs/hosts.yaml"
run hosts 2 "$WORK/configs/hosts.yaml"
losses "$WORK/hosts" | cmp "$WORK/plain.losses" - || fail "one host has other losses"
echo "ratio $(value gradients wire/ratio), error $(value gradients wire/error), accuracy $(value gradients eval/accuracy) and $(value ranks eval/accuracy)"
