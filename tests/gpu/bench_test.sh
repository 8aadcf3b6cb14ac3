#!/usr/bin/env bash
# The benchmark of GPUs on the emulated one: figures beside limits as a table and as JSON; what has no limit there,
# since the libraries are not there, is said and left out.
#   bench_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

bench() { timeout 100 "$DFRUN" bench gpu --rounds 1 --elements 4096 --product 16 --images 1 --json "$WORK/json" "$@" > "$WORK/log" 2>&1; }
for only in Neg Sum/ Softmax Transpose GatherV2 launch copy-in; do
  rm -f "$WORK/json"
  bench --only "gpu/$only" || { cat "$WORK/log"; fail "the benchmark of $only"; }
  python3 - "$WORK/json" "$only" <<'CHECK' || { cat "$WORK/json"; fail "the figures of $only"; }
import json, sys
figures = json.load(open(sys.argv[1]))
assert figures and all(f["name"].startswith("gpu/" + sys.argv[2]) for f in figures)
assert all(f["value"] > 0 and f["limit"] > 0 and abs(f["ratio"] - f["value"] / f["limit"]) < 1e-6 for f in figures)
assert all(f["unit"] in ("GB/s", "M/s") for f in figures)
CHECK
done
export DFRUN_EMULATED_CARD=no-libraries
bench --only MatMul/tf32 || { cat "$WORK/log"; fail "a benchmark without its library"; }
grep -q 'gpu/MatMul/tf32/16 is left out: cannot open libcublasLt' "$WORK/log" || { cat "$WORK/log"; fail "what is left out is not said"; }
bench --only Conv2D/bfloat16 || { cat "$WORK/log"; fail "a benchmark without its library"; }
grep -q 'gpu/Conv2D/bfloat16/.* is left out: cannot open libcudnn' "$WORK/log" || { cat "$WORK/log"; fail "what is left out is not said"; }
echo "figures beside limits"
