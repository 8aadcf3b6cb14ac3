#!/usr/bin/env bash
# A text that ${} puts into an expression, and that holds a binary operator, counts as one operand, with one warning where
# that gives another value. Every other text stands as it is written.
#   put_in_texts_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# gives EXPRESSION PARAMS WANTED WARNINGS: with x = 2, y = 3 and z = 5, and the function f(v; k) = v * ${k}.
gives() {
  local seen warnings
  cat > spec.yaml <<Y
dfrun: 1
params: {$2}
functions:
  f: {args: [v], attrs: {k: 1}, returns: {y: "v * \${k}"}}
  g: {args: [v], attrs: {k: 1}, returns: {y: "f(v, k=\${k})"}}
graph:
  x: {op: Const, value: 2.0, dtype: float32}
  y: {op: Const, value: 3.0, dtype: float32}
  z: {op: Const, value: 5.0, dtype: float32}
  out: $1
run: {steps: 1, fetch: [out]}
Y
  rm -rf run
  timeout 60 "$DFRUN" spec.yaml --output run > out 2>&1 || { cat out >&2; fail "$1 with $2"; }
  seen=$(h5dump -d /out -A 0 run/fetches.h5 | sed -n 's/^ *(0): //p')
  [ "$seen" = "$3" ] || { cat out >&2; fail "$1 with $2 is $seen, not $3"; }
  warnings=$(grep -c 'counts as one operand' out) || true
  [ "$warnings" = "$4" ] || { cat out >&2; fail "$1 with $2 gives $warnings warnings, not $4"; }
}

gives 'x * ${k}' 'k: "1 + 2"' 6 0           # numbers are worked out
gives 'x * ${k}' 'k: y + z' 16 1
grep -qF "warning: spec.yaml:10:12: 'y + z', which is put in here, counts as one operand: 'x * (y + z)', not 'x * y + z'" out ||
  { cat out; fail "the warning has no line"; }
timeout 60 "$DFRUN" check spec.yaml > out 2>&1
[ "$(grep -c 'spec.yaml:10:12: .*counts as one operand' out)" = 1 ] || { cat out; fail "check does not warn once"; }
gives 'x * (${k})' 'k: y + z' 16 0
gives 'x * ${k}' 'k: (y + z)' 16 0
gives 'x + ${k}' 'k: y * z' 17 0            # the same value either way
gives '${k} * x' 'k: y + z' 16 1
gives '-${k}' 'k: y + z' -8 1
gives 'z - ${k}' 'k: y - x' 4 1
gives '${k}' 'k: y + z' 8 0
gives 'Maximum(${k}, x)' 'k: y + z' 8 0
gives '${a} * ${b}' 'a: x + y, b: y + z' 40 1
gives 'x + ${b}' 'a: y + z, b: "${a} * y"' 26 1   # within another param
gives "f(x, k='v + v')" 'k: 1' 8 1           # the attr of a function
gives "f(x, k='1 + 2')" 'k: 1' 6 1
gives "g(x, k='v + v')" 'k: 1' 8 1
gives 'x * ${k}' 'k: -y' -6 0               # one operand as it is
gives 'x * ${k}' 'k: Neg(y + z)' -16 0
# What is no operand of its own stands as it is written.
gives "Cast(StringLength('\${t}'), DstT=float32)" 'k: y - z, t: "x - ${k}"' 9 0  # a text that is none of an expression
gives 'x ${k}' 'k: "* y + z"' 11 0
gives 'Add(${k})' 'k: "x * y, z + y"' 14 0
gives "Cast(StringLength('\${k}'), DstT=float32)" 'k: y + z' 5 0
gives 'Cast(StringLength("a ${k} b"), DstT=float32) * x' 'k: y + z' 18 0
gives 'Identity(${k}x)' 'k: "y + "' 5 0
echo "texts that are put in count as one operand"
