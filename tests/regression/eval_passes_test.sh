#!/usr/bin/env bash
# dfrun eval SPEC --fetch goes over all samples of the input that is read: rows are put behind each other, in the order
# of the files, whatever the batch and the number of ranks; other values are stacked by batch, and a line says so.
#   eval_passes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > data.py << 'END'
import h5py
import numpy as np
rows = 10007
x = np.arange(3 * rows).reshape(rows, 3) % 251
with h5py.File("d.h5", "w") as f:
    f["x"] = x.astype(np.float32)
    f["label"] = (np.arange(rows) * 7 % 10007).astype(np.int64)
    f["train/x"] = np.zeros((8, 3), np.float32)
    f["train/label"] = np.zeros(8, np.int64)
    f["few"] = np.ones((6, 3))
with open("names.csv", "w") as f:
    f.write("name\n" + "".join(f"row {i}\n" for i in range(103)))
END
/usr/bin/python3 data.py
cat > m.yaml << 'END'
dfrun: 1
inputs:
  batch: {hdf5: d.h5, tensors: {x: /train/x, label: /train/label}, batch: 4, shuffle: true}
  data: {hdf5: d.h5, tensors: {x: ~, label: ~}, batch: 16, shuffle: true}
  few: {hdf5: d.h5, tensors: {x: /train/x, label: /train/label}, batch: 3}
graph:
  share: {op: PlaceholderWithDefault, inputs: [1.0], shape: []}
  W: {op: Variable, shape: [3, 2], init: [[1, 0], [2, 1], [0, 3]]}
  table: {op: Variable, shape: [16, 2], init: ones, trainable: false}
  pred: MatMul(batch/x, W) * share
  wide: Tile(pred, [1, 1500])
  best: ArgMax(pred, 1)
  loss: Mean(pred)
  gram: MatMul(pred, pred, transpose_b=true)
  turned: Transpose(pred, perm=[1, 0])
  kept: Gather(batch/x, Reshape(Where(batch/x > 100), [-1]))
  pairs: Reshape(pred, [-1, 1])
train: {loss: loss, optimizer: sgd, learning_rate: 0, steps: 1}
eval: {feed: {batch: data}, metrics: [loss]}
END
sed 's/batch: 16/batch: 500/' m.yaml > m500.yaml
sed 's/batch: 16/batch: all/' m.yaml > mall.yaml
sed 's/batch: 16/batch: 8/' m.yaml > m8.yaml
cp m.yaml m16.yaml
cat > same.py << 'END'
import sys

import h5py
import numpy as np
with h5py.File("d.h5") as f:
    x, label = f["x"][:], f["label"][:]
pred = x @ np.array([[1, 0], [2, 1], [0, 3]], np.float32)
with h5py.File(sys.argv[1]) as f:
    assert f["pred"].dtype == np.float32 and np.array_equal(f["pred"], pred), f["pred"]
    assert np.array_equal(f["best"], pred.argmax(1)), f["best"]
    assert f["batch/label"].dtype == np.int64 and np.array_equal(f["batch/label"], label)
END

# The same datasets for every batch and number of ranks.
fetches=(--fetch pred --fetch best --fetch batch/label)
for size in 16 500 all; do
  for np in 1 2; do
    ranks $np "$DFRUN" eval m$size.yaml "${fetches[@]}" --out $size-$np.h5 > log 2>&1 ||
      { cat log; fail "batches of $size on $np ranks"; }
    /usr/bin/python3 same.py $size-$np.h5 || fail "batches of $size on $np ranks give other rows"
    if grep -q stacked log; then fail "rows are not stacked"; fi
  done
done
# The feed of the spec's evaluation need not be there: an input that is read itself, and one of the command line.
"$DFRUN" eval m.yaml --fetch data/x --fetch data/label --out own.h5 2> log
expect 0 'pred: float32[8,2] 0 0' "$DFRUN" eval m.yaml --feed batch=few --fetch pred
# Steps in flight change nothing.
sed 's/metrics: \[loss\]/metrics: [loss], steps_in_flight: 4/' m.yaml > flight.yaml
"$DFRUN" eval flight.yaml "${fetches[@]}" --out flight.h5 2> log
/usr/bin/python3 same.py flight.h5 || fail "steps in flight give other rows"

# What has no row for each sample is stacked by batch: a scalar, a table of as many rows as a batch, a product whose
# second size is the batch.
expect 0 "'loss' has no row for each sample: its values of the 626 batches are stacked, float32[626]" \
  "$DFRUN" eval m.yaml --fetch loss --fetch pred
grep -qF 'pred: float32[10007,2] ' out || fail "pred is not one row a sample"
expect 0 'table: float32[626,16,2] 1 1' "$DFRUN" eval m.yaml --fetch table --fetch pred
expect 65 "'turned' has the shape [2,16] in a batch of 16 samples and [2,7] in the last, of 7" \
  "$DFRUN" eval m.yaml --fetch turned
expect 65 "'gram' has the shape [16,16] in a batch of 16 samples and [7,7] in the last" "$DFRUN" eval m.yaml --fetch gram
expect 0 'gram: float32[10007,10007] ' "$DFRUN" eval mall.yaml --fetch gram --fetch loss
# Of batches that divide the samples the graph says it too.
expect 0 'turned: float32[2,2,4] 0 0' "$DFRUN" eval m.yaml --feed batch=batch --fetch turned
expect 0 'gram: float32[2,4,4] 0 0' "$DFRUN" eval m.yaml --feed batch=batch --fetch gram
expect 0 'pairs: float32[2,8,1] 0 0' "$DFRUN" eval m.yaml --feed batch=batch --fetch pairs
expect 65 "'kept' has the shape" "$DFRUN" eval m8.yaml --fetch kept

# --repeat is the whole pass so often; without inputs, and with values that are fed in their place, a step is one step.
expect 0 'pred: float32[2,10007,2] ' "$DFRUN" eval m.yaml --fetch pred --fetch loss --repeat 2
grep -qF 'loss: float32[2,626] ' out || fail "loss is not stacked by pass and batch"
expect 0 'loss: float32[3] ' "$DFRUN" eval m.yaml --repeat 3
expect 0 'W: float32[3,2] 1 0 2' "$DFRUN" eval m.yaml --fetch W
expect 0 'W: float32[4,3,2] 1 0 2' "$DFRUN" eval m.yaml --fetch W --repeat 4
expect 0 'pred: float32[6,2] 3 4' "$DFRUN" eval m.yaml --fetch pred --feed batch/x=d.h5:/few
expect 0 'loss: float32[] 7.5' "$DFRUN" eval m.yaml --fetch loss --feed 'pred=[[5, 10], [5, 10], [5, 10], [5, 10]]'
expect 0 'pred: float32[10007,2] 0 0' "$DFRUN" eval m.yaml --fetch pred --feed share=0
sed 's/batch: 3}/batch: 2}/' m.yaml > two.yaml
expect 65 'the nodes that are fetched are of two inputs' "$DFRUN" eval two.yaml --fetch few/x --fetch data/x

# All batches see the graph's own tables, as --init and --restore leave them.
cat > table.yaml << 'END'
dfrun: 1
inputs: {data: {hdf5: d.h5, tensors: {label: ~}, batch: 1000}}
graph:
  table: {op: MutableHashTableV2, key_dtype: int64, value_dtype: int64}
  put: {op: LookupTableInsertV2, inputs: [table, "Cast([7, 21], DstT=int64)", "Cast([70, 210], DstT=int64)"]}
  found: {op: LookupTableFindV2, inputs: [table, data/label, "Cast(-1, DstT=int64)"]}
END
expect 0 'found: int64[10007] -1 70 -1 210 -1 ' "$DFRUN" eval table.yaml --fetch found --init put

# Strings, whose lengths the file must know, and samples of a text.
cat > names.yaml << 'END'
dfrun: 1
inputs: {data: {csv: names.csv, header: true, tensors: {name: {from: name, dtype: string}}, batch: 10}}
graph: {same: Identity(data/name)}
END
"$DFRUN" eval names.yaml --fetch same --out names.h5
/usr/bin/python3 - << 'END' || fail "strings"
import h5py
with h5py.File("names.h5") as f:
    assert [s.decode() for s in f["same"][:]] == [f"row {i}" for i in range(103)]
END

# Rows go to the file as they come: 120 MB of them in less memory.
peak() {
  /usr/bin/python3 - "$@" << 'END'
import resource
import subprocess
import sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
}
small=$(peak "$DFRUN" eval m.yaml --fetch pred --out small.h5)
large=$(peak "$DFRUN" eval m.yaml --fetch wide --out wide.h5)
[ "$(stat -c %s wide.h5)" -gt 120000000 ] || fail "the wide rows are not all there"
[ $((large - small)) -lt 60 ] || fail "$large MiB of memory for wide rows, $small for others"

# A signal ends a pass, and nothing of it is left.
code=0
timeout -s TERM 2 "$DFRUN" eval m.yaml --fetch loss --repeat 100000 --out none.h5 > log 2>&1 || code=$?
[ $code = 124 ] || { cat log; fail "the pass ended by itself with $code"; }
grep -qF 'ended by SIGTERM' log || { cat log; fail "no word of the signal"; }
[ -z "$(ls none.h5* 2> /dev/null)" ] || fail "$(ls none.h5*) is left"
echo "fetches go over all samples on 1 and 2 ranks"
