#!/usr/bin/env bash
# The losses of a job with 4 replicas have the same bits on 1, 2, 3, 4 and 8 ranks.
#   bits_test.sh SOURCE_DIR DFRUN SPEC_NAME EPOCHS
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

spec=$(short_spec "$3" "$4" 1000)
for ranks in 1 2 3 4 8; do
  train "$ranks" "$spec" "$WORK/np$ranks" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job on $ranks ranks"; }
  losses "$WORK/np$ranks" > "$WORK/losses$ranks"
  [ -s "$WORK/losses$ranks" ] || fail "no losses in metrics.jsonl on $ranks ranks"
  cmp "$WORK/losses1" "$WORK/losses$ranks" || fail "losses on $ranks ranks differ from those on 1"
done
[ "$(sort -u -k2 "$WORK/losses1" | wc -l)" -gt 10 ] || fail "the losses do not change: nothing is trained"
echo "$(wc -l < "$WORK/losses1") losses of $3 have the same bits on 1, 2, 3, 4 and 8 ranks"
