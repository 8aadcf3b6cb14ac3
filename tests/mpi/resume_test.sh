#!/usr/bin/env bash
# A job that is killed and resumed on another rank count goes on with the bits of the uninterrupted run, that of its
# random numbers too. With KEYS of `train` for the job that is cut off: the uninterrupted one does without.
#   resume_test.sh SOURCE_DIR DFRUN [KEYS]
SOURCE=$1 DFRUN=$2 KEYS=${3:-}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

spec=$(short_spec digits_mlp 30 50)
sed -i -E -e 's/^( *)logits: +dense\(h1, (.*)/\1drop: dropout(h1, rate=0.2)\n\1logits: dense(drop, \2/' \
    -e 's/feed: \{batch: test\}/feed: {batch: test, drop\/share: 0.0}/' "$spec"
grep -q 'dropout(h1' "$spec" || fail "the spec got no dropout"
train 2 "$spec" "$WORK/whole" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the uninterrupted job"; }

if [ -n "$KEYS" ]; then
  sed -i "s/replicas: 4/replicas: 4, $KEYS/" "$spec"
  grep -qF "$KEYS" "$spec" || fail "the spec does not take $KEYS"
fi
timeout 120 mpirun --oversubscribe -np 4 "$DFRUN" "$spec" --output "$WORK/cut" > "$WORK/log" 2>&1 &
job=$!
for _ in $(seq 3000); do
  if [ -e "$WORK/cut/checkpoints/step-100" ]; then break; fi
  sleep 0.01
done
[ -e "$WORK/cut/checkpoints/step-100" ] || { cat "$WORK/log"; fail "no checkpoint of step 100 within 30 s"; }
victim=$(pgrep -P "$(pgrep -P "$job" mpirun)" | tail -n 1)
kill -9 "$victim"
if wait "$job"; then fail "the job ended well though rank process $victim was killed"; fi
reached=$(losses "$WORK/cut" | tail -n 1 | cut -d ' ' -f 1)
[ "$reached" -lt 660 ] || fail "the job was over before it was killed: the test showed nothing"

if train 3 "$spec" "$WORK/cut" > "$WORK/log" 2>&1; then fail "a run directory in use was not refused"; fi
train 3 "$spec" "$WORK/cut" --resume > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the resumed job"; }
grep -q 'resuming at step' "$WORK/log" || { cat "$WORK/log"; fail "it did not say that it resumed"; }
losses "$WORK/whole" > "$WORK/expected"
losses "$WORK/cut" > "$WORK/seen"
cmp "$WORK/expected" "$WORK/seen" || fail "losses after the resumption differ from the uninterrupted run"
echo "killed after step $reached on 4 ranks, resumed on 3: $(grep 'resuming at step' "$WORK/log")"
