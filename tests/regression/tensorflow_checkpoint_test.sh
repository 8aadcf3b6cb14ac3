#!/usr/bin/env bash
# A checkpoint with `tensorflow: true` is one of TensorFlow's: a reader of the tests' own finds every variable through
# tf.index bit for bit, as h5py does in the shards; a flipped bit is refused by both systems; copies keep it; and links
# are removed as names.
#   tensorflow_checkpoint_test.sh SOURCE_DIR DFRUN [tensorflow]    with `tensorflow` its own readers read it too
SOURCE=$1 DFRUN=$2 ORACLE=${3:-}
source "$SOURCE/tests/regression/lib.sh"
TOOLS=$SOURCE/tests/regression/tensorflow
PYTHON=${DFRUN_GOLDEN_PYTHON:-$SOURCE/build/golden/venv/bin/python}
if [ -n "$ORACLE" ] && ! "$PYTHON" -c 'import tensorflow' 2> /dev/null; then
  echo "no TensorFlow in $PYTHON: DFRUN_GOLDEN_PYTHON names another"
  exit 77
fi
compare() { /usr/bin/python3 -B "$TOOLS/compare.py" "$1"; }

cat > all.yaml <<'Y'
dfrun: 1
name: all
seed: 3
params: {steps: 4}
cluster: {soft_placement: true}
graph:
Y
for dtype in float32 float64 float16 bfloat16; do
  echo "  v/$dtype: {op: Variable, shape: [3, 5], dtype: $dtype, init: \"RandomNormal(dtype=$dtype)\"}" >> all.yaml
done
for dtype in int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128; do
  echo "  v/$dtype: {op: Variable, shape: [7], dtype: $dtype, init: 1}" >> all.yaml
done
cat >> all.yaml <<'Y'
  v/bool:   {op: Variable, shape: [2, 3], dtype: bool, init: [[true, false, true], [false, false, true]]}
  v/string: {op: Variable, shape: [2, 2], dtype: string, init: "'a text'"}
  v/large:  {op: Variable, shape: [70, 1000], init: "RandomNormal()", device: "/job:worker/task:1"}
  v/large/Momentum: {op: Variable, shape: [1025], init: "RandomNormal()", device: "/job:worker/task:1"}
  v/empty:  {op: Variable, shape: [0, 3], init: 0}
  count:    {op: Variable, shape: [], init: 0, dtype: int64}
  next:     AssignAdd(count, 1)
  grown:    AssignAdd(v/float32, OnesLike(v/float32))
  words:    {op: FIFOQueueV2, component_types: [string], shapes: [[]], capacity: 50, device: "/job:worker/task:1"}
  put:      {op: QueueEnqueueV2, inputs: [words, "StringJoin(['word ', AsString(next)])"]}
run: {steps: "${steps}", fetch: {count: next}, targets: [grown, put]}
checkpoint: {every: 2, keep: 2, tensorflow: true}
Y
ranks 2 "$DFRUN" all.yaml --output run > out 2>&1 || { cat out; fail "the job on two ranks"; }
STEP=run/checkpoints/step-4
for file in manifest.json shard-0.h5 shard-1.h5 tf.index; do
  [ -f $STEP/$file ] || { ls -l $STEP; fail "no $file"; }
done
for i in 0 1; do
  [ "$(readlink $STEP/tf.data-0000$i-of-00004)" = shard-$i.h5 ] || { ls -l $STEP; fail "no link to shard-$i.h5"; }
done
count=$(compare $STEP) || fail "the bundle: $count"
[ "$count" -ge 22 ] || fail "$count variables alone"
h5diff $STEP/index.h5 $STEP/index.h5 || fail "h5diff of the index"
if h5diff run/checkpoints/step-2/index.h5 $STEP/index.h5 > out; then fail "h5diff finds two steps equal"; fi

if [ -n "$ORACLE" ]; then
  "$PYTHON" -B "$TOOLS/read_all.py" $STEP > out 2> err || { tail -n 20 err; fail "TensorFlow's readers"; }
  cat out
fi

# Every way to copy keeps it; one that follows links makes files of them.
cp -r $STEP copied
cp -a $STEP archived
tar cf step.tar $STEP && mkdir unpacked && tar xf step.tar -C unpacked
/usr/bin/python3 -c "import shutil; shutil.copytree('$STEP', 'like_rsync', symlinks=True)"
if command -v rsync > /dev/null; then rsync -a $STEP/ synced/; else cp -a $STEP synced; fi
cp -rL $STEP followed
for copy in copied archived unpacked/$STEP like_rsync synced followed; do
  [ "$(compare $copy)" = "$count" ] || fail "the copy $copy"
  expect 0 "count: int64[] 4" "$DFRUN" eval all.yaml --restore $copy --fetch count
done
[ -L copied/tf.data-00000-of-00004 ] && [ ! -L followed/tf.data-00000-of-00004 ] || fail "links are not what they were"
rm followed/tf.data-0000[01]-of-00004
expect 0 "count: int64[] 4" "$DFRUN" eval all.yaml --restore followed --fetch count

# A flipped bit of any file is refused by both.
cat > flip.py <<'P'
import sys
path, at = sys.argv[1], int(sys.argv[2])
with open(path, "r+b") as file:
    file.seek(at)
    byte = file.read(1)[0]
    file.seek(at)
    file.write(bytes([byte ^ 16]))
P
offset_of() {
  /usr/bin/python3 - "$1" "$2" <<'P'
import json, sys
manifest = json.load(open(sys.argv[1] + "/manifest.json"))
print(next(v["offset"] for s in manifest["shards"] for v in s["variables"] if v["name"] == sys.argv[2]))
P
}
flips() {
  local file=$1 bytes
  shift
  for at in "$@"; do
    rm -rf flipped
    cp -r $STEP flipped
    /usr/bin/python3 flip.py "flipped/$file" "$at"
    if compare flipped > seen 2>&1; then fail "a flipped bit of byte $at of $file is not seen through tf.index"; fi
    expect 65 "is damaged" "$DFRUN" eval all.yaml --restore flipped --fetch count
    if [ -n "$ORACLE" ]; then
      if "$PYTHON" -B "$TOOLS/read_all.py" flipped > /dev/null 2>&1; then fail "TensorFlow reads byte $at of $file"; fi
    fi
  done
}
index=$(stat -c %s $STEP/tf.index)
large=$(offset_of $STEP v/large)
owner=$(/usr/bin/python3 - $STEP v/large <<'P'
import json, sys
manifest = json.load(open(sys.argv[1] + "/manifest.json"))
print(next(s["file"] for s in manifest["shards"] for v in s["variables"] if v["name"] == sys.argv[2]))
P
)
flips "$owner" "$large" $((large + 140001)) $((large + 279999))
flips tf.index 0 $((index / 3)) $((index - 60)) $((index - 1))
for texts in "$STEP"/tf.data-0000[23]-of-00004; do
  bytes=$(stat -c %s "$texts")
  flips "${texts##*/}" 0 $((bytes / 2)) $((bytes - 1))
done

# A job goes on from it, and the older ones go: links as names, wherever they lead.
echo precious > mine
ln -sfn "$WORK/mine" run/checkpoints/step-2/tf.data-00000-of-00004
ln -sfn "$WORK" run/checkpoints/step-4/tf.data-00001-of-00004
ranks 2 "$DFRUN" all.yaml --output run --resume --set steps=8 > out 2>&1 || { cat out; fail "resumed"; }
grep -q "resuming at step 4" out || { cat out; fail "not resumed at step 4"; }
[ "$(ls run/checkpoints | tr '\n' ' ')" = "LATEST step-6 step-8 " ] ||
  { ls run/checkpoints; cat out; fail "others are left"; }
[ "$(cat mine)" = precious ] && [ -f all.yaml ] || fail "a link was followed"
[ "$(compare run/checkpoints/step-8)" = "$count" ] || fail "step 8"
# One of the user's among the files keeps its directory.
cp -r run other
ln -s "$WORK/mine" other/checkpoints/step-6/notes
ranks 2 "$DFRUN" all.yaml --output other --resume --set steps=12 > out 2>&1 || { cat out; fail "resumed again"; }
grep -q "step-6 is not dfrun's to remove: a directory stands there with 'notes'" out ||
  { cat out; fail "no word of it"; }
[ -L other/checkpoints/step-6/tf.data-00000-of-00004 ] && [ -f other/checkpoints/step-6/manifest.json ] ||
  fail "step-6 is cut"

# What killed saves left goes, links too.
left=run/checkpoints/step-9.tmp-$(hostname)-2147483646-1
mkdir "$left"
echo half > "$left/shard-0.h5"
ln -s shard-0.h5 "$left/tf.data-00000-of-00004"
ln -s /etc/passwd "$left/tf.data-00001-of-00004"
echo half > "$left/tf.index"
ranks 2 "$DFRUN" all.yaml --output run --resume --set steps=10 > out 2>&1 ||
  { cat out; fail "resumed beside a killed save"; }
[ ! -e "$left" ] || fail "what a killed save left stays"

# Without the key there is none of it.
sed 's/, tensorflow: true//' all.yaml > plain.yaml
ranks 2 "$DFRUN" plain.yaml --output plain > out 2>&1 || { cat out; fail "the job without the key"; }
[ "$(ls plain/checkpoints/step-4 | tr '\n' ' ')" = "index.h5 manifest.json shard-0.h5 shard-1.h5 " ] ||
  fail "other files"
sed 's/tensorflow: true/tensorflow: 3/' all.yaml > wrong.yaml
expect 65 "wrong.yaml" "$DFRUN" check wrong.yaml --ranks 2
echo "$count variables are read through tf.index"
