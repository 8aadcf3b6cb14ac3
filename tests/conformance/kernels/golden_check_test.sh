#!/usr/bin/env bash
# TensorFlow gives the golden cases again, and `scripts/golden --check` finds a digit that is changed.
#
#   golden_check_test.sh SOURCE_DIR
set -uo pipefail
SOURCE=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

"$SOURCE/scripts/golden" --check
status=$?
[ $status -eq 0 ] || exit $status  # 77: TensorFlow cannot be installed here

mkdir -p "$WORK/scripts" "$WORK/tests"
cp "$SOURCE/scripts/golden" "$WORK/scripts"
cp -r "$SOURCE/tests/golden" "$WORK/tests"
zcat "$SOURCE/tests/golden/space.txt.gz" | sed '0,/^out /s/^\(out .*\)[0-9]$/\17777/' | gzip -n > "$WORK/tests/golden/space.txt.gz"
export DFRUN_GOLDEN_PYTHON=${DFRUN_GOLDEN_PYTHON:-$SOURCE/build/golden/venv/bin/python}
"$WORK/scripts/golden" --check space checkpoint > "$WORK/log"
status=$?
cat "$WORK/log"
[ $status -eq 1 ] || { echo "FAILED: a changed digit gave the status $status"; exit 1; }
for line in "^space: tests/golden/space.txt.gz is not what TensorFlow gives:$" "^-out .*7777$" "^1 of 2 files "; do
  grep -q -- "$line" "$WORK/log" || { echo "FAILED: no line '$line'"; exit 1; }
done
