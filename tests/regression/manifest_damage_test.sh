#!/usr/bin/env bash
# A damaged newest checkpoint is passed over with a warning for an older whole one, and so is what only looks like a
# checkpoint; the manifest's checksum is what FORMAT.md says.
#   manifest_damage_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > count.yaml <<'Y'
dfrun: 1
name: count
params: {steps: 4}
graph:
  count: {op: Variable, shape: [3], init: 0, dtype: int64}
  next:  AssignAdd(count, [1, 2, 3])
  sum:   Sum(next)
run: {steps: "${steps}", fetch: {count: next, sum: sum}}
checkpoint: {every: 2, keep: 0}
Y
expect 0 "step 4/4" "$DFRUN" count.yaml --output base

# Another program's crc32c of what FORMAT.md names.
cat > crc.py <<'P'
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
P
cat > manifest.py <<'P'
import json, sys
from crc import crc32c
path, *change = sys.argv[1:]
text = open(path, "rb").read()
body = text[: text.rindex(b' "checksum"')]
manifest = json.loads(text)
assert manifest["format"] == 3 and manifest["checksum"] == "crc32c:%08x" % crc32c(body), manifest
for shard in manifest["shards"]:
    data = open(path.replace("manifest.json", shard["file"]), "rb").read()
    assert int(shard["bytes"]) == len(data) and shard["crc32c"] == crc32c(data), shard
    for variable in shard["variables"]:  # [3] of int64
        values = data[int(variable["offset"]) :][:24]
        assert variable["crc32c"] == crc32c(values), variable
if change:  # text to replace, with the checksum that then belongs to it
    assert change[0].encode() in body, change
    body = body.replace(change[0].encode(), change[1].encode())
    open(path, "wb").write(body + b' "checksum": "crc32c:%08x"\n}\n' % crc32c(body))
P
/usr/bin/python3 manifest.py base/checkpoints/step-4/manifest.json || fail "the checksum is not what FORMAT.md says"

cat > append.py <<'P'
import sys
from crc import crc32c
path, more = sys.argv[1:]
text = open(path, "rb").read()
body = text[: text.rindex(b' "checksum"')] + b" " + more.encode() + b",\n"
open(path, "wb").write(body + b' "checksum": "crc32c:%08x"\n}\n' % crc32c(body))
P

# older WHAT: `run` is resumed from step 2, with a warning, to the right end; then it is made anew.
older() {
  expect 0 "resuming at step 2 from run/checkpoints/step-2" "$DFRUN" count.yaml --output run --resume --set steps=5
  grep -q '^warning: .*step-4' out || { cat out; fail "no warning: $1"; }
  [[ $(tail -n 1 run/metrics.jsonl) == '{"step": 5,'*'"sum": 30'[,}]* ]] || fail "other values: $1"
  fresh
}
fresh() {
  rm -rf run
  cp -r base run
}
fresh
step=run/checkpoints/step-4
for damage in 's/"step": "4"/"step": "5"/' 's/count/cound/' 's/"3"/"7"/' 's/DT_INT64/DT_INT32/' 's/shard-0/shard-1/' \
    's/"format": 3/"format": 4/' 's/"format": 3/"format": 1/' 's/crc32c:/crc32d:/' '$d' 's/^{//'; do
  sed -i "$damage" $step/manifest.json
  older "manifest: $damage"
done
for change in '"step": "4"|"step": "44"' '"3"|"-3"' '"3"|"300000"' '"count"|"count", "more": 1' '"count"|7' \
    '"inputs": [],|' '"name": "count"|"name": "other"' '"3"|"1", "3"' '"inputs"|"step": "4", "inputs"' \
    '"offset": "|"offset": "1' '"offset": "|"offset": "9999999' '"shape": ["3"], "crc32c": |"shape": ["3"], "crc32c": 1' \
    '"settings"|"state": {}, "settings"'; do
  /usr/bin/python3 manifest.py $step/manifest.json "${change%|*}" "${change#*|}"
  older "manifest with its checksum: $change"
done
# Members behind the settings: state and further files.
for more in '"state": 3' '"state": {"best": 3}' '"state": {"skipped": {}}' '"state": {"skipped": {"steps": "5"}}' \
    '"state": {}, "state": {}' '"files": [{"name": "notes", "bytes": "1", "crc32c": 0}]' '"files": [{"name": "tf.index"}]' \
    '"files": [{"name": "tf.index", "bytes": "1", "crc32c": 0}]' '"files": [{"name": "tf.a", "link": "/etc/passwd"}]' \
    '"files": [{"name": "tf.a", "link": "shard-9.h5"}]' '"files": [], "more": 1'; do
  /usr/bin/python3 append.py $step/manifest.json "$more"
  older "manifest with $more"
done
for file in manifest.json shard-0.h5; do
  bytes=$(stat -c %s $step/$file)
  for at in 0 $((bytes / 3)) $((bytes / 2)) $((bytes - 2)); do
    /usr/bin/python3 -c 'import sys; f = open(sys.argv[1], "r+b"); at = int(sys.argv[2]); f.seek(at); b = f.read(1)[0]
f.seek(at); f.write(bytes([b ^ 4]))' $step/$file "$at"
    older "$file: a flipped bit of byte $at"
    truncate -s "$at" $step/$file
    older "$file cut at byte $at"
  done
  rm $step/$file
  older "no $file"
  rm $step/$file
  mkfifo $step/$file
  older "$file a pipe"
  mv $step/$file elsewhere
  ln -s "$WORK/elsewhere" $step/$file
  older "$file a link"
done

# Another shard, with its own size and checksum in the manifest.
cat > seal.py <<'P'
import re, sys
from crc import crc32c
step, how = sys.argv[1:]
import h5py, numpy
with h5py.File(step + "/shard-0.h5", "w") as f:
    name, dtype, shape = {"lacks": ("other", "i8", 3), "type": ("count", "f4", 3), "shape": ("count", "i8", 2)}[how]
    f.create_dataset(name + ":0", data=numpy.zeros(shape, dtype))
shard = open(step + "/shard-0.h5", "rb").read()
text = open(step + "/manifest.json", "rb").read()
body = text[: text.rindex(b' "checksum"')]
body, sizes = re.subn(rb'"bytes": "\d+"', b'"bytes": "%d"' % len(shard), body)
body, sums = re.subn(rb'("crc32c": )\d+', rb"\g<1>%d" % crc32c(shard), body, count=1)  # the first is the shard's
assert sizes == sums == 1, body
open(step + "/manifest.json", "wb").write(body + b' "checksum": "crc32c:%08x"\n}\n' % crc32c(body))
P
for how in lacks type shape; do
  /usr/bin/python3 seal.py $step "$how" || fail "a sealed shard"
  older "a sealed shard: $how"
done

# What only looks like a checkpoint.
touch run/checkpoints/step-900
mkfifo run/checkpoints/step-901
ln -s step-4 run/checkpoints/step-902
ln -s nowhere run/checkpoints/step-903
cp -r $step run/checkpoints/step-90
mkdir run/checkpoints/step-91 run/checkpoints/step-05
expect 0 "resuming at step 4 from $step" "$DFRUN" count.yaml --output run --resume --set steps=5
for word in 'step-900 is a file' 'step-901 is a pipe' 'step-902 is a link' 'step-903 is a link' 'step-90 is of step 4' \
    'step-05 is not the name of a step' 'step-91'; do
  grep -q "^warning: .*$word" out || { cat out; fail "no word: $word"; }
done
for name in step-900 step-901 step-902 step-903 step-90 step-91 step-05; do
  [ -e run/checkpoints/$name ] || [ -L run/checkpoints/$name ] || fail "$name was removed"
done
# Elsewhere a checkpoint has any name.
cp -r $step best
expect 0 "count: int64[3] 4 8 12" "$DFRUN" eval count.yaml --restore best --fetch count
expect 0 "count: int64[3] 4 8 12" "$DFRUN" eval count.yaml --restore run/checkpoints/step-90 --fetch count

# What a later program keeps beside variables is saved again as it was; links that are missing matter to nobody.
fresh
/usr/bin/python3 append.py $step/manifest.json '"state": {"of a later program": {"x": [1, null, {"y": "z"}], "n": "0.1"}},
 "files": [{"name": "tf.data-00000-of-00001", "link": "shard-0.h5"}]'
for steps in 6 8; do
  expect 0 "step $steps/$steps" "$DFRUN" count.yaml --output run --resume --set steps=$steps
  if grep -q warning out; then cat out; fail "a warning about what a later program wrote"; fi
  grep -qF ' "state": {"of a later program": {"x": [1, null, {"y": "z"}], "n": "0.1"}},' run/checkpoints/step-$steps/manifest.json ||
    { cat run/checkpoints/step-$steps/manifest.json; fail "the state of a later program is lost"; }
done

# Nothing is whole: no new beginning.
fresh
sed -i 's/"step"/"stop"/' run/checkpoints/step-*/manifest.json
cp run/metrics.jsonl kept
expect 65 "no checkpoint in run/checkpoints is whole" "$DFRUN" count.yaml --output run --resume --set steps=5
cmp kept run/metrics.jsonl || fail "metrics.jsonl was changed"
# Another format, which a later program wrote, is no damage.
fresh
/usr/bin/python3 manifest.py $step/manifest.json '"format": 3' '"format": 4'
expect 65 "has format 4, and this program reads 1 to 3" "$DFRUN" count.yaml --output run --resume --set steps=5
echo "every damage fell back to the older checkpoint"
