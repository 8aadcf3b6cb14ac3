#!/usr/bin/env bash
# A number that a dtype would hold as infinite, or as 0 where it is none, is refused wherever a spec or an option writes
# it, with what to write; `inf`, the dtype's own ends, and numbers that only lose bits are taken. So is a rate that is
# none.
#   literals_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# said TEXT...: each is in the output of the last command.
said() {
  local text
  for text in "$@"; do grep -qF -- "$text" out || { cat out >&2; fail "'$text' is not said"; }; done
}

cat > refused.yaml <<'Y'
dfrun: 1
params: {big: -1e9}
graph:
  x: {op: Const, value: [1.0, 2.0, 3.0], dtype: float16}
  masked: x + x * ${big}
  listed: x + [1.0, 70000, 1.0]
  small: x / 1e-8
  c32: {op: Const, value: 1e39, dtype: float32}
  b16: {op: Const, value: [1.0, 3.4e38], dtype: bfloat16}
  c64: {op: Const, value: -1e39, dtype: complex64}
  natural: Sqrt(1e39)
  tiny: {op: Const, value: 1e-46, dtype: float32}
  W: {op: Variable, shape: [2], dtype: float16, init: 1e5}
  V: {op: Variable, shape: [2], dtype: float16, init: "RandomUniform(minval=0, maxval=1e5)"}
  attr: LeakyRelu(x, alpha=1e39)
  attrs: {op: LeakyRelu, inputs: [x], alpha: 1e-50}
  fed: {op: Placeholder, dtype: float16, shape: []}
run: {steps: 1, feed: {fed: 1e6}, fetch: [masked, fed]}
Y
expect 65 "refused.yaml:5:" "$DFRUN" check refused.yaml
said "'-1e9' is no float16: its lowest number is -65504: write that, -inf, or take a wider dtype" \
  "refused.yaml:6:15: input" "'70000' is no float16: its greatest number is 65504: write that, inf, or take a wider dtype" \
  "'1e-8' is no float16: it would be 0, and the smallest number above 0 is 5.9604645e-08: write 0, or take a wider" \
  "'1e39' is no float32: its greatest number is 3.4028235e+38" \
  "'3.4e38' is no bfloat16: its greatest number is 3.3895314e+38" \
  "'-1e39' is no complex64: its lowest number is -3.4028235e+38" \
  "'1e-46' is no float32: it would be 0, and the smallest number above 0 is 1e-45" \
  "refused.yaml:11:17: " "refused.yaml:13:" "refused.yaml:14:" "'alpha': '1e39' is no float32" "'alpha': '1e-50' is no float32" \
  "refused.yaml:18:"

cat > taken.yaml <<'Y'
dfrun: 1
graph:
  x: {op: Const, value: [1.0, 2.0, 3.0], dtype: float16}
  ends: {op: Const, value: [65504, -65504, 65519, 5.9604645e-08, 1e-7, -inf, inf, nan, 0, -0.0], dtype: float16}
  ends32: {op: Const, value: [3.4028235e+38, -3.4028235e+38, 1.4e-45, -inf], dtype: float32}
  ends16: {op: Const, value: [3.3895314e+38, -3.3895314e+38, 1e-40], dtype: bfloat16}
  ends64: {op: Const, value: [1e300, 1e-300], dtype: float64}
  fraction: x / 3
  masked: x + -inf
  fed: {op: Placeholder, dtype: float16, shape: []}
run: {steps: 1, feed: {fed: -inf}, fetch: [ends, ends32, ends16, ends64, fraction, masked, fed]}
Y
expect 0 "ok" "$DFRUN" check taken.yaml
expect 0 "step 1/1" "$DFRUN" taken.yaml --output taken
expect 64 "is no float16: its greatest number is 65504: write that, inf, or take a wider dtype" \
  "$DFRUN" eval taken.yaml --fetch fed --feed fed=70000
expect 64 "is no float16: it would be 0" "$DFRUN" eval taken.yaml --fetch fed --feed fed=1e-9
expect 0 "inf" "$DFRUN" eval taken.yaml --fetch fed --feed fed=-inf

# In files: what a `dtype` makes infinite. Bits alone are lost in silence; the default of a tensor is a literal.
/usr/bin/python3 - <<'P'
import h5py
with h5py.File("d.h5", "w") as f:
    f["large"] = [1.0, 1e300]
    f["small"] = [1.0, 1e-300]
P
input() { printf 'dfrun: 1\ninputs:\n  d: {%s, batch: 2}\ngraph: {y: Identity(d/x)}\nrun: {steps: 1, fetch: [y]}\n' "$1"; }
input 'hdf5: d.h5, tensors: {x: {from: /large, dtype: float32}}' > large.yaml
expect 66 "sample 1 of '/large': 1e+300 is no float32" "$DFRUN" large.yaml --output large
input 'hdf5: d.h5, tensors: {x: {from: /small, dtype: float32}}' > small.yaml
expect 0 "step 1/1" "$DFRUN" small.yaml --output small
printf '1\n\n' > d.csv
input 'csv: d.csv, tensors: {x: {from: 0, dtype: float32, default: 1e-60}}' > default.yaml
expect 65 "the default of '0': '1e-60' would be 0 in float32: write 0, or give the tensor another dtype" \
  "$DFRUN" check default.yaml

# Rates.
rate() { printf 'dfrun: 1\ngraph:\n  W: {op: Variable, shape: [], dtype: float64, init: ones}\n  loss: Square(W)\ntrain: {loss: loss, steps: 200, learning_rate: %s}\n' "$1" > rate.yaml; }
rate 1e39
expect 65 "rate.yaml:5:48: 'learning_rate' is a learning rate of 1e+39, which is beyond float32" "$DFRUN" check rate.yaml
rate '{schedule: piecewise, boundaries: [5], values: [0.1, -1e39]}'
expect 65 "a value is a learning rate of -1e+39, which is beyond float32" "$DFRUN" check rate.yaml
rate '{schedule: cosine, initial: 0.1, final: 1e39, steps: 5}'
expect 65 "'final' is a learning rate of 1e+39, which is beyond float32" "$DFRUN" check rate.yaml
rate '{schedule: exponential, initial: 0.1, steps: 5, factor: -0.5}'
expect 65 "the 'factor' of an exponential schedule is at least 0, not -0.5" "$DFRUN" check rate.yaml
for kind in exponential step; do
  rate "{schedule: $kind, initial: 0.1, steps: 5, factor: 100}"
  expect 65 "'learning_rate' is " "$DFRUN" check rate.yaml
  said "in the last of 200 steps, which is beyond float32: a 'factor' above 1 makes it grow"
  rate "{schedule: $kind, initial: 0.1, steps: 5, factor: 0}"
  expect 0 "ok" "$DFRUN" check rate.yaml
done
rate '{schedule: step, initial: 0.1, steps: 5, factor: -0.5}'
expect 0 "ok" "$DFRUN" check rate.yaml
rate '{schedule: exponential, initial: 0.1, steps: 200, factor: 10, warmup: 3}'
expect 0 "ok" "$DFRUN" check rate.yaml
echo "numbers that a dtype cannot hold are refused"
