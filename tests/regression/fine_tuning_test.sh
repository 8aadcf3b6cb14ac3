#!/usr/bin/env bash
# A net that was trained on the digits 0 to 4 learns 5 to 9: its last layer is new, all else is taken and frozen. What is
# frozen keeps its bits, averages of the normalisation are taken, and a step computes less.
#   fine_tuning_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

ln -s "$SOURCE/configs" configs
/usr/bin/python3 - <<'P'
import h5py
with h5py.File('configs/data/digits.h5') as digits, h5py.File('low.h5', 'w') as low, h5py.File('high.h5', 'w') as high:
    for part in ('train', 'test'):
        image, label = digits[part + '/image'][:], digits[part + '/label'][:]
        for file, chosen, first in ((low, label < 5, 0), (high, label >= 5, 5)):
            file[part + '/image'], file[part + '/label'] = image[chosen], label[chosen] - first
P
cat > low.yaml <<'Y'
dfrun: 1
seed: 7
include: [configs/lib/nn.yaml]
inputs:
  batch: {hdf5: low.h5, tensors: {image: /train/image, label: /train/label}, batch: 64, shuffle: true}
  test: {hdf5: low.h5, tensors: {image: /test/image, label: /test/label}, batch: all}
graph:
  h1: dense(batch/image, units=256, activation=Relu)
  norm: batch_norm(h1)
  h2: dense(norm, units=256, activation=Relu)
  logits: dense(h2, units=5)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
  accuracy: Mean(Cast(Equal(ArgMax(logits, 1), batch/label), DstT=float32))
train: {loss: loss, optimizer: momentum, learning_rate: 0.05, epochs: 10}
eval: {feed: {batch: test}, metrics: [accuracy]}
checkpoint: {every: 0}
Y
{
  sed -e 's/low.h5/high.h5/' -e 's|epochs: 10|epochs: 10, freeze: ["h[12]/*", norm/gamma, norm/beta]|' low.yaml
  echo 'init_from: {checkpoint: low, new: ["logits/*"]}'
} > high.yaml
sed '/^init_from/d' high.yaml > random.yaml
accuracy() {
  /usr/bin/python3 - "$1" <<'P'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1] + '/metrics.jsonl')]
print([line['eval/accuracy'] for line in lines if 'eval/accuracy' in line][-1])
P
}
least() { awk "BEGIN { exit !($1 >= $2) }" || fail "the accuracy of $3 is $1, not $2"; }
values() { dump "$1"/checkpoints/step-*/shard-*.h5; }

expect 0 "" "$DFRUN" low.yaml --output low
least "$(accuracy low)" 0.95 "the digits 0 to 4"
expect 0 "8 variables of 10 taken from the checkpoint" "$DFRUN" check high.yaml
if grep '^warning: ' out; then fail "a warning of a net that is tuned"; fi
grep -q 'frozen: 6 variables of ' out || { cat out; fail "nothing is frozen"; }
for line in 'h1/W +float32\[64,256\] +taken' 'norm/moving_variance +float32\[256\] +taken' 'logits/b +float32\[5\] +new'; do
  grep -qE "^  $line$" out || { cat out; fail "no line '$line'"; }
done
expect 0 "8 variables of 10 taken from the checkpoint" "$DFRUN" high.yaml --output high
least "$(accuracy high)" 0.9 "the digits 5 to 9"
values low > low.txt
values high > high.txt
for name in h1/W h1/b h2/W h2/b norm/gamma norm/beta; do
  [ "$(grep "^$name " low.txt)" = "$(grep "^$name " high.txt)" ] || fail "$name has moved"
  if grep -q "^$name/Momentum" high.txt; then fail "$name has a slot"; fi
done
for name in logits/W logits/b norm/moving_mean; do
  [ "$(grep "^$name " low.txt)" != "$(grep "^$name " high.txt)" ] || fail "$name has not moved"
done
# The averages begin where those of the first training ended, not at 0.
/usr/bin/python3 - <<'P'
import json
table = json.load(open('high/run.json'))['init_from']
assert len(table['variables']) == 10 and sum(row['is'] == 'taken' for row in table['variables']) == 8, table
P
expect 0 "the variables begin with the values of" "$DFRUN" eval high.yaml --fetch norm/moving_mean --out begin.h5
/usr/bin/python3 - <<'P'
import glob
import h5py
shard, = glob.glob('low/checkpoints/step-*/shard-0.h5')
with h5py.File('begin.h5') as begin, h5py.File(shard) as low:
    assert (begin['norm/moving_mean'][:] == low['norm/moving_mean:0'][:]).all()
P

# A step has no product for the gradients of what is frozen.
products() { "$DFRUN" graph "$1" --partitioned | grep -cE ' = (_Fused)?MatMul' || true; }
[ "$(products high.yaml)" -lt "$(products low.yaml)" ] || fail "$(products high.yaml) products, and $(products low.yaml) where all is trained"
speed() { grep -o '[0-9.e+]* steps/s' | tail -1 || true; }
"$DFRUN" low.yaml --output low.again 2>&1 | speed > whole
"$DFRUN" high.yaml --output high.again 2>&1 | speed > tuned
echo "a net is tuned: $(accuracy high) of the digits 5 to 9, $(cat tuned), where all is trained $(cat whole)"
