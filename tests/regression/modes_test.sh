#!/usr/bin/env bash
# A net with dropout and batch normalisation is trained in one mode and measured in the other: on any number of ranks,
# by the job and by `dfrun eval`, with the bits that its layers gave when they were fed by hand. --training asks for
# the other form.
#   modes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cp -r "$SOURCE/configs/data" data
mkdir lib
cp "$SOURCE/tests/golden/runs/lib/nn.yaml" lib/before.yaml  # of a version without modes
cp "$SOURCE/configs/lib/nn.yaml" lib/nn.yaml
# spec FILE LIBRARY FEEDS
spec() {
  sed -e "s,lib/nn.yaml,lib/$2," -e "s/, norm.training: false, drop.share: 0.0/${3//\//\\/}/" \
    -e 's/steps: 40}$/steps: 20}/' "$SOURCE/tests/golden/runs/regularised/spec.yaml" > "$1"
  grep -q "feed: {batch: test$3}" "$1" || fail "the feeds of $1"
}
fed=", norm/training: false, drop/share: 0.0"
spec before.yaml before.yaml "$fed"
spec fed.yaml nn.yaml "$fed"
spec modes.yaml nn.yaml ""
# arrays RUN: the names and bytes of all that the last checkpoint has, but for positions of random nodes in evaluations
arrays() {
  dump "$1"/checkpoints/step-20/shard-*.h5 | grep -v '^eval' | sort
}

for name in before fed modes; do
  ranks 2 "$DFRUN" $name.yaml --output $name.run > $name.log 2>&1 || { cat $name.log; fail "$name"; }
done
metric_lines before.run > wanted
arrays before.run > wanted.arrays
grep -q norm/moving_mean wanted.arrays || fail "the checkpoint has no averages"
for name in fed modes; do
  metric_lines $name.run | cmp - wanted || fail "$name gives other metrics than layers that are fed"
  arrays $name.run | cmp - wanted.arrays || fail "$name leaves other variables than layers that are fed"
done
grep -q "fed.yaml:.*: 'drop/share' is fed, a constant that \`training\` decides" fed.log || fail "the line on a feed"
if grep -q "is fed\|the evaluation" modes.log; then cat modes.log; fail "modes.yaml needs no line"; fi

for np in 1 4; do
  ranks $np "$DFRUN" modes.yaml --output modes$np.run > log 2>&1 || { cat log; fail "$np ranks"; }
  metric_lines modes$np.run | cmp - wanted || fail "$np ranks give other metrics"
  arrays modes$np.run | cmp - wanted.arrays || fail "$np ranks leave other variables"
done

# The evaluation of the job, and dfrun eval.
accuracy=$(grep -o '"eval/accuracy": [^,}]*' modes.run/metrics.jsonl | tail -1 | sed 's/.*: //')
for name in before fed modes; do
  "$DFRUN" eval $name.yaml --restore modes.run --out $name.h5 2> err || { cat err; fail "eval of $name"; }
done
/usr/bin/python3 - "$accuracy" << 'END' || fail "dfrun eval gives another accuracy"
import h5py, numpy, sys
values = [h5py.File(name + ".h5")["accuracy"][()] for name in ("before", "fed", "modes")]
assert all(v.tobytes() == values[0].tobytes() for v in values), values
assert numpy.float32(sys.argv[1]) == values[0], (sys.argv[1], values)
END
# The answers do not depend on the batch.
for batch in 16 100; do
  sed "s,batch: 100},batch: $batch}," modes.yaml > batch.yaml
  "$DFRUN" eval batch.yaml --restore modes.run --fetch logits --out logits$batch.h5 2> err ||
    { cat err; fail "logits"; }
done
/usr/bin/python3 - << 'END' || fail "logits depend on the batch"
import h5py, numpy
a, b = (h5py.File(f"logits{batch}.h5")["logits"][()] for batch in (16, 100))
assert a.shape == b.shape and numpy.allclose(a, b, rtol=1e-5, atol=1e-6), abs(a - b).max()
END

# The other form.
"$DFRUN" eval modes.yaml --restore modes.run --training > out 2>&1 || { cat out; fail "eval --training"; }
if grep -q "accuracy: float32\[\] $accuracy\$" out; then fail "--training measures as without it"; fi
"$DFRUN" graph modes.yaml > evaluation.txt
"$DFRUN" graph modes.yaml --training > training.txt
grep -q '^drop = Identity(' evaluation.txt || fail "the graph for evaluation drops"
grep -q '^drop = RealDiv(' training.txt || fail "the graph for training does not drop"
if grep -q AssignSub evaluation.txt; then fail "the graph for evaluation assigns"; fi
expect 64 "--training is for the model of a spec" "$DFRUN" eval "$SOURCE/tests/golden/frozen/none.pb" --training

# A feed of a constant of the mode decides in its layer alone.
"$DFRUN" eval modes.yaml --restore modes.run --feed norm/training=true > out 2>&1 || { cat out; fail "norm/training"; }
grep -q "command line: 'norm/training' is fed" out || { cat out; fail "the line on --feed"; }
if grep -q "accuracy: float32\[\] $accuracy\$" out; then fail "the feed of norm/training does nothing"; fi
"$DFRUN" eval modes.yaml --restore modes.run --feed drop/share=0.0 --feed norm/training=false > out 2>&1 || fail "both"
grep -q "accuracy: float32\[\] $accuracy\$" out || { cat out; fail "the feeds of evaluation give another accuracy"; }

# `check` finds errors in both forms.
# lost CONDITION: a spec whose node `found` reads one that is there on this condition.
lost() {
  sed "s/^  logits:/  lost: {op: Neg, inputs: [drop], if: $1}\n  found: Neg(lost)\n  logits:/" modes.yaml > bad.yaml
}
lost "LogicalNot(training)"
expect 65 "bad.yaml:16:14: 'lost' is not there in training" "$DFRUN" check bad.yaml
lost training
expect 65 "bad.yaml:16:14: 'lost' is not there outside of training" "$DFRUN" check bad.yaml
expect 0 "modes.yaml: ok, " "$DFRUN" check modes.yaml --ranks 2
grep -q " in training, [0-9]* elsewhere" out || fail "check does not name both forms"

# A run of a version without modes goes on to its numbers, and a line says what is measured otherwise.
golden="$SOURCE/tests/golden/runs/regularised"
for feeds in "$fed" ""; do
  rm -rf old.run
  cp -r "$golden/run" old.run
  sed "s/, norm.training: false, drop.share: 0.0/${feeds//\//\\/}/" "$golden/spec.yaml" > old.yaml
  ranks 2 "$DFRUN" old.yaml --output old.run --resume > log 2>&1 || { cat log; fail "a run of before"; }
  metric_lines old.run | tail -1 | grep -qF '"eval/accuracy": 0.41944444}' || { cat log; fail "its accuracy"; }
  says=$(grep -c "layers such as dropout and batch_norm are built for evaluation where nothing is trained" log || true)
  [ "$says" = $([ -n "$feeds" ] && echo 0 || echo 1) ] || { cat log; fail "the line on what is measured"; }
done
rm -rf old.run
# Layers that know of no modes are warned of.
sed 's/, norm.training: false, drop.share: 0.0//' before.yaml > unfed.yaml
"$DFRUN" unfed.yaml --output old.run --set steps=10 > log 2>&1 || { cat log; fail "layers that nobody feeds"; }
advice="give the node that does so \`if: training\`, or write \`eval: {feed: {norm/training: false}}\`"
grep -q "warning: .*unfed.yaml:[0-9].*$advice" log ||
  { cat log; fail "what the warning says of modes"; }
echo "training and evaluation have their own form of the layers"
