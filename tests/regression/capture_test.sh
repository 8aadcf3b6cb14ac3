#!/usr/bin/env bash
# The capture of the node that made a value which is not finite: what is in it, and that it runs again alone.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# A sample whose x is 0 is in the third batch, whose logarithm is -inf; of 2 replicas it is the second one's.
for i in $(seq 0 31); do
  x=0.$((i % 7 + 1)) && [ "$i" = 22 ] && x=0
  echo "$x,0.$((i % 5))"
done > data.csv
cat > log.yaml <<'END'
dfrun: 1
name: log
params: {on_nan: stop}
inputs:
  batch: {csv: data.csv, tensors: {x: 0, y: 1}, batch: 8}
graph:
  w: {op: Variable, shape: [], init: ones}
  below: Log(batch/x)
  loss: Mean(Square(below * w - batch/y))
train: {loss: loss, learning_rate: 0.0001, steps: 12, log_every: 7, replicas: 2, on_nan: "${on_nan}"}
END

# look FILE: the capture is that of the logarithm in step 3, and its values are numpy's.
look() {
  /usr/bin/python3 - "$1" "$2" <<'END'
import sys
import h5py, numpy
path, rank = sys.argv[1:]
with h5py.File(path) as f:
    text = lambda name: f[name].asstr()[()]
    assert text('node') == 'replica_1/below', text('node')
    assert 'op: "Log"' in text('graph') and 'op: "Placeholder"' in text('graph'), text('graph')
    assert f['step'][()] == 3 and f['rank'][()] == int(rank), (f['step'][()], f['rank'][()])
    assert text('device').startswith('/job:worker/task:' + rank + '/'), text('device')
    x = numpy.loadtxt('data.csv', delimiter=',', dtype=numpy.float32)[20:24, 0]
    assert numpy.array_equal(f['inputs/0'][()], x), f['inputs/0'][()]
    with numpy.errstate(divide='ignore'):
        expected = numpy.log(x)
    assert numpy.allclose(f['outputs/0'][()], expected, rtol=1e-6), f['outputs/0'][()]
    assert 'made -inf' in text('found'), text('found')
END
}

for n in 1 2; do
  rank=$((n - 1))
  expect 71 "step 3: the loss is inf" mpirun --oversubscribe -np $n "$DFRUN" log.yaml --output stop$n
  grep -qF "first, node 'replica_1/below' (op Log)" out || fail "the node is not named"
  grep -qF "dfrun replay stop$n/capture/node.h5" out || fail "it is not said where the capture is"
  look stop$n/capture/node.h5 $rank
  [ "$(find stop$n/capture -mindepth 1)" = stop$n/capture/node.h5 ] || fail "something else is in the folder"
  expect 0 "output 0: float32[4], 0 nan, 1 inf, from " "$DFRUN" replay stop$n/capture/node.h5
  grep -qF ": the captured bits" out || fail "nothing is said of the bits"
  grep -qF "input 0: float32[4], 0 nan, 0 inf, from 0 to " out || fail "nothing is said of the input"
done
/usr/bin/python3 -c "
import h5py
with h5py.File('stop1/capture/node.h5') as a, h5py.File('stop2/capture/node.h5') as b:
    for name in 'inputs/0', 'outputs/0': assert a[name][()].tobytes() == b[name][()].tobytes(), name
" || fail "the values depend on the ranks"

# Where steps are left out, the one that would be next when the job gives up is captured.
sed 's/batch: 8/batch: all/; s/steps: 12/steps: 3/' log.yaml > all.yaml
expect 71 "the last 3 steps" "$DFRUN" all.yaml --set on_nan=skip --output skip
expect 0 "the captured bits" "$DFRUN" replay skip/capture/node.h5

# Another input makes other bits; a file that is none is refused; a capture stays until another replaces it.
cp stop1/capture/node.h5 edited.h5
/usr/bin/python3 -c "
import h5py
with h5py.File('edited.h5', 'r+') as f: f['inputs/0'][2] = 0.5"
expect 1 "output 0: float32[4], 0 nan, 0 inf, from " "$DFRUN" replay edited.h5
grep -qF "not the captured bits, in 1 of 4 elements" out || fail "the difference is not told"
expect 65 "is no capture of a node" "$DFRUN" replay data.csv
expect 66 "none.h5" "$DFRUN" replay none.h5
expect 64 "there is no device of type 'abacus' here" "$DFRUN" replay stop1/capture/node.h5 --device abacus

# A random node has its position: its numbers are those of its step. The largest float16 is 65504.
cat > random.yaml <<'END'
dfrun: 1
name: random
graph:
  w: {op: Variable, shape: [], init: ones}
  noise: RandomGamma([8], Cast(64992.0, DstT=float16), seed=5)
  loss: Sum(w * Cast(noise, DstT=float32))
train: {loss: loss, learning_rate: 0.0, steps: 200, log_every: 1000}
END
expect 71 "first, node 'noise' (op RandomGamma)" "$DFRUN" random.yaml --output random
/usr/bin/python3 -c "
import h5py
with h5py.File('random/capture/node.h5') as f:
    assert f['step'][()] > 1 and f['position'][()] > 0, (f['step'][()], f['position'][()])"
expect 0 "the captured bits" "$DFRUN" replay random/capture/node.h5
cp random/capture/node.h5 first.h5
/usr/bin/python3 -c "
import h5py
with h5py.File('first.h5', 'r+') as f: f['position'][()] = 0"
expect 1 "not the captured bits" "$DFRUN" replay first.h5

# A full disk: the message and the code are the same, and there is no capture.
if mkdir -p small && mount -t tmpfs -o size=1m tmpfs small 2> /dev/null; then
  trap 'umount "$WORK/small"; rm -rf "$WORK"' EXIT
  cat > large.yaml <<'END'
dfrun: 1
name: large
graph:
  w: {op: Variable, shape: [1000, 1000], init: zeros}
  below: Log(w)
  loss: Sum(below)
train: {loss: loss, learning_rate: 0.1, steps: 2}
END
  expect 71 "step 1: the loss is -inf; first, node 'below' (op Log)" "$DFRUN" large.yaml --output small/run
  grep -qF "warning: the node that made it is not captured: " out || fail "nothing is said of the full disk"
  [ -z "$(find small/run/capture -type f)" ] || fail "half a capture was left behind"
fi
echo "passed"
