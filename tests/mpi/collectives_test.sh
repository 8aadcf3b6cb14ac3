#!/usr/bin/env bash
# A training of 4 replicas that reduces its gradients by collectives has the losses of one that does not, on 1, 2 and 4
# ranks, however collectives are done.
#   collectives_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

spec=$(short_spec digits_mlp 1 1000)
train 1 "$spec" "$WORK/plain" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job without collectives"; }
losses "$WORK/plain" > "$WORK/losses"
[ "$(sort -u -k2 "$WORK/losses" | wc -l)" -gt 10 ] || fail "the losses do not change: nothing is trained"
sed -i 's/replicas: 4/replicas: 4, allreduce: true/' "$spec"
grep -q 'allreduce: true' "$spec" || fail "the spec does not ask for collectives"
for ranks in 1 2 4; do
  for how in lowered participants; do
    out=$WORK/$how$ranks
    train "$ranks" "$spec" "$out" --collectives "$how" --trace 1 > "$WORK/log" 2>&1 ||
      { cat "$WORK/log"; fail "the job on $ranks ranks, $how"; }
    losses "$out" | cmp "$WORK/losses" - || fail "losses on $ranks ranks, $how, differ"
    participants=$(cat "$out"/trace/*.json | { grep -o '/_AllReduce"' || true; } | wc -l)
    case $ranks-$how in
      4-participants) [ "$participants" -gt 0 ] || fail "no participants ran on 4 ranks" ;;
      *) [ "$participants" = 0 ] || fail "participants ran on $ranks ranks, $how" ;;
    esac
  done
done
if "$DFRUN" "$spec" --output "$WORK/wrong" --collectives wrong > "$WORK/log" 2>&1; then fail "--collectives wrong is taken"; fi
grep -q "it can be auto, lowered or participants" "$WORK/log" || fail "--collectives wrong: $(cat "$WORK/log")"
echo "$(wc -l < "$WORK/losses") losses have the same bits on 1, 2 and 4 ranks, by sums and by participants"
