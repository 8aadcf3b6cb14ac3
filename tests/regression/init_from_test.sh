#!/usr/bin/env bash
# `init_from`: variables begin with the values of a run, a checkpoint or a file of another program; a table says what was
# taken, and what is not taken without a word is an error.
#   init_from_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

ln -s "$SOURCE/configs" configs
seq 1 64 | awk '{ print sin($1) "," cos($1) "," $1 % 2 }' > a.csv
cat > base.yaml <<'Y'
dfrun: 1
seed: 3
inputs: {data: {csv: a.csv, tensors: {x: {from: "0:2"}, y: 2}, batch: 16, shuffle: true}}
include: [configs/lib/nn.yaml]
graph:
  h1: dense(data/x, units=8, activation=Tanh)
  norm: batch_norm(h1)
  top: dense(norm, units=1)
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  up: AssignAdd(count, Cast(1, DstT=int64))
  loss: {op: Mean, inputs: ["Square(top - ExpandDims(data/y, 1))"], axis: [0, 1], control: [^up]}
  unread: {op: Variable, shape: [3], init: ones, trainable: false}
train: {loss: loss, optimizer: momentum, learning_rate: 0.01, steps: 8, log_every: 1}
checkpoint: {every: 4, keep: 0}
Y
from() { { sed 's/seed: 3/seed: 4/' base.yaml; echo "init_from: $1"; } > new.yaml; }
expect 0 "step 8/8" "$DFRUN" base.yaml --output base
names=(h1/W h1/b norm/gamma norm/beta norm/moving_mean norm/moving_variance top/W top/b count)

# values RUN [STEP]: the values of its checkpoint, a line a variable.
values() {
  dump "$1/checkpoints/step-${2:-8}"/shard-*.h5
}
# begins SPEC FILE: the values with which the spec's variables begin are those of the file's lines.
begins() {
  "$DFRUN" eval "$1" "${names[@]/#/--fetch=}" --out begin.h5 --force > out 2>&1 || { cat out; fail "no eval of $1"; }
  for name in ${3:-"${names[@]}"}; do
    [ "$(dump begin.h5 | grep "^$name ")" = "$(grep "^$name " "$2")" ] || fail "$name of $1 begins otherwise"
  done
}
values base > base.txt
values base 4 > four.txt

# A run, one of its steps, a checkpoint's directory.
from '{checkpoint: base}'
expect 0 "9 variables of 9 taken from the checkpoint $PWD/base/checkpoints/step-8" "$DFRUN" check "$PWD/new.yaml"
grep -qE '^  norm/moving_mean +float32\[8\] +taken$' out || { cat out; fail "no line of the average"; }
if grep -q 'unread\|position\|Momentum' out; then cat out; fail "a line of what is not taken"; fi
begins new.yaml base.txt
from '{checkpoint: base@4}'
begins new.yaml four.txt
from '{checkpoint: base/checkpoints/step-4}'
begins new.yaml four.txt
cp -r base/checkpoints/step-8 copy
from '{checkpoint: copy}'
begins new.yaml base.txt

# A training: the table on the screen and in run.json, step and position from 0, slots anew, the same on ranks.
sed -i 's/steps: 8/steps: 1/; s/learning_rate: 0.01/learning_rate: 1.0e-30/' new.yaml
expect 0 "9 variables of 9 taken from the checkpoint copy" "$DFRUN" new.yaml --output taken
/usr/bin/python3 - <<'P'
import json
run = json.load(open('taken/run.json'))
table = run['init_from']
assert table['source'] == 'the checkpoint copy', table
assert {row['variable']: row['is'] for row in table['variables']}['norm/moving_mean'] == 'taken', table
assert run['from_step'] == 0 and json.load(open('base/run.json'))['init_from'] is None
P
values taken 1 > taken.txt
[ "$(grep '^h1/W ' taken.txt)" = "$(grep '^h1/W ' base.txt)" ] || fail "h1/W was not taken"
[ "$(grep '^count ' taken.txt)" = "count () 0900000000000000" ] || fail "the count does not go on: $(grep '^count' taken.txt)"
[ "$(grep '^data/position ' taken.txt)" = "data/position () 1000000000000000" ] || fail "a position was taken"
from '{checkpoint: base}'
sed -i 's/log_every/replicas: 2, log_every/; s/control: \[^up\]/control: []/; /^  count:/d; /^  up:/d' new.yaml
for with in '' 'data_parallel: allreduce, ' 'parameters: spread, '; do
  rm -rf one many
  sed "s/log_every/${with}log_every/" new.yaml > replicas.yaml
  expect 0 "step 8/8" "$DFRUN" replicas.yaml --output one
  ranks 2 "$DFRUN" replicas.yaml --output many > out 2>&1 || { cat out; fail "two ranks, $with"; }
  diff <(values one | sort) <(values many | sort) > /dev/null || fail "other bits on two ranks: $with"
done

# A resume leaves it out with a line, and does not look for the file.
from '{checkpoint: base}'
expect 0 "step 8/8" "$DFRUN" new.yaml --output run
sed 's/steps: 8/steps: 10/; s/{checkpoint: base}/{checkpoint: gone}/' new.yaml > more.yaml
expect 0 "'init_from' is left out" "$DFRUN" more.yaml --output run --resume
grep -q "resuming at step 8" out || fail "not resumed"
expect 66 "more.yaml:$(grep -c '' more.yaml):25: 'init_from': there is no gone" "$DFRUN" more.yaml --output other
grep -q "paths of a spec begin at its folder" out || fail "no word of the folder"
[ ! -e other ] || fail "a job that does not begin made a directory"
expect 66 "there is no gone" "$DFRUN" check more.yaml

# What is chosen.
from '{checkpoint: base, new: ["top/*"]}'
expect 0 "7 variables of 9 taken" "$DFRUN" check new.yaml
grep -qE '^  top/W +float32\[8,1\] +new$' out || { cat out; fail "no line of what is new"; }
begins new.yaml base.txt "h1/W norm/gamma"
sed 's/^init_from.*//' new.yaml > plain.yaml
"$DFRUN" eval plain.yaml "${names[@]/#/--fetch=}" --out plain.h5 > /dev/null 2>&1
dump plain.h5 > plain.txt
begins new.yaml plain.txt "top/W top/b"
from '{checkpoint: base, only: ["h1/*", norm/gamma], except: "*/b"}'
expect 0 "2 variables of 9 taken" "$DFRUN" check new.yaml
grep -qE '^  top/W +float32\[8,1\] +excluded$' out || { cat out; fail "no line of what is excluded"; }
begins new.yaml base.txt "h1/W norm/gamma"
begins new.yaml plain.txt "h1/b top/W norm/moving_variance"

# Strict: another shape, and what is absent.
from '{checkpoint: base}'
sed -i 's/top: dense(norm, units=1)/last: dense(norm, units=1)/; s/Square(top/Square(last/; s/units=8/units=9/' new.yaml
expect 65 "has no values for 'h1/W' float32[2,9] (there float32[2,8]), 'h1/b' float32[9] (there float32[8])" "$DFRUN" check new.yaml
grep -qE '^  h1/W +float32\[2,9\] +shape differs +float32\[2,8\]$' out || { cat out; fail "no line of the shape"; }
grep -qE '^  last/b +float32\[1\] +absent$' out || { cat out; fail "no line of what is absent"; }
grep -q "'last/b' float32\[1\] (absent, the nearest is '" out || { cat out; fail "nothing is near"; }
expect 65 "has no values for 'h1/W'" "$DFRUN" new.yaml --output strict
[ ! -e strict ] || fail "a job that does not begin made a directory"
from '{checkpoint: base, rename: {"top/*": "last/*"}}'
sed -i 's/top: dense(norm, units=1)/last: dense(norm, units=1)/; s/Square(top/Square(last/' new.yaml
expect 0 "9 variables of 9 taken" "$DFRUN" check new.yaml
grep -qE '^  last/W +float32\[8,1\] +taken +float32\[8,1\] as top/W$' out || { cat out; fail "no line of the new name"; }
for mistake in "only: [h2/*]|'h2/*' matches no variable of the graph; the nearest are 'h1/W'" \
  "new: tpo/W|'tpo/W' is no variable of the graph; the nearest are 'top/W'" \
  "except: [*/b]|a text that begins with '*' is quoted: \"*/b\"" \
  "rename: {a/*: 'h1/W'}|'h1/W' must have the stars of 'a/*'" \
  "rename: {net/W: h1/W}|'rename': 'net/W' is no name in the checkpoint base/checkpoints/step-8; the nearest are" \
  "rename: {h1/W: h9/W}|'h9/W' is no variable of the graph" \
  "rename: {h1/W: top/W, top/W: top/W}|would be 'top/W'" \
  "renames: {}|unknown key 'renames'" "checkpoint: base|the key 'checkpoint' is written twice"; do
  from "{checkpoint: base, ${mistake%%|*}}"
  expect 65 "${mistake#*|}" "$DFRUN" check new.yaml
done
sed '/^init_from/d' new.yaml > new2.yaml && echo 'init_from: {only: h1/W}' >> new2.yaml
expect 65 "'init_from' lacks 'checkpoint'" "$DFRUN" check new2.yaml
for name in base@x base@5 base@best configs a.csv base.yaml; do
  from "{checkpoint: $name}"
  if "$DFRUN" check new.yaml > out 2>&1; then cat out; fail "$name is taken"; fi
  grep -q "new.yaml:[0-9]*:[0-9]*: 'init_from': " out || { cat out; fail "no place: $name"; }
done

# Files of other programs, with the values of the run under other names; narrower dtypes are widened.
/usr/bin/python3 - <<'P'
import glob, json, struct
import h5py
import numpy as np
arrays = {}
for path in glob.glob('base/checkpoints/step-8/shard-*.h5'):
    with h5py.File(path) as f:
        f.visititems(lambda name, item: arrays.update({name.removesuffix(':0'): item[()]}) if isinstance(item, h5py.Dataset) else None)
arrays = {name: value for name, value in arrays.items() if 'Momentum' not in name and 'position' not in name}
np.savez('w.npz', **arrays)
np.savez_compressed('packed.npz', **{name: np.array(value, order='F') for name, value in arrays.items()})
with h5py.File('w.h5', 'w') as f:
    for name, value in arrays.items():
        f.create_dataset('model/' + name, data=value, chunks=True if value.ndim else None)
header, data = {}, b''
for name, value in arrays.items():
    bytes_ = np.ascontiguousarray(value).tobytes()
    kind = {'f': 'F', 'i': 'I'}[value.dtype.kind] + str(value.dtype.itemsize * 8)
    header[name.replace('/', '.')] = {'dtype': kind, 'shape': list(value.shape), 'data_offsets': [len(data), len(data) + len(bytes_)]}
    data += bytes_
text = json.dumps(header).encode()
text += b' ' * (-len(text) % 8)
open('w.safetensors', 'wb').write(struct.pack('<Q', len(text)) + text + data)
half = {name: value.astype(np.float16) if value.dtype == np.float32 else value for name, value in arrays.items()}
np.savez('half.npz', **half)
with h5py.File('wide.h5', 'w') as f:
    for name, value in half.items():
        f[name] = value.astype(np.float32) if value.dtype == np.float16 else value
np.savez('double.npz', **{name: value.astype(np.float64) for name, value in arrays.items()})
P
for file in w.npz packed.npz "w.h5, rename: {\"model/*\": \"*\"}" "w.safetensors, rename: {\"*.*\": \"*/*\"}"; do
  from "{checkpoint: $file}"
  expect 0 "9 variables of 9 taken" "$DFRUN" check new.yaml
  begins new.yaml base.txt
done
from '{checkpoint: half.npz}'
expect 0 "9 variables of 9 taken" "$DFRUN" check new.yaml
grep -qE '^  h1/W +float32\[2,8\] +taken +float16\[2,8\]$' out || { cat out; fail "no line of a narrower dtype"; }
dump wide.h5 > wide.txt
begins new.yaml wide.txt
from '{checkpoint: double.npz}'
expect 65 "has no values for 'h1/W' float32[2,8] (there float64[2,8])" "$DFRUN" check new.yaml
grep -qE '^  h1/W +float32\[2,8\] +dtype differs +float64\[2,8\]$' out || { cat out; fail "no line of a wider dtype"; }

# TensorFlow's: a run's own, and those that TensorFlow wrote.
sed 's/keep: 0/keep: 0, tensorflow: true/' base.yaml > tensorflow.yaml
expect 0 "step 8/8" "$DFRUN" tensorflow.yaml --output tensorflow
from '{checkpoint: tensorflow/checkpoints/step-8/tf}'
expect 0 "9 variables of 9 taken from the TensorFlow checkpoint tensorflow/checkpoints/step-8/tf" "$DFRUN" check new.yaml
begins new.yaml base.txt
cat > golden.yaml <<'Y'
dfrun: 1
graph:
  rows: {op: Variable, shape: [7, 3], init: zeros}
  columns: {op: Variable, shape: [2, 300], init: zeros}
  sum: Sum(rows) + Sum(columns)
run: {fetch: [sum, rows, columns]}
Y
echo "init_from: {checkpoint: $SOURCE/tests/golden/init_from/parts}" >> golden.yaml
expect 0 "2 variables of 2 taken from the TensorFlow checkpoint" "$DFRUN" golden.yaml --output golden
/usr/bin/python3 - "$SOURCE/tests/golden/init_from/expected.h5" <<'P'
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1]) as expected, h5py.File('golden/fetches.h5') as given:
    for name in ('rows', 'columns'):
        assert np.array_equal(expected['parts/' + name], given[name]), name
P

# Damage: an error that names the file, and never a crash.
damaged() {
  local file=$1 size at
  cp "$file" whole
  size=$(stat -c %s whole)
  for at in 0 1 7 60 $((size / 3)) $((size / 2)) $((size - 30)) $((size - 1)); do
    head -c "$at" whole > "$file"
    local code=0
    timeout 60 "$DFRUN" new.yaml --output damaged > out 2>&1 || code=$?
    case $code in 65 | 66 | 74) ;; *) cat out; fail "$file cut at $at: exit code $code" ;; esac
    grep -qF "${file##*/}" out || { cat out; fail "$file is not named"; }
    [ ! -e damaged ] || fail "a job that does not begin made a directory"
  done
  cp whole "$file"
}
for file in w.npz packed.npz "w.h5, rename: {\"model/*\": \"*\"}" "w.safetensors, rename: {\"*.*\": \"*/*\"}"; do
  from "{checkpoint: $file}"
  damaged "${file%%,*}"
done
from '{checkpoint: copy}'
damaged "$(ls copy/shard-*.h5)"
printf 'x' | dd of=copy/shard-0.h5 bs=1 seek=2000 conv=notrunc 2> /dev/null
expect 65 "copy" "$DFRUN" new.yaml --output damaged
echo "variables begin with the values that were asked for"
