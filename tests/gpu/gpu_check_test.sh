#!/usr/bin/env bash
# scripts/gpu-check on a bundle of this build and the emulated GPU: every part does something there, figures stand under the
# GPU's name, and all fits into a minute.
#   gpu_check_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 BUILD=$(dirname "$(dirname "$2")") PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

(cd "$SOURCE" && scripts/bundle --tests --local --build "$BUILD" "$WORK/bundle") > "$WORK/log" 2>&1 ||
  { cat "$WORK/log"; fail "scripts/bundle"; }
[ -x "$WORK/bundle/scripts/gpu-check" ] || fail "the bundle has no gpu-check"
# The script of the bundle, which knows nothing of the source tree.
code=0
(cd "$WORK/bundle" && DFRUN_DEVICE_PARTS=$PARTS scripts/gpu-check . --dry-run --out "$WORK/out") > "$WORK/log" 2>&1 || code=$?
cat "$WORK/log"
[ $code = 0 ] || { tail -n 20 "$WORK"/out/*.log; fail "gpu-check ended with $code"; }
row() { grep -qE "^$1 +$2 +$3 .*${4:-}" "$WORK/log" || fail "no row '$1 $2 $3 ${4:-}'"; }
row correctness gpu pass '[1-9][0-9]* tests passed'
row correctness golden pass '[1-9][0-9]* of [0-9]+ cases on the GPU'
row correctness 'control flow' pass '[1-9][0-9]* tests passed'
row correctness 'training digits_mlp' pass 'accuracy'
row start 'first step of the mlp' pass
for net in 'alexnet tf32' 'alexnet bfloat16' 'mlp tf32' 'mlp bfloat16'; do row nets "$net" pass '3 equal losses'; done
row kernels 'of alexnet [a-z0-9]+' 'left out' # no driver that would load what times kernels
python3 - "$WORK/out/results.json" <<'CHECK' || { cat "$WORK/out/results.json"; fail "the figures"; }
import json, sys
(gpu, found), = json.load(open(sys.argv[1]))["gpus"].items()
assert gpu and found["figures"]["alexnet b2, tf32"]["value"] > 0, gpu
CHECK
grep -q '^| alexnet b2, tf32 | ' "$WORK/out/results.md" || { cat "$WORK/out/results.md"; fail "the table by GPU"; }
