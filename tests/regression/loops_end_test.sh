#!/usr/bin/env bash
# A loop that cannot end is refused before the first step, `max_iterations` ends one with the values so far, and what a
# loop keeps for its gradient is bounded by the memory that the process may use.
#   loops_end_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# loop COND BODY [VARS]: a training through a loop.
loop() {
  cat > loop.yaml << END
dfrun: 1
graph:
  w: {op: Variable, shape: [4], init: ones}
  n: {op: Variable, shape: [], dtype: int32, init: 3, trainable: false}
  limit: {op: Const, value: 10}
  r:
    op: While
    vars: ${3:-{i: 0, k: 0, z: w + 0.0\}}
    cond: $1
    body: $2
  loss: Sum(r:2)
train: {loss: loss, learning_rate: 0.1, steps: 1}
END
}
endless() {
  loop "$@"
  expect 65 "the loop 'r' never ends" "$DFRUN" check loop.yaml
  grep -q 'loop.yaml:[0-9]*:[0-9]*: ' out || { cat out; fail "no place: $*"; }
  expect 65 "the loop 'r' never ends" "$DFRUN" loop.yaml --output never
}
may_end() {
  loop "$@"
  timeout 60 "$DFRUN" check loop.yaml > log 2>&1 || { cat log; fail "check: $*"; }
}

endless "i < 10" '{z: "Tanh(z) * 2.0"}'
grep -qF "what it reads ('i')" out || fail "no name: $(cat out)"
endless "true" '{z: Tanh(z)}'
endless "LogicalAnd(i < limit, k == 0)" '{z: Tanh(z)}'
endless "Cast(i, DstT=float32) * 2.0 < 1.5" '{i: i, z: Tanh(z)}'
endless "i < 10" '{i: i * 2, z: Tanh(z)}'
endless "i < 10" '{i: k, z: Tanh(z)}'
endless "i < 10" '{k: k + 1, z: "z * RandomUniform(shape=[4], dtype=float32)"}'
endless "i < 10" '{z: "Reshape(MatMul(Reshape(z, [2, 2]), Reshape(z, [2, 2])), [4]) / 2.0"}'

may_end "i < 10" '{i: i + 1, z: Tanh(z)}'
may_end "i < 0" '{z: Tanh(z)}'
may_end "i < n" '{z: Tanh(z)}'                                            # a variable
may_end "Sum(z) > 0.5" '{z: Tanh(z)}'
may_end "i < 10" '{i: k, k: k + 1, z: Tanh(z)}'                           # in the next turn but one
may_end "RandomUniform(shape=[], dtype=float32) < 0.5" '{z: Tanh(z)}'      # a draw
may_end "i < 10" '{z: "CheckNumerics(z * 2.0, message=large)"}'           # an op that ends the step
may_end "i < 10" '{k: k + 1, z: "z * Cast(FloorDiv(6, 3 - k), DstT=float32)"}'
may_end "i < 10" '{k: k + 1, z: "z * Cast(Pow(2, 3 - k), DstT=float32)"}'  # a negative power of an integer
may_end "i < 10" '{k: k + 1, z: "z * Cast(RandomUniformInt([4], 0, 3 - k), DstT=float32)"}'  # an empty range
may_end "i < 10" '{z: "Reshape(MatrixInverse(Reshape(z, [2, 2])), [4])"}'  # of a matrix that has no inverse
may_end "i < 10" '{i: "Cond(Sum(z) > 2.0, i, i + 1)", z: Tanh(z)}'

# A loop within a loop, and one that a condition keeps from running.
cat > nested.yaml << 'END'
dfrun: 1
functions:
  turn: {args: [i, x], graph: {q: "While(0, x, cond=below, body=stay)"}, returns: {i: i + 1, x: "q:1"}}
  below: {args: [j, x], returns: j < 5}
  stay: {args: [j, x], returns: {j: j, x: x * 0.5}}
graph:
  x: Fill([4], 1.0)
  y: While(0, x, cond=below, body=turn)
  z: Cond(false, While(0, x, cond=below, body=stay), [0, x])
run: {steps: 1, fetch: ["y:1"]}
END
expect 65 "never ends" "$DFRUN" check nested.yaml
sed -i "s/y:1/z:1/" nested.yaml
expect 0 ok "$DFRUN" check nested.yaml

# max_iterations: the values so far, as TensorFlow's while_loop gives them.
cat > most.yaml << 'END'
dfrun: 1
params: {most: 7}
graph:
  most: {op: Const, value: 3}
  x: Fill([2], 1.0)
  a: {op: While, vars: {i: 0, z: x}, cond: i < 100, body: {i: i + 1, z: z * 2.0}, max_iterations: "${most}"}
  b: {op: While, vars: {z: x}, cond: "true", body: {z: z * 2.0}, max_iterations: most}
  c: {op: While, vars: {i: 0, z: x}, cond: i < 2, body: {i: i + 1, z: z * 2.0}, max_iterations: 7}
  d: {op: While, vars: {z: x}, cond: "true", body: {z: z * 2.0}, max_iterations: 0}
run: {steps: 1, fetch: [a, "a:1", b, c, "c:1", d]}
END
"$DFRUN" most.yaml --output most > log 2>&1 || { cat log; fail "max_iterations"; }
/usr/bin/python3 - << 'END'
import h5py
with h5py.File("most/fetches.h5") as f:
    got = {name: f[name][()].reshape(-1).tolist() for name in f}
wanted = {"a": [7], "a:1": [128, 128], "b": [8, 8], "c": [2], "c:1": [4, 4], "d": [1, 1]}
assert got == wanted, got
END
expect 65 'max_iterations must be a number of at least 0' "$DFRUN" check most.yaml --set most=-1
# It trains through it: 3 turns, the derivative of 8 w.
loop "true" '{z: z * 2.0}'
sed -i 's/vars: .*/vars: {i: 0, k: 0, z: w + 0.0}\n    max_iterations: 3/' loop.yaml
"$DFRUN" loop.yaml --output bounded > log 2>&1 || { cat log; fail "a bounded loop"; }
grep -q '"loss": 32' bounded/metrics.jsonl || { cat bounded/metrics.jsonl; fail "the loss of a bounded loop"; }

# Memory: a loop that would keep 40 GB ends, and says where.
loop "i < 100000" '{i: i + 1, z: Tanh(z)}' '{i: 0, k: 0, z: "Fill([100000], 0.5) * Sum(w)"}'
least=262144
until (ulimit -v "$least" && exec "$DFRUN" info) > out 2>&1; do
  least=$((least + 131072))
  [ "$least" -lt 8000000 ] || fail "dfrun info takes more than 8 GB of address space"
done
export least DFRUN
expect 74 "of the loop 'r'" bash -c 'ulimit -v $((least + 1048576)) && exec "$DFRUN" loop.yaml --output memory --threads 1'
grep -q "turn [0-9]* of the loop 'r'.*for their gradients" out || { cat out; fail "no turn"; }
echo "loops end"
