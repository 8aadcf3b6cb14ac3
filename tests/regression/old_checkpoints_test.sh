#!/usr/bin/env bash
# Old checkpoints of a job are removed whole or stay: what a user put into one stays with it, and what cannot be removed
# is left with one warning, never the end of a job whose checkpoint is committed. What killed saves left goes.
#
#   old_checkpoints_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
library=$(dirname "$DFRUN")/libdfrun_test_file_system.so
source "$SOURCE/tests/preload.sh"
preload_name library

cat > job.yaml <<'EOS'
dfrun: 1
params: {steps: 4}
graph:
  w:    {op: Variable, shape: [4], init: 1.0}
  loss: Sum(Square(w))
train: {loss: loss, optimizer: sgd, learning_rate: 0.1, steps: "${steps}", log_every: 1}
checkpoint: {every: 1, keep: 2}
EOS
job() { timeout 60 "$DFRUN" job.yaml --output run "$@" > "$WORK/out" 2>&1 || { cat out >&2; fail "the job failed: $*"; }; }
steps() { ls -A run/checkpoints | tr '\n' ' '; }
warnings() { grep -c warning out || true; }

job
[ "$(steps)" = "LATEST step-3 step-4 " ] || fail "not the two newest: $(steps)"

# A user's file in one, the leftovers of killed saves, of another host, and a user's own directory.
echo notes > run/checkpoints/step-3/notes
for name in step-9.tmp step-9.tmp-$(hostname)-2147483646-1 step-9.tmp-elsewhere-1-1 backup; do
  mkdir "run/checkpoints/$name"
  echo half > "run/checkpoints/$name/shard-0.h5"
done
mkdir run/checkpoints/step-8.tmp
echo notes > run/checkpoints/step-8.tmp/notes
job --resume --set steps=8
want="LATEST backup step-3 step-7 step-8 step-8.tmp step-9.tmp-elsewhere-1-1 "
[ "$(steps)" = "$want" ] || { cat out >&2; fail "left are $(steps)"; }
[ "$(cat run/checkpoints/step-3/notes)" = notes ] && [ -f run/checkpoints/step-3/manifest.json ] || fail "step-3 is cut"
[ "$(warnings)" = 2 ] || { cat out >&2; fail "$(warnings) warnings for two directories"; }

# A file system that removes nothing: each step is committed all the same.
rm -r run
job
REFUSE=removal LD_PRELOAD=$library job --resume --set steps=7
[ "$(cat run/checkpoints/LATEST)" = step-7 ] || fail "step 7 is not committed"
grep -q "Input/output error; it is left" out || { cat out >&2; fail "no word of what is left"; }
[ -d run/checkpoints/step-6 ] && [ ! -e run/checkpoints/step-3 ] || fail "not renamed before it is removed: $(steps)"
job --resume --set steps=8
[ "$(steps)" = "LATEST step-7 step-8 " ] || fail "what was left is not removed later: $(steps)"

# A directory that its owner has made read-only.
if [ "$(id -u)" != 0 ]; then
  chmod 555 run/checkpoints/step-7
  job --resume --set steps=11
  [ "$(warnings)" = 1 ] && [ -d run/checkpoints/step-7 ] || { cat out >&2; fail "step-7 was to stay, with a warning"; }
  chmod 755 run/checkpoints/step-7
fi
echo "old checkpoints go whole, or stay with a word"
