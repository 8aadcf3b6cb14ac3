#!/usr/bin/env bash
# All golden cases on the emulated device of GPUs; the cases that did not run there are those of the list, each op with
# the reason.
#   golden_test.sh CONFORMANCE_KERNELS PARTS_FOLDER LIST
PROGRAM=$1 PARTS=$2 LIST=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
DFRUN_DEVICE_PARTS=$PARTS DFRUN_TEST_DEVICE=gpu DFRUN_TEST_REPORT=$WORK/report \
  "$PROGRAM" --gtest_brief=1 '--gtest_filter=-*Mutation*:*Shape*:*Gradient*' || exit 1
grep -v '^#' "$LIST" > "$WORK/list"
if grep -Ev '^[A-Za-z0-9_]+: [0-9]+ of [0-9]+ cases: [^ ].*' "$WORK/list"; then
  echo "these lines of $LIST say not why: \"Op: 3 of 13 cases: a sentence\""
  exit 1
fi
# Ops without golden cases are listed too.
diff "$WORK/report" <(cut -d: -f1,2 "$WORK/list" | grep -v ': 0 of 0 cases$') || {
  echo "the list $LIST differs (>) from the cases that did not run there (<)"
  exit 1
}
