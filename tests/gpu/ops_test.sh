#!/usr/bin/env bash
# The kernels for GPUs are those of tests/golden/registry/gpu.txt, from which docs/OPS.md has its column; an op that
# TensorFlow has on GPUs (tests/golden/registry/gpu_ops.txt) and this program on CPUs alone is listed with the reason.
#   ops_test.sh SOURCE PROGRAM PARTS_FOLDER
SOURCE=$1 PROGRAM=$2 PARTS=$3
export LC_ALL=C
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$SOURCE" || exit 1
DFRUN_DEVICE_PARTS=$PARTS tests/gpu/list_kernels "$PROGRAM" > "$WORK/gpu" || exit 1
diff "$WORK/gpu" tests/golden/registry/gpu.txt || {
  echo "gpu.txt differs (>) from the kernels that there are (<): scripts/ops-table PROGRAM PARTS writes it anew"
  exit 1
}
# Ops with a kernel on CPUs.
"$PROGRAM" ops --registry |
  awk '/^[A-Za-z_]/ { op = $0; sub(/\(.*/, "", op) } /^  cpu: / { print op }' | sort -u > "$WORK/cpu"
names() { grep -v '^#' "$1" | cut -d: -f1 | sort -u; }
comm -12 "$WORK/cpu" <(names tests/golden/registry/gpu_ops.txt) |
  comm -23 - <(names "$WORK/gpu") | comm -23 - <(names tests/gpu/not_on_gpu.txt) > "$WORK/missing"
# Of ops with golden cases golden_test.sh finds what is no longer so.
grep ': 0 of 0 cases: ' tests/gpu/not_on_gpu.txt | cut -d: -f1 | sort -u | comm -12 - <(names "$WORK/gpu") > "$WORK/there"
if [ -s "$WORK/there" ]; then
  echo "tests/gpu/not_on_gpu.txt says why there is no kernel for GPUs, but there is one:"
  cat "$WORK/there"
  exit 1
fi
if [ -s "$WORK/missing" ]; then
  echo "TensorFlow has these ops on GPUs, and tests/gpu/not_on_gpu.txt says not why there is no kernel for GPUs:"
  cat "$WORK/missing"
  exit 1
fi
