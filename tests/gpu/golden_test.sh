#!/usr/bin/env bash
# All golden cases on the emulated device of cards; the cases that did not run there are those of the list.
#   golden_test.sh CONFORMANCE_KERNELS PARTS_FOLDER LIST
PROGRAM=$1 PARTS=$2 LIST=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
DFRUN_DEVICE_PARTS=$PARTS DFRUN_TEST_DEVICE=gpu DFRUN_TEST_REPORT=$WORK/report \
  "$PROGRAM" --gtest_brief=1 '--gtest_filter=-*Mutation*:*Shape*:*Gradient*' || exit 1
diff "$WORK/report" <(grep -v '^#' "$LIST") || { echo "the list $LIST differs (>) from the cases that did not run there (<)"; exit 1; }
