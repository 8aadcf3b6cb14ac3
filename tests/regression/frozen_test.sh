#!/usr/bin/env bash
# A graph with the weights of a checkpoint, for serving: it gives what `dfrun eval` gives of the spec and the
# checkpoint, and what TensorFlow reads out of it.
#   frozen_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cp -r "$SOURCE/tests/golden/runs/regularised/." .
cp -r "$SOURCE/configs/data" data
mkdir lib
cp "$SOURCE/configs/lib/nn.yaml" lib/nn.yaml
sed -i 's/, norm.training: false, drop.share: 0.0//' spec.yaml

"$DFRUN" graph spec.yaml --pb --portable --frozen --restore run --fetch logits --out logits.pb
"$DFRUN" graph spec.yaml --pb --portable --frozen --restore run --out all.pb
"$DFRUN" eval spec.yaml --restore run --fetch logits --out expected.h5 2> err || { cat err; fail "eval of the spec"; }
for graph in logits all; do
  "$DFRUN" eval $graph.pb --feed batch/image=data/digits.h5:/test/image --fetch logits --out $graph.h5 2> err ||
    { cat err; fail "eval of $graph.pb"; }
done
/usr/bin/python3 - "$SOURCE/tests/golden/frozen/logits.txt" << 'END' || fail "a frozen graph gives other values"
import h5py, numpy, sys
expected, logits, whole = (h5py.File(name + ".h5")["logits"][()] for name in ("expected", "logits", "all"))
# The spec is evaluated in batches of 100, the graph in one: kernels may order sums by the size of a product.
assert expected.shape == logits.shape and numpy.allclose(expected, logits, rtol=1e-5, atol=1e-5)
assert logits.tobytes() == whole.tobytes()
recorded = numpy.loadtxt(sys.argv[1], dtype=numpy.float32)
assert recorded.shape == (8, 10) and numpy.allclose(logits[:8], recorded, rtol=1e-5, atol=1e-5), logits[:8] - recorded
END
"$DFRUN" graph logits.pb > nodes
if grep -E 'Variable|Assign|Random|HDF5|/job:' nodes; then fail "the graph for serving has more than that"; fi
grep -q '^batch/image = Placeholder() {dtype=float32, shape=\[?,64\]' nodes || { cat nodes; fail "the input"; }
if grep -q '^batch/label' nodes; then fail "the labels are not needed"; fi
grep -q '^accuracy = ' <("$DFRUN" graph all.pb) || fail "the whole graph has the metric"
"$DFRUN" graph spec.yaml --pb --portable --frozen --restore run/checkpoints/step-20 --fetch logits --out again.pb
cmp logits.pb again.pb || fail "equal checkpoints give equal bytes"

# A graph that writes variables leaves those nodes out.
cat > counts.yaml << 'END'
dfrun: 1
graph:
  W: {op: Variable, shape: [2], init: ones}
  calls: {op: Variable, shape: [], init: 0}
  count: AssignAdd(calls, 1.0)
  x: {op: Placeholder, dtype: float32, shape: [2]}
  y: {op: Mul, inputs: [x, W], control: [^count]}
run: {fetch: [y], feed: {x: 3}, steps: 2}
checkpoint: {}
END
"$DFRUN" counts.yaml --output counts.run > log 2>&1 || { cat log; fail "counts.yaml"; }
expect 0 "left out, since variables are constants now: count" \
  "$DFRUN" graph counts.yaml --pb --frozen --restore counts.run --out counts.pb --fetch y
expect 0 "y: float32[2] 3 3" "$DFRUN" eval counts.pb --feed "x=[3, 3]" --fetch y
expect 64 "--frozen --fetch count: this writes a variable" \
  "$DFRUN" graph counts.yaml --pb --frozen --restore counts.run --out counts2.pb --fetch count
expect 64 "--fetch z: " "$DFRUN" graph counts.yaml --pb --frozen --restore counts.run --out counts2.pb --fetch z
expect 66 "--restore nowhere" "$DFRUN" graph counts.yaml --pb --frozen --restore nowhere --out counts2.pb
expect 65 "--restore counts.yaml: this is " \
  "$DFRUN" graph counts.yaml --pb --frozen --restore counts.yaml --out counts2.pb
expect 65 "has no variable 'conv/W'" \
  "$DFRUN" graph spec.yaml --pb --portable --frozen --restore counts.run --out counts2.pb
expect 64 "--portable" "$DFRUN" graph spec.yaml --pb --frozen --restore run --out portable.pb --fetch batch/image
expect 64 "--restore" "$DFRUN" graph spec.yaml --pb --frozen --out counts2.pb
[ ! -e counts2.pb ] || fail "a refused export leaves no file"
echo "a frozen graph gives what its checkpoint gives"
