#!/usr/bin/env bash
# What the program says on a host without a GPU: in `dfrun info`, of a spec that names one, and of its run. A host with
# a GPU leaves the test out.
#   no_gpu_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

"$DFRUN" info > "$WORK/info" 2>&1 || { cat "$WORK/info"; fail "dfrun info"; }
if grep -q '^device .*/device:gpu:0' "$WORK/info"; then echo "this host has a GPU"; exit 0; fi
grep -qE '^CUDA +built with [0-9]+\.[0-9]+ for sm_[0-9]+.*; no driver: libcuda.so.1 is not there$' "$WORK/info" ||
  { cat "$WORK/info"; fail "dfrun info does not tell of the driver"; }
grep -qE '^device +none of type gpu: cannot find GPUs: ' "$WORK/info" || { cat "$WORK/info"; fail "dfrun info does not tell of GPUs"; }

cat > "$WORK/spec.yaml" <<'SPEC'
dfrun: 1
name: on_a_gpu
graph:
  x: {op: Const, value: [1.0, 2.0]}
  y: {op: Tanh, inputs: [x], device: /device:gpu:0}
run: {steps: 1, fetch: [y]}
SPEC
"$DFRUN" check "$WORK/spec.yaml" > "$WORK/check" 2>&1 || { cat "$WORK/check"; fail "dfrun check of a spec that names a GPU"; }
if timeout 60 "$DFRUN" "$WORK/spec.yaml" --output "$WORK/run" > "$WORK/log" 2>&1; then
  cat "$WORK/log"
  fail "the run on a GPU that is not there"
fi
grep -q '/device:gpu:0' "$WORK/log" || { cat "$WORK/log"; fail "the error does not name the device"; }
grep -q 'cannot find GPUs: ' "$WORK/log" || { cat "$WORK/log"; fail "the error does not say why there is none"; }
echo "no GPU, and it is said"
