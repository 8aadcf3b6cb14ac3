#!/usr/bin/env bash
# What the processor decides in one build: the level of instruction set that oneDNN's convolutions may use
# (ONEDNN_MAX_CPU_ISA), the size of its caches, and what the C library chooses by processor. At one level all nets have the
# same bits on any number of ranks; without convolutions they have them at every level.
#   cpu_level_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/preload.sh"
library=$(dirname "$DFRUN")/libdfrun_test_cache_size.so
preload_name library

cp -r "$SOURCE/configs" .
# net NAME OPTION...: trains it for some steps on one rank, or on two by `mpirun` in START, into ./run, and prints its lines.
START=()
net() {
  local name=$1
  shift
  rm -rf run
  timeout 60 "${START[@]}" "$DFRUN" "configs/$name.yaml" --set train.epochs=null --set train.steps=5 \
    --set train.log_every=1 --set eval.every=5 --output run "$@" > log 2>&1 || { cat log >&2; fail "$name"; }
  metric_lines run
}
levels=(SSE41 AVX2)
if grep -qw avx512bw /proc/cpuinfo; then levels+=(AVX512_CORE); fi
if ! "$DFRUN" info | grep -q '^oneDNN  *[0-9]'; then levels=(SSE41); fi

# No convolution, no difference.
for name in digits_mlp digits_rnn; do
  net $name > wanted
  [ "$(grep -c '"state"' wanted)" = 5 ] || { cat wanted; fail "$name has no fingerprints"; }
  for level in "${levels[@]}"; do
    ONEDNN_MAX_CPU_ISA=$level net $name > seen
    cmp wanted seen || fail "$name has other bits at the level $level"
  done
done

# Convolutions: one answer a level, on one rank and on two; answers of two levels are near.
for level in "${levels[@]}"; do
  export ONEDNN_MAX_CPU_ISA=$level
  net digits_cnn > "at-$level"
  net digits_cnn > seen
  cmp "at-$level" seen || fail "the second run at the level $level has other bits"
  START=(mpirun --oversubscribe -np 2)
  net digits_cnn > seen
  START=()
  cmp "at-$level" seen || fail "two ranks at the level $level have other bits"
  unset ONEDNN_MAX_CPU_ISA
done
/usr/bin/python3 - "${levels[@]}" <<'P' || fail "the losses of two levels"
import json
import sys

levels = {name: [json.loads(line) for line in open("at-" + name)] for name in sys.argv[1:]}
first = levels[sys.argv[1]]
for name, lines in levels.items():
    assert len(lines) == len(first) == 6, (name, len(lines))
    for a, b in zip(first, lines):
        if "loss" in a:  # sums of some hundred floats in another order, carried over five steps
            assert abs(a["loss"] - b["loss"]) <= 1e-5 * abs(a["loss"]), (name, a, b)
states = {lines[-2]["state"] for lines in levels.values()}
assert len(states) == len(levels), f"{len(states)} answers at {len(levels)} levels: docs/determinism.md says that each has its own"
P

# Ranks that are held to different levels take the lowest of all.
if [ ${#levels[@]} -gt 2 ]; then
  timeout 60 mpirun --oversubscribe -np 1 -x ONEDNN_MAX_CPU_ISA=AVX2 "$DFRUN" configs/digits_cnn.yaml --set train.epochs=null \
    --set train.steps=5 --set train.log_every=1 --set eval.every=5 --output mixed : -np 1 -x ONEDNN_MAX_CPU_ISA=AVX512_CORE \
    "$DFRUN" configs/digits_cnn.yaml --set train.epochs=null --set train.steps=5 --set train.log_every=1 --set eval.every=5 \
    --output mixed > log 2>&1 || { cat log; fail "ranks at two levels"; }
  cmp at-AVX2 <(metric_lines mixed) || fail "ranks at two levels have other bits than at the lower one"
fi

# Ops: those that oneDNN computes may differ between two levels, no other does.
expect 0 "step 1/1" "$DFRUN" "$SOURCE/tests/regression/bits/large_ops.yaml" --output ops
dump ops/fetches.h5 > wanted
for level in "${levels[@]}"; do
  expect 0 "step 1/1" env ONEDNN_MAX_CPU_ISA="$level" "$DFRUN" "$SOURCE/tests/regression/bits/large_ops.yaml" --output "ops-$level"
  dump "ops-$level/fetches.h5" > seen
  [ "$(wc -l < seen)" = 32 ] || fail "not all ops have values at the level $level"
  diff wanted seen | grep '^<' | cut -d ' ' -f 2 > changed || true
  if grep -v '^level_' changed; then fail "these ops have other bits at the level $level"; fi
  echo "$level: other bits in $(paste -sd ' ' changed)"
done

# Products are cut by the size of the second-level cache, and have the same bits whatever it is.
cat > wide.yaml <<'Y'
dfrun: 1
include: [configs/lib/nn.yaml]
inputs:
  batch: {hdf5: configs/data/digits.h5, tensors: {image: /train/image, label: /train/label}, batch: 360, shuffle: true}
graph:
  l1: dense(batch/image, units=1100, activation=Relu)
  l2: dense(l1, units=900, activation=Relu)
  logits: dense(flatten(conv2d(Reshape(l2, shape=[-1, 1, 1, 900]), filters=200, size=3)), units=10)
  loss: Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label))
train: {loss: loss, optimizer: momentum, learning_rate: 0.01, steps: 2, log_every: 1}
Y
expect 0 "step 2/2" "$DFRUN" wide.yaml --output wide
for size in 65536 33554432; do
  expect 0 "step 2/2" env LD_PRELOAD="$library" CACHE_SIZE=$size CACHE_ASKED="$WORK/asked" "$DFRUN" wide.yaml --output wide.$size
  [ -e asked ] || fail "nothing asked for the size of the cache"
  rm asked
  diff <(metric_lines wide) <(metric_lines wide.$size) || fail "other bits with a cache of $size bytes"
done

# The C library's functions with and without fused multiply-add: nets have the same bits, some functions of float64 are
# one unit in the last place apart.
without_fma=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2
for name in digits_mlp digits_cnn digits_rnn; do
  net $name > wanted
  GLIBC_TUNABLES=$without_fma net $name > seen
  cmp wanted seen || fail "$name has other bits by another choice of the C library"
done
cat > functions.yaml <<'Y'
dfrun: 1
graph:
  x: Cast(RandomUniform([20000], dtype=float32) * 2.9 + 0.1, DstT=float64)
  pow: Pow(x, x)
  sin: Sin(x)
run: {fetch: [x, pow, sin]}
Y
expect 0 "step 1/1" "$DFRUN" functions.yaml --output with
expect 0 "step 1/1" env GLIBC_TUNABLES=$without_fma "$DFRUN" functions.yaml --output without
/usr/bin/python3 - <<'P' || fail "functions of float64"
import h5py
import numpy

with h5py.File("with/fetches.h5") as a, h5py.File("without/fetches.h5") as b:
    assert a["x"][()].tobytes() == b["x"][()].tobytes()
    for name in ("pow", "sin"):
        ulps = numpy.abs(a[name][()].view("i8") - b[name][()].view("i8"))
        assert ulps.max() <= 1, (name, ulps.max())
        print(f"{name}: {(ulps > 0).sum()} of {ulps.size} values are one unit apart without fused multiply-add")
P
echo "one answer at each of the levels ${levels[*]}, and one at all of them for nets without convolutions"
