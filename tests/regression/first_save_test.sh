#!/usr/bin/env bash
# What a save would refuse is found before the first step: names by `check`, rights and room when the job begins.
#   first_save_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/preload.sh"

# spec NAME VARIABLE...: a job that sums variables of these names and saves them.
spec() {
  local file=$1.yaml name sum=0.0
  shift
  printf 'dfrun: 1\ngraph:\n' > "$file"
  for name in "$@"; do
    printf '  ? %s\n  : {op: Variable, shape: [2], init: 1.0}\n' "$name" >> "$file"
    sum+=" + $name"
  done
  printf '  loss: Sum(Square(%s))\ntrain: {loss: loss, learning_rate: 0.1, steps: 2}\ncheckpoint: {every: 1}\n' "$sum" >> "$file"
}
# nothing_ran DIRECTORY: no step was logged.
nothing_ran() { [ ! -s "$1/metrics.jsonl" ] || fail "steps ran in $1: $(cat "$1/metrics.jsonl")"; }

# Names that are one path, by both names and the place in the spec; a run ends as `check` does.
clash() {
  spec clash "$1" "$2"
  expect 65 "clash.yaml:6:10: node '$2'" "$DFRUN" check clash.yaml
  expect 65 "variables '$1' and '$2' are one path in a checkpoint, $3" "$DFRUN" check clash.yaml
  expect 65 "are one path in a checkpoint" "$DFRUN" clash.yaml --output clash.run
  [ ! -e clash.run ] || fail "a refused job left its run directory"
}
clash linear/weight linear//weight /linear/weight:0
clash a/b a/./b /a/b:0
clash a/b ./a/b /a/b:0
clash a/./b a//b /a/b:0
# The same names without a checkpoint are a job's own business.
sed -i '/^checkpoint/d' clash.yaml
expect 0 "ok" "$DFRUN" check clash.yaml
# A name too long for the index.
long=$(head -c 66000 /dev/zero | tr '\0' x)
spec long "$long"
expect 65 "a name of 66000 bytes, and a checkpoint holds names of up to 65000" "$DFRUN" check long.yaml

# Names that only look odd are saved and found again, and one variable may be the folder of another.
odd() {
  spec odd "$@"
  rm -rf odd.run
  expect 0 "step 2/2" "$DFRUN" odd.yaml --output odd.run --resume
  sed 's/steps: 2/steps: 4/' odd.yaml > more.yaml
  expect 0 "resuming at step 2" "$DFRUN" more.yaml --output odd.run --resume
}
odd a a/b a/b/c
odd a/./b
odd x//y z/
odd "$(head -c 60000 /dev/zero | tr '\0' x)"

# Results of a run are datasets of a file too.
printf 'dfrun: 1\ngraph: {a/b: {op: Const, value: 1.0}, a//b: {op: Const, value: 2.0}}\nrun: {fetch: [a/b, a//b]}\n' > fetch.yaml
expect 65 "fetch.yaml:3:20: 'a//b' is the dataset /a/b of the file" "$DFRUN" check fetch.yaml
sed -i '/^run/d' fetch.yaml
expect 64 "which is the same dataset /a/b" "$DFRUN" eval fetch.yaml --fetch a/b --fetch a//b
printf 'dfrun: 1\ngraph: {a: {op: Const, value: 1.0}}\nrun: {fetch: [a], save: %s.h5}\n' "$(head -c 250 /dev/zero | tr '\0' x)" > save.yaml
expect 65 "save.yaml:3:25: 'save' has 253 bytes" "$DFRUN" check save.yaml
# An op that saves, given a name that it refuses by a constant.
cat > op.yaml <<'END'
dfrun: 1
graph:
  x: {op: Const, value: [1.0]}
  save: {op: Save, inputs: ["'here'", "['a//b']", x]}
run: {targets: [save]}
END
expect 65 "op.yaml:4:14: node 'save' (op Save): a tensor cannot be saved under the name 'a//b'" "$DFRUN" check op.yaml

# `check` writes nothing, and the try leaves nothing.
spec good W
mkdir looked
cp good.yaml looked
before=$(state looked)
(cd looked && "$DFRUN" check good.yaml > /dev/null)
[ "$(state looked)" = "$before" ] || fail "check has written something"
expect 0 "step 2/2" "$DFRUN" good.yaml --output good.run
left=$(find good.run -name '*tmp*')
[ -z "$left" ] || fail "left in the run directory: $left"

# A file system without locks, said once.
library=$(dirname "$DFRUN")/libdfrun_test_file_system.so
preload_name library
REFUSE=locks LD_PRELOAD=$library \
  expect 0 "no locks (No locks available)" "$DFRUN" good.yaml --output unlocked.run
[ "$(grep -c 'no locks' out)" = 1 ] || fail "the lack of locks is said $(grep -c 'no locks' out) times"
# What stands in the way.
mkdir taken.run
ln -s nowhere taken.run/checkpoints
expect 74 "no checkpoint could be saved in taken.run/checkpoints: a link stands there" "$DFRUN" good.yaml --output taken.run
nothing_ran taken.run
[ "$(readlink taken.run/checkpoints)" = nowhere ] || fail "a link in the way was changed"

# Without rights, as a user whom permissions bind.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
  user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$WORK"
  mkdir -p theirs/checkpoints closed
  chown 65534 theirs
  expect 74 "cannot make the directory theirs/checkpoints/step-0.tmp-" \
    "${user[@]}" "$DFRUN" good.yaml --output theirs --resume
  nothing_ran theirs
  expect 74 "closed/run" "${user[@]}" "$DFRUN" good.yaml --output closed/run
  expect 74 "closed/.lock" "${user[@]}" "$DFRUN" good.yaml --output closed
else
  echo "not tried: rights, which bind no one here"
fi

# Too little room, and a read-only file system: mounted for this process alone.
cat > mounted.sh <<'END'
set -e
mount -t tmpfs -o size=256k none "$1"
mkdir "$1/checkpoints"
END
mkdir room
if unshare --mount bash mounted.sh room > /dev/null 2>&1; then
  printf 'dfrun: 1\ngraph: {W: {op: Variable, shape: [100000], init: 0.0}, loss: Sum(W)}\ntrain: {loss: loss, learning_rate: 0.1, steps: 2}\ncheckpoint: {}\n' > large.yaml
  expect 74 "a checkpoint of this job has 400000 bytes, and " \
    unshare --mount bash -c 'bash mounted.sh room && "$1" large.yaml --output room --resume' - "$DFRUN"
  grep -q 'and [0-9]* are free there' out || fail "the free bytes are not said: $(cat out)"
  expect 74 "Read-only file system" unshare --mount bash -c \
    'bash mounted.sh room && mount -o remount,ro room && "$1" good.yaml --output room --resume' - "$DFRUN"
else
  echo "not tried: a full and a read-only file system, which may not be mounted here"
fi
echo "what a save would refuse is found before the first step"
