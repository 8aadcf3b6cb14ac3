#!/usr/bin/env bash
# Recomputation: steps that keep fewer values for their gradients give the losses of steps that keep them all, bit for
# bit, of nets with dropout, with batch normalisation and with neither; the forecast of their values falls to half; a
# limit of memory asks for no more than it needs; names choose.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
NETS=$SOURCE/tests/regression/recompute

# same_bits RUN OTHER: step, loss and fingerprint of all variables are equal in each line.
same_bits() {
  /usr/bin/python3 - "$1" "$2" <<'END_OF_SCRIPT' || fail "$1 does not give the losses of $2"
import json, sys
lines = [[json.loads(line) for line in open(run + '/metrics.jsonl')] for run in sys.argv[1:]]
bits = [[(line['step'], line['loss'], line['state']) for line in of_run] for of_run in lines]
print(*bits, sep='\n')
sys.exit(not bits[0] or bits[0] != bits[1])
END_OF_SCRIPT
}
# forecast MOST LEAST: the line of `check` in the file `out` has a peak of this share of the other and an increase of the
# work of at least so many percent.
forecast() {
  /usr/bin/python3 - "$@" <<'END_OF_SCRIPT' || { cat out >&2; fail "the forecast of recomputation is not what it is to be"; }
import re, sys
most, least = float(sys.argv[1]), int(sys.argv[2])
units = {'bytes': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}
found = re.search(r'recompute: about ([0-9.]+) (\w+) of values in a step instead of ([0-9.]+) (\w+) on \S+, for (\d+)% '
                  'more work', open('out').read())
now, before = (float(found[i]) * units[found[i + 1]] for i in (1, 3))
sys.exit(not (now <= most * before and least <= int(found[5]) <= 34))
END_OF_SCRIPT
}

for net in deep_mlp dropout batch_norm; do
  expect 0 ": ok, " "$DFRUN" check "$NETS/$net.yaml"
  if grep -q "recompute:" out; then fail "a word of recomputation where there is none"; fi
  expect 0 "recompute: about" "$DFRUN" check "$NETS/$net.yaml" --set recompute=auto
  forecast 0.5 1
  expect 0 "step 4/4" "$DFRUN" "$NETS/$net.yaml" --output $net-none
  expect 0 "step 4/4" "$DFRUN" "$NETS/$net.yaml" --set recompute=auto --output $net-auto
  same_bits $net-auto $net-none
done
for of in none auto; do
  ranks 2 "$DFRUN" "$NETS/dropout.yaml" --set replicas=2 --set recompute=$of --output two-$of > log 2>&1 ||
    { cat log >&2; fail "two replicas"; }
done
same_bits two-auto two-none
for of in none auto; do
  expect 0 "step 4/4" "$DFRUN" "$NETS/batch_norm.yaml" --set replicas=2 --set train.strategy=local --set recompute=$of \
    --output local-$of
done
same_bits local-auto local-none

# A limit that all fits into asks for nothing, one below it for less than there is without a limit.
expect 0 "recompute: no value is computed a second time" \
  "$DFRUN" check "$NETS/deep_mlp.yaml" --set recompute=auto --set cluster.memory=1GiB
expect 0 "recompute: about" "$DFRUN" check "$NETS/deep_mlp.yaml" --set recompute=auto --set cluster.memory=10MiB
if grep -q "^warning: the variables" out; then cat out >&2; fail "a limit that is aimed at may be exceeded"; fi
forecast 0.7 1
expect 0 "step 4/4" "$DFRUN" "$NETS/deep_mlp.yaml" --set recompute=auto --set cluster.memory=10MiB --output limited
same_bits limited deep_mlp-none
expect 74 "no memory for" "$DFRUN" "$NETS/deep_mlp.yaml" --set cluster.memory=10MiB --output too_narrow

# Among ranks a limit has room for the variables and gradients that come from others too.
two=("$NETS/deep_mlp.yaml" --set replicas=2 --set width=160 --set batch=512)
ranks 2 "$DFRUN" "${two[@]}" --output two_ranks > log 2>&1 || { cat log >&2; fail "two ranks"; }
for limit in 12MiB 14MiB; do
  of_limit=("${two[@]}" --set recompute=auto --set cluster.memory=$limit)
  expect 0 "recompute: " "$DFRUN" check "${of_limit[@]}" --ranks 2
  if grep -q "^warning: the variables" out; then cat out >&2; fail "$limit: a limit that is aimed at may be exceeded"; fi
  ranks 2 "$DFRUN" "${of_limit[@]}" --output two_ranks-$limit > log 2>&1 || { cat log >&2; fail "two ranks, $limit"; }
  same_bits two_ranks-$limit two_ranks
done

# Names choose, and what they cannot is said.
expect 0 "recompute: about" "$DFRUN" check "$NETS/deep_mlp.yaml" --set 'recompute=h*'
expect 0 "step 4/4" "$DFRUN" "$NETS/deep_mlp.yaml" --set 'recompute=h*' --output named
same_bits named deep_mlp-none
expect 65 "'recompute' names no node whose value a gradient reads and that may be computed a second time" \
  "$DFRUN" check "$NETS/dropout.yaml" --set 'recompute=h*/noise'
expect 65 "'nothing' is no node of the graph; the nearest" "$DFRUN" check "$NETS/dropout.yaml" --set recompute=nothing
echo "passed"
