#!/usr/bin/env bash
# An evaluation that assigns variables or draws random numbers is warned of, with what to write, by check, the run and
# dfrun eval; one that does neither, for what its feeds say, is not.
#   evaluation_effects_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - << 'END'
import h5py
import numpy as np
with h5py.File("d.h5", "w") as f:
    f["x"] = np.ones((8, 4), np.float32)
END

# spec NAME FEEDS LINE...: a training with these lines in its graph; `y` is what is measured.
spec() {
  local name=$1 feeds=$2
  shift 2
  {
    cat << END
dfrun: 1
include: [${LIBRARY:-$SOURCE/tests/golden/runs/lib/nn.yaml}]
inputs:
  batch: {hdf5: d.h5, tensors: {x: ~}, batch: 4}
  test: {hdf5: d.h5, tensors: {x: ~}, batch: all}
graph:
  h: dense(batch/x, units=3)
END
    printf '  %s\n' "$@"
    cat << END
  loss: Mean(Square(y))
train: {loss: loss, learning_rate: 0.01, steps: 2}
eval: {feed: {batch: test${feeds:+, $feeds}}, metrics: [loss]}
END
  } > "$name.yaml"
}
# warns NAME TEXT: check and the run say it, in the first line of each kind that they print; quiet NAME: neither warns.
warns() {
  expect 0 "$2" "$DFRUN" check "$1.yaml"
  grep -F -- "$2" out | grep -q "^warning: .*$1.yaml:[0-9]" || { cat out; fail "$1: the warning has no place"; }
  rm -rf "$1.run"
  expect 0 "$2" "$DFRUN" "$1.yaml" --output "$1.run"
}
quiet() {
  rm -rf "$1.run"
  for command in "check $1.yaml" "run $1.yaml --output $1.run" "eval $1.yaml"; do
    "$DFRUN" $command > log 2>&1 || { cat log; fail "$command"; }
    if grep -q 'warning' log; then cat log; fail "$command warns"; fi
  done
}

# Layers that know of no modes, and those that come with dfrun.
drop='drop: dropout(h, rate=0.5)'
norm='norm: batch_norm(h)'
spec both "" "$drop" "norm: batch_norm(drop)" "y: norm * 2.0"
warns both "the evaluation assigns 'norm/moving_mean', 'norm/moving_variance', so that measuring changes what is measured: give the node that does so \`if: training\`, or write \`eval: {feed: {norm/training: false}}\`"
warns both "draws random numbers, by 'drop/noise', that its values depend on: have Cond(training, a, b) choose between what is drawn and what is not, or write \`eval: {feed: {drop/share: 0.0}}\`"
expect 0 "write --feed norm/training=false" "$DFRUN" eval both.yaml
expect 0 "write --feed drop/share=0.0" "$DFRUN" eval both.yaml --fetch y
if "$DFRUN" eval both.yaml --fetch y --feed drop/share=0 --feed norm/training=false 2>&1 | grep 'warning'; then
  fail "what is fed takes the effects away"
fi
if "$DFRUN" eval both.yaml --fetch h 2>&1 | grep 'warning'; then fail "h has no effects"; fi
if "$DFRUN" eval both.yaml --fetch drop/noise 2>&1 | grep 'warning'; then fail "the noise is asked for itself"; fi
LIBRARY=$SOURCE/configs/lib/nn.yaml spec shipped "" "$drop" "norm: batch_norm(drop)" "y: norm * 2.0"
quiet shipped
spec one "norm/training: false" "$drop" "norm: batch_norm(drop)" "y: norm * 2.0"
warns one "write \`eval: {feed: {drop/share: 0.0}}\`"
if grep -q assigns out; then fail "nothing is assigned"; fi
spec none "norm/training: false, drop/share: 0.0" "$drop" "norm: batch_norm(drop)" "y: norm * 2.0"
quiet none
spec some "drop/share: 0.25" "$drop" "y: drop"
warns some "'drop/noise'"

# Effects of one's own, in the ways in which they are written.
spec added "" "noise: RandomStandardNormal(shape=Shape(h), dtype=float32)" "sigma: {op: Const, value: 0.1}" \
  "y: h + noise * sigma"
warns added "by 'noise', that its values depend on: have Cond(training, a, b) choose between what is drawn and what is not, or write \`eval: {feed: {sigma: 0.0}}\`"
spec unadded "sigma: 0.0" "noise: RandomStandardNormal(shape=Shape(h), dtype=float32)" \
  "sigma: {op: Const, value: 0.1}" "y: h + noise * sigma"
quiet unadded
keep=("keep: {op: PlaceholderWithDefault, inputs: [0.8], shape: []}" "u: RandomUniform(shape=Shape(h), dtype=float32)"
  "mask: Floor(u + keep)" "y: h * mask / keep")
spec masked "" "${keep[@]}"
warns masked "write \`eval: {feed: {keep: 1.0}}\`"
spec unmasked "keep: 1.0" "${keep[@]}"
quiet unmasked
side=("flag: {op: Const, value: true}" "n: {op: Variable, shape: [], init: 0, trainable: false}"
  "y: Cond(flag, h + RandomUniform(shape=Shape(h), dtype=float32), h)")
spec taken "" "${side[@]}"
warns taken "write \`eval: {feed: {flag: false}}\`"
spec untaken "flag: false" "${side[@]}"
quiet untaken
looped=("last: {op: While, vars: {t: 0, z: h}, cond: t < 3, body: {t: t + 1, z: \"z + RandomUniform(shape=Shape(z), dtype=float32)\"}}"
  "y: Identity(last:1)")
spec looped "" "${looped[@]}"
warns looped "draws random numbers"
spec shuffled "" "order: RandomShuffle(h)" "y: h + StopGradient(order)"
warns shuffled "by 'order', that its values depend on: have Cond(training, a, b) choose between what is drawn and what is not, or feed what switches it off"
for write in "AssignAdd(n, 1.0)" "AssignSub(n, StopGradient(Mean(h)))" "Assign(n, StopGradient(Mean(h)))" \
  "ScatterAdd(n, 0, StopGradient(Mean(h)))"; do
  scatter=""; [[ $write = Scatter* ]] && scatter="4"
  [ -n "$scatter" ] && write="Mean($write)"
  spec written "" "n: {op: Variable, shape: [$scatter], init: 0, trainable: false}" "w: $write" "y: h + w"
  warns written "the evaluation assigns 'n'"
done
spec control "" "n: {op: Variable, shape: [], init: 0, trainable: false}" "w: AssignAdd(n, 1.0)" \
  "y: {op: Identity, inputs: [h], control: [^w]}"
warns control "the evaluation assigns 'n'"
spec kept "train_it: false" "n: {op: Variable, shape: [], init: 0, trainable: false}" "train_it: {op: Const, value: true}" \
  "w: Assign(n, SelectV2(train_it, StopGradient(Mean(h)), n))" "y: h + w"
quiet kept
# Tables, and what a shared name lets others see.
spec table "" "t: {op: MutableHashTableV2, key_dtype: int64, value_dtype: int64}" \
  "put: {op: LookupTableInsertV2, inputs: [t, 'Cast([1, 2], DstT=int64)', 'Cast([3, 4], DstT=int64)']}" \
  "y: {op: Identity, inputs: [h], control: [^put]}"
warns table "the evaluation writes 't'"
spec shared "" "v: {op: VarHandleOp, dtype: float32, shape: [], shared_name: counted}" \
  "w: {op: AssignVariableOp, inputs: [v, 'Mean(h)']}" "y: {op: Identity, inputs: [h], control: [^w]}"
warns shared "the evaluation assigns 'v'"
# Only the shape of what is random is read.
spec shape "" "r: RandomUniform(shape=[4], dtype=float32)" "y: h + Cast(Size(r), DstT=float32)"
quiet shape
# Random values that are fed are wanted.
spec fed "sigma: \"RandomUniform(shape=[])\"" "sigma: {op: Const, value: 0.1}" "y: h * sigma"
quiet fed
# A job that trains nothing may draw what it likes, and so may a graph whose nodes are run for what they do.
cat > run.yaml << 'END'
dfrun: 1
graph: {r: "RandomUniform(shape=[4], dtype=float32)", y: r * 2.0}
run: {fetch: [y]}
END
for command in "check run.yaml" "run.yaml --output run.run" "eval run.yaml"; do
  "$DFRUN" $command > log 2>&1
  if grep warning log; then fail "$command warns"; fi
done
"$DFRUN" graph both.yaml --pb --portable --out both.pb
if "$DFRUN" eval both.pb --init init --feed batch/x=d.h5:/x --target train 2>&1 | grep warning; then fail "it trains"; fi
expect 0 "write --feed drop/share=0.0" "$DFRUN" eval both.pb --init init --feed batch/x=d.h5:/x --fetch y

for config in "$SOURCE"/configs/*.yaml; do
  "$DFRUN" check "$config" > log 2>&1 || { cat log; fail "$config"; }
  # figure1 has nothing for a rank of two to compute, which is said too.
  if grep warning log | grep -v 'have nothing to compute'; then fail "$config is right"; fi
done
echo "evaluations that train are warned of"
