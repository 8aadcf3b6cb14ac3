#!/usr/bin/env bash
# `dfrun compare --graph`: the first node of two graphs that differs, in units of the last place.
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

for i in $(seq 0 15); do echo "0.$((i % 7)),0.$((i % 5)),$((i % 2))"; done > data.csv
cat > a.yaml <<'END'
dfrun: 1
name: a
inputs:
  batch: {csv: data.csv, tensors: {x: "0:2", y: 2}, batch: 8}
graph:
  w: {op: Variable, shape: [2, 4], init: "RandomStandardNormal([2, 4]) * 0.5"}
  b: {op: Variable, shape: [4], init: zeros}
  hidden: Tanh(MatMul(batch/x, w) + b)
  scaled: hidden * 3.0
  out: Mean(scaled)
END

expect 0 "the same within 0 ulps" "$DFRUN" compare --graph a.yaml a.yaml
# Other first values, of another seed, do not count: b gets those of a.
sed 's/\* 0.5/* 0.75/; s/name: a/name: b/' a.yaml > b.yaml
expect 0 "the same within 0 ulps" "$DFRUN" compare --graph a.yaml b.yaml

# A constant with one bit changed: 3 + 1 ulp. What comes before is the same.
sed 's/hidden \* 3.0/hidden * 3.0000002384185791/' b.yaml > changed.yaml
expect 1 "is the first that differs" "$DFRUN" compare --graph a.yaml changed.yaml
grep -qE "^a.yaml:9:[0-9]+: node 'scaled/y' \(op Const\) is the first" out || fail "the place is not told"
grep -qE "^  scaled/y +1  in 1 of 1 element$" out || fail "the constant is not 1 ulp apart"
grep -qE "^  scaled +[12]  \[" out || fail "scaled is not 1 or 2 ulps apart"
! grep -qE "^  hidden " out || fail "what is equal is in the table"
expect 0 "the same within 9 ulps" "$DFRUN" compare --graph a.yaml changed.yaml --ulps 9

# A graph in TensorFlow's format, with the inputs as placeholders, which get the first batch of the spec.
"$DFRUN" graph a.yaml --pb --portable --out a.pbtxt || fail "no export"
grep -q 'name: "batch/x"' a.pbtxt && ! grep -q SampleReader a.pbtxt || fail "the export is not what this test takes it for"
expect 0 "the same within 0 ulps" "$DFRUN" compare --graph a.yaml a.pbtxt
# The bytes of 3.0 become those of 3.5.
sed 's/tensor_content: "\\000\\000@@"/tensor_content: "\\000\\000`@"/' a.pbtxt > changed.pbtxt
! cmp -s a.pbtxt changed.pbtxt || fail "the export has no constant to change"
expect 1 "is the first that differs" "$DFRUN" compare --graph a.yaml changed.pbtxt

# Values for placeholders go to both.
cat > fed.yaml <<'END'
dfrun: 1
name: fed
graph:
  x: {op: Placeholder, dtype: float32, shape: [3]}
  y: x + 1.0
END
sed 's/1.0/2.0/' fed.yaml > fed2.yaml
expect 0 "the same within 0 ulps" "$DFRUN" compare --graph fed.yaml fed.yaml --feed 'x=[1, 2, 3]'
expect 1 "is the first that differs" "$DFRUN" compare --graph fed.yaml fed2.yaml --feed 'x=[1, 2, 3]'
sed 's/y: .*/y: Square(x)/' fed.yaml > unfed.yaml
expect 64 "no node in common that can be compared" "$DFRUN" compare --graph unfed.yaml unfed.yaml
expect 64 "is no spec; name the spec first" "$DFRUN" compare --graph a.pbtxt a.yaml
expect 64 "neither graph has 'z'" "$DFRUN" compare --graph fed.yaml fed2.yaml --feed 'z=1'

# Of loops and branches what comes out is compared.
cat > flow.yaml <<'END'
dfrun: 1
name: flow
graph:
  start: RandomUniform(shape=[3], dtype=float32, seed=7)
  is_large: Sum(start) > 1.5
  branch: Cond(is_large, start * 2.0, start * 3.0)
  end: branch + 1.0
END
expect 0 "the same within 0 ulps" "$DFRUN" compare --graph flow.yaml flow.yaml
sed 's/start \* 2.0/start * 2.5/; s/start \* 3.0/start * 3.5/' flow.yaml > flow2.yaml
expect 1 "is the first that differs" "$DFRUN" compare --graph flow.yaml flow2.yaml
echo "passed"
