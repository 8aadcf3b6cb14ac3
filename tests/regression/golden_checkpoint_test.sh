#!/usr/bin/env bash
# Checkpoints of formats 1 and 2, and of the first programs that wrote format 3, in tests/golden/checkpoint, are read for
# good: a job is resumed from one and goes on with the losses of the program that wrote it, `eval` and RestoreV2 give its
# values, and a step that was being replaced counts under its .old name.
#   golden_checkpoint_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cp -r "$SOURCE/tests/golden/checkpoint/." .
losses() {
  sed -nE 's/^\{"step": ([0-9]+), .*"loss": ([^,}]+).*/\1 \2/p' "$1/metrics.jsonl"
}
# same_losses RUN: those of the uninterrupted job. How sums are rounded may depend on the processor's vector length.
same_losses() {
  losses "$1" | paste -d ' ' losses.txt - |
    awk 'NF != 4 || $1 != $3 || ($2 - $4)^2 > (1e-5 * $2)^2 {print; bad = 1} END {exit bad || NR != 12}' ||
    fail "losses of $1 differ from those of the program that wrote the checkpoint"
}

cp -r run whole
expect 0 "resuming at step 8 from whole/checkpoints/step-8" "$DFRUN" spec.yaml --output whole --resume
[ "$(grep -c 'has format 1' out)" = 1 ] || fail "not one warning line for format 1"
same_losses whole
expect 0 "nothing is left after whole/checkpoints/step-12" "$DFRUN" spec.yaml --output whole --resume
if grep -q 'format 1' out; then fail "what this program saved has format 1"; fi

cp -r run two_ranks
ranks 2 "$DFRUN" spec.yaml --output two_ranks --resume > log 2>&1 || { cat log; fail "the job on two ranks"; }
[ "$(grep -c 'has format 1' log)" = 1 ] || { cat log; fail "not one warning line for format 1 on two ranks"; }
same_losses two_ranks

# Damage is found by the crc32c of the shard; the older step stands under its .old name.
cp -r run damaged
printf 'x' | dd of=damaged/checkpoints/step-8/shard-1.h5 bs=1 seek=2000 conv=notrunc 2> /dev/null
expect 0 "resuming at step 4 from damaged/checkpoints/step-4.old" "$DFRUN" spec.yaml --output damaged --resume
same_losses damaged
# A flipped bit of the step, which nothing but the directory's name tells.
cp -r run renumbered
sed -i 's/"step": "8"/"step": "9"/' renumbered/checkpoints/step-8/manifest.json
expect 0 "resuming at step 4 from renumbered/checkpoints/step-4.old" "$DFRUN" spec.yaml --output renumbered --resume
grep -q 'step-8 is of step 9' out || { cat out; fail "no word on the manifest of another step"; }
# Of the name and the shape of a variable.
cp -r run misnamed
sed -i 's/"name": "W"/"name": "V"/' misnamed/checkpoints/step-8/manifest.json
expect 0 "resuming at step 4 from misnamed" "$DFRUN" spec.yaml --output misnamed --resume
same_losses misnamed
cp -r run misshapen
sed -i '0,/"2"/s//"3"/' misshapen/checkpoints/step-8/manifest.json
expect 0 "resuming at step 4 from misshapen" "$DFRUN" spec.yaml --output misshapen --resume

cp -r run/checkpoints/step-8 elsewhere
expect 0 "W: float32[2,1] 2.21987 -0.95558" "$DFRUN" eval spec.yaml --restore elsewhere --fetch W
expect 0 'all:1: string[3] "alpha" "" "öl"' "$DFRUN" eval restore.yaml --fetch all:1
expect 0 "all:2: float32[2,3] 0.5 -1.25 3 1e-38 2 0.1" "$DFRUN" eval restore.yaml --fetch all:2

# Format 2, by the ops and by its values as h5py has them.
cat > restore_2.yaml <<'Y'
dfrun: 1
name: restore
graph:
  all: {op: RestoreV2, inputs: ["'format_2'", "['count', 'table']", "['', '']"], dtypes: [int64, float32]}
run: {fetch: {count: "all:0", table: "all:1"}}
Y
expect 0 "all:0: int64[] 13" "$DFRUN" eval restore_2.yaml --fetch all:0
expect 0 "all:1: float32[4,3] 3.59585 7.1587 5.02171 5.53063 5.52609 6.28642" \
  "$DFRUN" eval restore_2.yaml --fetch all:1

# The first programs of format 3 wrote neither state and files nor what a variable's bytes are.
[ "$(grep -c '"offset"\|"state"\|"files": \[$' format_3_first/checkpoints/step-8/manifest.json)" = 0 ] || fail "not a first one"
expect 0 "W: float32[2,1] 2.21987 -0.95558" "$DFRUN" eval spec.yaml --restore format_3_first/checkpoints/step-8 --fetch W
for np in 1 2; do
  cp -r format_3_first first
  ranks $np "$DFRUN" spec.yaml --output first --resume > log 2>&1 || { cat log; fail "the job on $np ranks"; }
  grep -q "resuming at step 8 from first/checkpoints/step-8" log || { cat log; fail "not resumed on $np ranks"; }
  if grep -q 'damaged\|has format' log; then cat log; fail "a word of format 3 on $np ranks"; fi
  same_losses first
  rm -r first
done
echo "checkpoints of formats 1 and 2 and of the first form of 3 restored and resumed"
