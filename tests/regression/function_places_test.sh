#!/usr/bin/env bash
# Every error in the body of a function says which call brought it, once however many calls do.
set -euo pipefail
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > spec.yaml <<'END'
dfrun: 1
functions:
  f: {args: [x], returns: {y: "Reluu(x)"}}
  g: {args: [x], returns: {y: "f(x) + nope"}}
  parse: {args: [x], returns: {y: "MatMul(x, x"}}
  attr: {args: [x], returns: {y: "MatMul(x, x, transpose=true)"}}
  loop: {args: [x], returns: {y: {op: While, vars: {i: 0}, cond: "i < 3", body: {i: "i + 1.5"}}}}
graph:
  a: g(Const([1.0, 2.0]))
  b: g(Const([1.0, 2.0]))
  c: parse(Const([[1.0]]))
  d: attr(Const([[1.0]]))
  e: loop(Const(1.0))
run: {fetch: [a]}
END
call_of_f="in function 'f', called at spec.yaml:4:32; in function 'g', called at spec.yaml:9:6"
expect 65 "spec.yaml:3:32: unknown op 'Reluu', did you mean 'Relu'?; $call_of_f" "$DFRUN" check spec.yaml
for line in "4:39: unknown node 'nope'" "5:47: expected ',' or ')'" "6:48: unknown attr 'transpose'" "7:90: "; do
  grep "^spec.yaml:$line" "$WORK/out" | grep "; in function '.*', called at spec.yaml:" >/dev/null || {
    cat "$WORK/out" >&2
    fail "'$line' does not say the call"
  }
done
[ "$(grep -c Reluu "$WORK/out")" = 1 ] || fail 'an error is said for each call'

# So does an error that is found only when kernels are made.
cat > kernel.yaml <<'END'
dfrun: 1
functions:
  f: {args: [x], returns: {y: "StaticRegexReplace(x, pattern='(', rewrite='')"}}
  g: {args: [x], returns: {y: "f(x)"}}
graph:
  a: {op: Placeholder, dtype: string, shape: []}
  b: g(a)
run: {feed: {a: "'x'"}, fetch: [b]}
END
calls="in function 'f', called at kernel.yaml:4:32; in function 'g', called at kernel.yaml:7:6"
expect 65 "kernel.yaml:3:32: node 'b' (op StaticRegexReplace; $calls): the pattern '('" "$DFRUN" check kernel.yaml
