#!/usr/bin/env bash
# The losses of a job with 4 replicas have the same bits on 1, 2, 3, 4 and 8 ranks, and it learns: the accuracy on the test
# images is at least MIN_ACCURACY in the end.
#   bits_test.sh SOURCE_DIR DFRUN SPEC_NAME EPOCHS MIN_ACCURACY
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

spec=$(short_spec "$3" "$4" 1000)
grep -q 'replicas:' "$spec" || sed -i 's/^train: {/train: {replicas: 4, /' "$spec"
grep -q 'replicas: 4' "$spec" || fail "the spec has no 4 replicas"
for ranks in 1 2 3 4 8; do
  train "$ranks" "$spec" "$WORK/np$ranks" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job on $ranks ranks"; }
  losses "$WORK/np$ranks" > "$WORK/losses$ranks"
  [ -s "$WORK/losses$ranks" ] || fail "no losses in metrics.jsonl on $ranks ranks"
  cmp "$WORK/losses1" "$WORK/losses$ranks" || fail "losses on $ranks ranks differ from those on 1"
done
[ "$(sort -u -k2 "$WORK/losses1" | wc -l)" -gt 10 ] || fail "the losses do not change: nothing is trained"
accuracy=$(sed -nE 's/.*"eval\/accuracy": ([0-9.]+).*/\1/p' "$WORK/np1/metrics.jsonl" | tail -n 1)
awk -v accuracy="${accuracy:-0}" -v least="$5" 'BEGIN { exit !(accuracy >= least) }' ||
  fail "the accuracy on the test images is '$accuracy', not at least $5"
echo "$(wc -l < "$WORK/losses1") losses of $3 have the same bits on 1, 2, 3, 4 and 8 ranks; accuracy $accuracy"
