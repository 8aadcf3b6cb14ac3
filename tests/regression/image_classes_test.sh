#!/usr/bin/env bash
# Labels of image folders mean the same classes wherever one input, or one run, takes the place of another.
#   image_classes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# image PATH: a grey PNG of 2 x 2 pixels.
image() {
  mkdir -p "$(dirname "$1")"
  base64 -d > "$1" <<< 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR4nGNgYGXg4gcAAD0AH7uTpQ4AAAAASUVORK5CYII='
}
for path in train/cat/1 train/cat/2 train/dog/1 train/hen/1 test/dog/1 test/hen/1 test/cat/1 less/dog/1 less/hen/1; do
  image "$path.png"
done

# spec NAME TRAIN TEST MORE...: trains on one input and evaluates another; further keys of both.
spec() {
  cat > "$1.yaml" <<END
dfrun: 1
inputs:
  data: {image: "$2", batch: all${4:-}}
  test: {image: "$3", batch: all${4:-}}
graph:
  x: Reshape(Cast(data/image, DstT=float32), [-1, 4])
  W: {op: Variable, shape: [4, 3], init: 0.1}
  logits: MatMul(x, W)
  seen: Identity(data/label)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, data/label))
train: {loss: loss, learning_rate: 0.0, steps: ${5:-2}}
eval: {feed: {data: test}, metrics: [loss]}
checkpoint: {every: 1}
END
}

# One folder by several spellings; two folders of one name are said.
for path in t/cat/0 t/dog/0; do image "$path.png"; cp "$path.png" "$path.jpg"; done
labels() { printf 'dfrun: 1\ninputs:\n  b: {image: %s, batch: all%s}\ngraph: {y: Identity(b/label)}\nrun: {fetch: [y]}\n' "$1" "${2:-}" > labels.yaml; }
labels '["t/*/*.png", "./t/*/*.jpg", "t/../t/dog/*.png"]'
expect 0 'y: int64[5] 0 1 0 1 1' "$DFRUN" eval labels.yaml
# Links to folders name what they lead to, and a link that is an image is one of its own folder.
ln -s t linked
ln -s ../dog/0.png t/cat/a-link.png
labels '["t/*/*.png", "linked/*/*.jpg"]'
expect 0 'y: int64[5] 0 0 1 0 1' "$DFRUN" eval labels.yaml
expect 0 'y: int64[5] 0 0 1 0 1' mpirun --oversubscribe -np 2 "$DFRUN" eval labels.yaml
rm t/cat/a-link.png
labels '["t/*/*.png", "train/cat/1.png"]'
expect 0 "the folders t/cat and train/cat are two classes" "$DFRUN" check labels.yaml
labels '["t/*/*.png", "train/cat/1.png"]' ', classes: [dog, bird, cat]'
expect 0 'y: int64[3] 2 0 2' "$DFRUN" eval labels.yaml
labels '"t/*/*.png"' ', classes: [cat, bird]'
expect 65 "labels.yaml:3:14: input 'b': the folder t/dog is none of 'classes' (cat, bird)" "$DFRUN" check labels.yaml
labels '"t/*/*.png"' ', classes: [cat, dog, cat]'
expect 65 "'classes' lists 'cat' twice" "$DFRUN" check labels.yaml

# Inputs in each other's place.
both="'test/label' numbers the classes [dog, hen], but 'data/label' [cat, dog, hen], other ones from number 0 on"
spec same 'train/*/*.png' 'test/*/*.png'
expect 0 "ok" "$DFRUN" check same.yaml
spec less 'train/*/*.png' 'less/*/*.png'
expect 65 "less.yaml:12:21: $both" "$DFRUN" check less.yaml
expect 65 "$both" "$DFRUN" less.yaml --output less.run
sed '/^eval/d' less.yaml > fed.yaml
expect 64 "--feed data=test: $both" "$DFRUN" eval fed.yaml --feed data=test --fetch loss
expect 64 "$both" "$DFRUN" eval fed.yaml --feed data/label=test/label --feed data/image=test/image --fetch loss
sed -e '/^train\|^eval\|^checkpoint/d' less.yaml > run.yaml
echo 'run: {feed: {data: test}, fetch: [loss]}' >> run.yaml
expect 65 "$both" "$DFRUN" check run.yaml
sed -i '$d' run.yaml
echo 'run: {feed: {data/label: test/label, data/image: test/image}, fetch: [loss]}' >> run.yaml
expect 65 "$both" "$DFRUN" check run.yaml
spec listed 'train/*/*.png' 'less/*/*.png' ', classes: [hen, dog, cat]'
expect 0 "ok" "$DFRUN" check listed.yaml
expect 0 'seen: int64[2] 1 0' "$DFRUN" eval listed.yaml --feed data=test --fetch seen

# A run goes on, and is evaluated, with the classes that it was trained on: the files are as many, and others.
"$DFRUN" same.yaml --output run > log 2>&1 || { cat log; fail "a run"; }
spec same 'train/*/*.png' 'test/*/*.png' '' 4
expect 0 "resuming at step 2" "$DFRUN" same.yaml --output run --resume
mv train/hen train/ant
mv test/hen test/ant
spec same 'train/*/*.png' 'test/*/*.png' '' 6
were="input 'data' numbers the classes [ant, cat, dog], and when the checkpoint run/checkpoints/step-4 was written [cat, dog, hen]"
expect 65 "$were" "$DFRUN" same.yaml --output run --resume
expect 65 "$were" "$DFRUN" eval same.yaml --restore run
expect 0 "logits: float32" "$DFRUN" eval same.yaml --restore run --fetch logits
mv train/ant train/hen
mv test/ant test/hen
spec same 'train/*/*.png' 'test/*/*.png' ', classes: [cat, dog, hen, ant]' 6
expect 0 "resuming at step 4" "$DFRUN" same.yaml --output run --resume
echo "labels mean the same classes wherever an input or a run takes the place of another"
