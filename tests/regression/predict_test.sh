#!/usr/bin/env bash
# dfrun predict: a row for each sample in one file, whose bytes are the same on any number of ranks and in batches of
# any size.
#   predict_test.sh SOURCE_DIR DFRUN [RANKS...]
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
RANKS=("${@:3}")
[ ${#RANKS[@]} -gt 0 ] || RANKS=(1 2 3 4)

cat > data.py << 'END'
import h5py
import numpy as np
rng = np.random.default_rng(1)
rows = 10007
with h5py.File("d.h5", "w") as f:
    f["x"] = rng.normal(size=(rows, 20)).astype(np.float32)
    f["label"] = rng.integers(0, 5, rows)
    f["train/x"] = rng.normal(size=(64, 20)).astype(np.float32)
    f["train/label"] = rng.integers(0, 5, 64)
with h5py.File("new.h5", "w") as f:  # without labels
    f["train/x"] = rng.normal(size=(101, 20)).astype(np.float32)
    f["mine"] = rng.normal(size=(33, 20))
    lists = f.create_dataset("lists", (7,), dtype=h5py.vlen_dtype(np.int64))
    for i in range(7):
        lists[i] = np.arange(i + 1)
with open("new.csv", "w") as f:
    f.write("a,b\n" + "".join(f"{i},{i * 0.1:.1f}\n" for i in range(53)))
with open("old.csv", "w") as f:
    f.write("a,b,y\n" + "".join(f"{i},{i * 0.2:.1f},{i}\n" for i in range(8)))
END
/usr/bin/python3 data.py
cat > m.yaml << 'END'
dfrun: 1
inputs:
  batch: {hdf5: d.h5, tensors: {x: /train/x, label: /train/label}, batch: 16, shuffle: true}
  test: {hdf5: d.h5, tensors: {x: ~, label: ~}, batch: 16}
graph:
  W: {op: Variable, shape: [20, 30], init: "RandomNormal(stddev=0.3)"}
  b: {op: Variable, shape: [30], init: zeros}
  V: {op: Variable, shape: [30, 5], init: "RandomNormal(stddev=0.3)"}
  hidden: Relu(BiasAdd(MatMul(batch/x, W), b))
  logits: MatMul(hidden, V)
  best: ArgMax(Softmax(logits), 1)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  mixed: logits - Mean(logits, 0)
  gram: MatMul(logits, logits, transpose_b=true)
train: {loss: loss, optimizer: sgd, learning_rate: 0.1, steps: 20}
eval: {feed: {batch: test}, metrics: [loss]}
checkpoint: {every: 20}
END
"$DFRUN" m.yaml --output run > log 2>&1 || { cat log; fail "the training"; }

# same FILE WHAT: FILE has the bytes of the first file of its kind.
same() { cmp "$1" "first.${1##*.}" || fail "$2 gives other bytes"; }
predict() { "$DFRUN" predict m.yaml --restore run --fetch logits --fetch best "$@"; }

predict --out first.h5 > log 2>&1 || { cat log; fail "predict"; }
grep -q '10007 rows of logits float32\[5\], best int64\[\]' log || { cat log; fail "no word of the rows"; }
if grep -q 'may depend on its batch' log; then cat log; fail "the rows are not independent"; fi
predict --out first.csv > log 2>&1 || { cat log; fail "predict to csv"; }
"$DFRUN" eval m.yaml --restore run --fetch logits --fetch best --out eval.h5 > log 2>&1 ||
  { cat log; fail "eval"; }
/usr/bin/python3 - << 'END' || fail "predict and eval differ"
import csv
import h5py
import numpy as np
with h5py.File("first.h5") as p, h5py.File("eval.h5") as e:
    assert p["logits"].shape == (10007, 5) and np.array_equal(p["logits"], e["logits"])
    assert np.array_equal(p["best"], e["best"]) and p["best"].dtype == np.int64
    logits, best = p["logits"][:], p["best"][:]
with open("first.csv") as f:
    lines = list(csv.reader(f))
assert lines[0] == ["row", "logits_0", "logits_1", "logits_2", "logits_3", "logits_4", "best"], lines[0]
assert [int(line[0]) for line in lines[1:]] == list(range(10007))
assert np.array_equal(np.array([line[1:6] for line in lines[1:]], np.float32), logits)
assert np.array_equal(np.array([int(line[6]) for line in lines[1:]]), best)
END

# Values of `init_from` are those of the checkpoint.
sed 's/^train:.*/init_from: {checkpoint: run}/; /^eval:/d; /^checkpoint:/d' m.yaml > from.yaml
sed -i 's/batch: 16, shuffle: true/batch: 16/' from.yaml
"$DFRUN" predict from.yaml --feed batch=test --fetch logits --fetch best --out from.h5 > log 2>&1 || { cat log; fail "init_from"; }
grep -q "begin with the values of the checkpoint .*run/checkpoints/step-20" log || { cat log; fail "no word of init_from"; }
if grep -q "have their initial values" log; then cat log; fail "init_from is not told apart"; fi
same from.h5 "init_from"
"$DFRUN" predict from.yaml --feed batch=test --restore run --fetch logits --fetch best --out both.h5 \
  > log 2>&1 || { cat log; fail "init_from and --restore"; }
same both.h5 "--restore before init_from"

# One file for every number of ranks and size of batch.
for np in "${RANKS[@]}"; do
  for batch in 1 16 all; do
    for kind in h5 csv; do
      ranks $np "$DFRUN" predict m.yaml --restore run --fetch logits --fetch best --batch $batch --out p.$kind --force \
        > log 2>&1 || { cat log; fail "$np ranks, batches of $batch"; }
      same p.$kind "$np ranks, batches of $batch"
    done
  done
done
[ -z "$(ls ./*.partial* 2> /dev/null)" ] || fail "$(ls ./*.partial*) is left"

# Rows that depend on their batch are computed in batches of one size, which a line says.
"$DFRUN" predict m.yaml --restore run --fetch mixed --out mixed.h5 > log 2>&1 || { cat log; fail "mixed"; }
grep -qF '(op Mean) a row may depend on its batch' log || { cat log; fail "no word of the node that mixes"; }
grep -qF 'in batches of 16' log || { cat log; fail "no word of the fixed batch"; }
for np in "${RANKS[@]}"; do
  ranks $np "$DFRUN" predict m.yaml --restore run --fetch mixed --batch 1 --out again.h5 --force > log 2>&1 ||
    { cat log; fail "mixed on $np ranks"; }
  cmp mixed.h5 again.h5 || fail "mixed on $np ranks"
done

# Samples: an input, files by the keys of the one that is read, datasets; labels are not asked for.
predict --input new.h5 --out in.h5 > log 2>&1 || { cat log; fail "--input"; }
predict --feed batch/x=new.h5:/mine --out fed.h5 > log 2>&1 || { cat log; fail "--feed of a dataset"; }
predict --feed batch=batch --out own.h5 > log 2>&1 || { cat log; fail "--feed of an input"; }
/usr/bin/python3 - << 'END' || fail "samples"
import h5py
for name, rows in (("in.h5", 101), ("fed.h5", 33), ("own.h5", 64)):
    with h5py.File(name) as f:
        assert f["logits"].shape == (rows, 5), f["logits"].shape
END
sed 's|^graph:|  new: {hdf5: new.h5, tensors: {x: /train/x}, batch: 8}\ngraph:|' m.yaml > n.yaml
"$DFRUN" predict n.yaml --restore run --fetch logits --fetch best --feed batch=new --out new.out.h5 > log 2>&1 ||
  { cat log; fail "an input without labels"; }
cmp new.out.h5 in.h5 || fail "an input and --input differ"
labels=SparseSoftmaxCrossEntropyWithLogits
sed "s|^  best:|  losses: $labels(logits, batch/label)\n  best:|" n.yaml > l.yaml
expect 64 "'label'" "$DFRUN" predict l.yaml --restore run --fetch losses --feed batch=new --out no.h5
expect 66 "label" "$DFRUN" predict l.yaml --restore run --fetch losses --input new.h5 --out no.h5
expect 66 "none.h5" "$DFRUN" predict m.yaml --restore run --fetch logits --input none.h5 --out no.h5
expect 64 "is none of batch, test" "$DFRUN" predict m.yaml --restore run --fetch logits --feed batch=tst --out no.h5
expect 64 "is fed twice" "$DFRUN" predict m.yaml --restore run --fetch logits --feed batch=test --input d.h5 --out no.h5

# What has no row a sample is refused, and so is the name of a file that is not dfrun's.
expect 65 "--fetch loss: it has no row for each sample" "$DFRUN" predict m.yaml --restore run --fetch loss --out no.h5
expect 65 "no row" "$DFRUN" predict m.yaml --restore run --fetch gram --out no.h5
expect 64 'must end in .h5, .hdf5 or .csv' "$DFRUN" predict m.yaml --restore run --fetch logits --out no.txt
expect 64 'reads no input' "$DFRUN" predict m.yaml --restore run --fetch W --out no.h5
expect 64 '--batch 0' "$DFRUN" predict m.yaml --restore run --fetch logits --batch 0 --out no.h5
expect 64 'did you mean' "$DFRUN" predict m.yaml --restore run --fetch logit --out no.h5
echo mine > mine.csv
expect 64 'dfrun did not write' "$DFRUN" predict m.yaml --restore run --fetch logits --out mine.csv
[ "$(cat mine.csv)" = mine ] || fail "a file of others is gone"
[ ! -e no.h5 ] && [ ! -e no.h5.partial ] || fail "no.h5 is there"

# Columns of CSV, and the paths of files.
cat > csv.yaml << 'END'
dfrun: 1
inputs: {batch: {csv: old.csv, header: true, tensors: {x: {from: "0:2"}, y: ~}, batch: 4}}
graph:
  W: {op: Variable, shape: [2, 1], init: ones}
  out: MatMul(batch/x, W)
  loss: Mean(Square(out - ExpandDims(batch/y, 1)))
train: {loss: loss, learning_rate: 0, steps: 1}
END
"$DFRUN" predict csv.yaml --fetch out --input new.csv --out out.csv > log 2>&1 || { cat log; fail "csv"; }
[ "$(sed -n 1p out.csv) $(sed -n 3p out.csv)" = "row,out_0 1,1.1" ] || { head -n 3 out.csv; fail "the lines of out.csv"; }
[ "$(wc -l < out.csv)" = 54 ] || fail "out.csv has $(wc -l < out.csv) lines"
mkdir -p files
for i in 1 2 3; do head -c $i /dev/zero | tr '\0' - > files/$i.txt; done
cat > files.yaml << 'END'
dfrun: 1
inputs: {batch: {whole_file: "files/*.txt", batch: 2}}
graph: {length: StringLength(batch/contents)}
END
"$DFRUN" predict files.yaml --fetch length --out length.csv > log 2>&1 || { cat log; fail "files"; }
[ "$(tr '\n' ' ' < length.csv)" = "row,path,length 0,files/1.txt,1 1,files/2.txt,2 2,files/3.txt,3 " ] ||
  { cat length.csv; fail "the paths of files"; }

# Ragged lists, and rows of unknown size.
cat > lists.yaml << 'END'
dfrun: 1
inputs: {batch: {hdf5: new.h5, tensors: {ids: /lists}, batch: 3}}
graph:
  sum: Sum(batch/ids, 1)
  twice: batch/ids * 2
END
expect 65 '--pad' "$DFRUN" predict lists.yaml --fetch twice --out no.h5
for np in 1 2; do
  ranks $np "$DFRUN" predict lists.yaml --fetch twice --fetch sum --pad --out padded$np.h5 > log 2>&1 ||
    { cat log; fail "--pad on $np ranks"; }
done
cmp padded1.h5 padded2.h5 || fail "--pad differs by the ranks"
/usr/bin/python3 - << 'END' || fail "--pad"
import h5py
import numpy as np
with h5py.File("padded1.h5") as f:
    want = np.zeros((7, 7), np.int64)
    for i in range(7):
        want[i, : i + 1] = 2 * np.arange(i + 1)
    assert np.array_equal(f["twice"], want), f["twice"][:]
    assert np.array_equal(f["sum"], [i * (i + 1) // 2 for i in range(7)])
END
"$DFRUN" predict lists.yaml --fetch sum --feed batch/ids=new.h5:/lists --out sums.csv > log 2>&1 ||
  { cat log; fail "lists that are fed"; }
[ "$(sed -n 8p sums.csv)" = "6,21" ] || fail "sums of lists that are fed"

# Strings.
cat > names.yaml << 'END'
dfrun: 1
inputs: {data: {csv: new.csv, header: true, tensors: {name: {from: b, dtype: string}}, batch: 10}}
graph: {same: Identity(data/name)}
END
for kind in h5 csv; do
  "$DFRUN" predict names.yaml --fetch same --out same.$kind > log 2>&1 || { cat log; fail "strings to $kind"; }
done
/usr/bin/python3 -c 'import h5py; s = h5py.File("same.h5")["same"]; assert len(s) == 53 and s[1] == b"0.1", s[:3]' ||
  fail "strings"
echo "one file for ${RANKS[*]} ranks and all batches"
