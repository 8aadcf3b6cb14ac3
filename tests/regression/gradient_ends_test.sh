#!/usr/bin/env bash
# Where the gradients of a loss end: without a word where a derivative is zero almost everywhere, by one line where a
# value goes through state or a draw, by an error with the path where an op lacks its gradient. A trained variable that
# no gradient reaches is named.
#   gradient_ends_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# spec LINE...: a training whose graph has W, a scalar, V, a vector, and these lines.
spec() {
  {
    cat << 'END'
dfrun: 1
graph:
  W: {op: Variable, shape: [], init: 0.5}
  V: {op: Variable, shape: [3], init: 0.75}
  S: {op: Variable, shape: [], init: 0.0, trainable: false}
  both: W + Sum(V)
END
    printf '  %s\n' "$@"
    echo "train: {loss: loss, learning_rate: 0.125, steps: 1, log_every: 1}"
    echo "checkpoint: {every: 1}"
  } > a.yaml
}
# refused TEXT LINE...: where @ stands for W, and not where it stands for StopGradient(W).
refused() {
  spec "${@:2}"
  sed 's/@/W/' a.yaml > with.yaml
  expect 65 "$1" "$DFRUN" check with.yaml
  grep -qE "'W' -> .*'loss'; StopGradient ends a path that is not meant" out || { cat out; fail "no path: $2"; }
  sed 's/@/StopGradient(W)/' a.yaml > without.yaml
  expect 0 ": ok," "$DFRUN" check without.yaml
}
warned() {
  spec "${@:2}"
  expect 0 ": ok," "$DFRUN" check a.yaml
  [ "$(grep -c '^warning: ' out)" = 1 ] || { cat out; fail "not one warning: $2"; }
  grep -qF "$1" out || { cat out; fail "'$1' is not in the warning of: $2"; }
  grep -qE '^warning: a.yaml:[0-9]+:[0-9]+: train.loss ' out || { cat out; fail "no place: $2"; }
}
silent() {
  spec "$@"
  expect 0 ": ok," "$DFRUN" check a.yaml
  if grep '^warning: ' out; then fail "warned of: $1"; fi
}

# Zero almost everywhere, or said to be meant.
silent "loss: both + Floor(W) + Sign(W) + Rint(W) + Round(W) + Ceil(W)"
silent "loss: both + Cast(Greater(W, 0.25), DstT=float32) + Cast(ArgMax(V, 0), DstT=float32)"
silent "loss: both + FloorDiv(W, 2.0) + TruncateDiv(W, 2.0) + Cast(Cast(W, DstT=int32), DstT=float32)"
silent "loss: both + StopGradient(W)"

# No gradient where there is a derivative.
refused "op Bincount has no gradient" "w: Reshape(@, [1])" "b: Bincount([1], 3, w)" "loss: both + Sum(b)"
refused "op Unique has no gradient" "w: Reshape(@, [1])" "u: Unique(w)" "loss: both + Sum(u)"
refused "op Bitcast has no gradient" "c: Bitcast(@, type=float32)" "loss: both + c"
refused "for its input 'a'" "c: Betainc(@, 2.0, 0.5)" "loss: both + c"
refused "for its input 'b'" "c: Betainc(2.0, @, 0.5)" "loss: both + c"
refused "for its input 'x'" "c: Zeta(@ + 2.0, 1.0)" "loss: both + c"
refused "for its input 'a'" "c: Polygamma(@, 1.0)" "loss: both + c"
refused "RandomShuffle" "w: Reshape(@, [1])" "c: RandomShuffle(w)" "loss: both + Sum(c)"
refused "op ListDiff has no gradient" "w: Reshape(@, [1])" "c: ListDiff(w, [2.0])" "loss: both + Sum(c)"
silent "c: Betainc(1.5, 2.0, W)" "d: Zeta(2.5, W)" "loss: both + c + d"
silent "c: 'ListDiff([2.0, 3.0], V)'" "loss: both + Sum(c)"

# State and draws.
warned "'up' (Assign)" "up: Assign(S, W * 2.0)" "loss: {op: Add, inputs: [both, S], control: [^up]}"
warned "'up' (AssignAdd)" "up: AssignAdd(S, W * 2.0)" "loss: both + up"
silent "up: Assign(S, StopGradient(W))" "loss: {op: Add, inputs: [both, S], control: [^up]}"
silent "up: Assign(S, W * 2.0)" "loss: {op: Identity, inputs: [both], control: [^up]}"
silent "up: Assign(S, W * 2.0)" "loss: both + S"
warned "'up' (Assign)" "up: Assign(S, W * 2.0)" "again: {op: AssignAdd, inputs: [S, 1.0], control: [^up]}" \
  "loss: both + again"
warned "'tput' (Assign)" "t: {op: TemporaryVariable, shape: [], dtype: float32}" "tput: Assign(t, W)" \
  "got: DestroyTemporaryVariable(tput, var_name=t)" "loss: both + got"
warned "'put' (QueueEnqueueV2)" \
  "q: {op: FIFOQueueV2, component_types: [float32], shapes: [[]], capacity: 9}" \
  "put: {op: QueueEnqueueV2, inputs: [q, W]}" \
  "got: {op: QueueDequeueV2, inputs: [q], component_types: [float32], control: [^put]}" "loss: both + got"
warned "'put' (LookupTableInsertV2)" \
  "t: {op: MutableHashTableV2, key_dtype: int64, value_dtype: float32}" "k: 'Cast([1], DstT=int64)'" \
  "put: {op: LookupTableInsertV2, inputs: [t, k, 'Reshape(W, [1])']}" \
  "got: {op: LookupTableFindV2, inputs: [t, k, 0.0], control: [^put]}" "loss: both + Sum(got)"
warned "'d' (RandomPoissonV2)" "d: RandomPoissonV2([3], W, dtype=float32)" "loss: both + Sum(d)"
warned "'d' (Multinomial)" "d: 'Multinomial(Reshape(V, [1, 3]), 2)'" "loss: both + Sum(OneHot(d, 3, W, 0.0))"
warned "'bits' (Bitcast)" "bits: Bitcast(W, type=int32)" "c: Bitcast(bits, type=float32)" "loss: both + c"
warned "'text' (SerializeTensor)" "text: SerializeTensor(W)" "c: {op: ParseTensor, inputs: [text], out_type: float32}" \
  "loss: both + Sum(c)"
silent "w: Reshape(W, [1])" "u: Unique(w)" "loss: both + Sum(Cast(u:1, DstT=float32))"
silent "d: 'RandomPoissonV2([3], StopGradient(W), dtype=float32)'" "loss: both + Sum(d)"
silent "d: 'RandomGamma([3], W + 1.0)'" "loss: both + Sum(d)"
# Averages of a batch normalisation that trains, whichever it is, are not read.
silent "t: {op: Const, value: true, dtype: bool}" "up: AssignAdd(S, (S - W) * 0.1)" \
  "loss: {op: Add, inputs: [both, 'SelectV2(t, W, S)'], control: [^up]}"
silent "M: {op: Variable, shape: [3], init: 0.0, trainable: false}" "x: 'Reshape(V * 2.0, [1, 1, 1, 3])'" \
  "n: FusedBatchNormV3(x, V, V, M, M)" "up: AssignAdd(M, n:1 * 0.1)" \
  "loss: {op: Add, inputs: [both, 'Sum(n:0)'], control: [^up]}"
spec "up: AssignAdd(S, W * 2.0)" "loss: both + up"
expect 0 "'up' (AssignAdd), where gradients end" "$DFRUN" a.yaml --output ends

# Variables that no gradient reaches.
spec "loss: W * 2.0"
expect 0 "has no gradient for the trained variable 'V', which no step changes" "$DFRUN" check a.yaml
spec "loss: W + Sum(Floor(V))"
expect 0 "has no gradient for the trained variable 'V'" "$DFRUN" check a.yaml
spec "loss: W + Sum(StopGradient(V * 2.0))"
expect 0 "has no gradient for the trained variable 'V'" "$DFRUN" check a.yaml
silent "loss: W + Sum(StopGradient(V))"
many=()
for i in $(seq 12); do many+=("v$i: {op: Variable, shape: [], init: 0.0}"); done
spec "loss: both" "${many[@]}"
expect 0 "variables 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8', 'v9', 'v10' and 2 more, which" "$DFRUN" check a.yaml
sed -i 's/\(v[0-9]*: .*\)}/\1, trainable: false}/' a.yaml
expect 0 ": ok," "$DFRUN" check a.yaml
if grep '^warning: ' out; then fail "warned of what is not to be trained"; fi

# What has its gradient now: the derivative of W + Mod(3 W, 2) is 4.
spec "loss: both + Mod(W * 3.0, 2.0)"
expect 0 "step 1/1" "$DFRUN" a.yaml --output mod
expect 0 "[0.0]" /usr/bin/python3 -c "
import glob, h5py
with h5py.File(glob.glob('mod/checkpoints/step-1/index.h5')[0]) as f:
    print([float(f['W:0'][()])])"
