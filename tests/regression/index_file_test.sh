#!/usr/bin/env bash
# A checkpoint's index.h5 is all its variables to HDF5's tools and to h5py, without options and from any directory.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > job.yaml <<'END'
dfrun: 1
params: {start: 1}
graph:
  W: {op: Variable, shape: [2, 3], init: "${start}"}
  count: {op: Variable, shape: [], dtype: int64, init: 3}
  flags: {op: Variable, shape: [2], dtype: bool, init: [true, false]}
  loss: Sum(Square(W))
train: {loss: loss, optimizer: momentum, learning_rate: 0.1, steps: 2}
checkpoint: {every: 2}
END
for run in a b; do ranks 2 "$DFRUN" job.yaml --output $run; done
ranks 2 "$DFRUN" job.yaml --output c --set start=2
step=checkpoints/step-2

h5diff a/$step/index.h5 b/$step/index.h5 || fail "equal checkpoints differ"
seen=0
h5diff a/$step/index.h5 c/$step/index.h5 > differences || seen=$?
[ "$seen" = 1 ] || fail "h5diff ends with $seen"
grep -qF '</W:0> and </W:0>' differences || fail "the difference is not found: $(cat differences)"
! grep -q flags differences || fail "equal flags differ"
h5diff --follow-symlinks a/$step/index.h5 b/$step/index.h5 || fail "equal checkpoints differ"
[ "$(h5ls -rE a/$step/index.h5 | grep -c Dataset)" = "$(h5ls -r a/$step/index.h5 | grep -c Dataset)" ] || fail "h5ls needs -E"

cat > show.py <<'END'
import sys
import h5py
found = {}
with h5py.File(sys.argv[1]) as file:
    file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
print(" ".join(f"{name}={value.ravel()[0]:.3g}" for name, value in sorted(found.items()) if not name.startswith("_")))
END
show() { (cd / && /usr/bin/python3 "$WORK/show.py" "$WORK/$1"); }
[[ "$(show a/$step/index.h5)" = *"W:0=0.46 "*"count:0=3 flags:0=1"* ]] || fail "h5py shows $(show a/$step/index.h5)"
h5dump -d /W:0 a/$step/index.h5 | grep -q "0.46, 0.46, 0.46" || fail "h5dump shows $(h5dump -d /W:0 a/$step/index.h5)"

# A shard that is missing or cut is seen.
shard=$(h5ls -v a/$step/index.h5/W:0 > /dev/null && grep -l 'W:0' a/$step/shard-*.h5 | head -1)
head -c 900 "$shard" > cut.h5
mv cut.h5 "$shard"
[[ "$(show a/$step/index.h5)" = *"W:0=nan "* ]] || fail "a cut shard is not seen: $(show a/$step/index.h5)"
rm "$shard"
[[ "$(show a/$step/index.h5)" = *"W:0=nan "* ]] || fail "a missing shard is not seen: $(show a/$step/index.h5)"
