#!/usr/bin/env bash
# The golden cases of ops and of gradients on the emulated device of GPUs, each in a graph that runs three times: the
# third time what was recorded is launched. The ops of which a case is not recorded are those of the list.
#   golden_recorded_test.sh CONFORMANCE_KERNELS PARTS_FOLDER LIST
PROGRAM=$1 PARTS=$2 LIST=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
DFRUN_DEVICE_PARTS=$PARTS DFRUN_TEST_DEVICE=gpu DFRUN_TEST_RECORDED=1 DFRUN_TEST_REPORT=$WORK/report \
  "$PROGRAM" --gtest_brief=1 '--gtest_filter=-*Mutation*:*Shape*' | tee "$WORK/log"
[ "${PIPESTATUS[0]}" = 0 ] || exit 1
diff "$WORK/report" <(grep -v '^#' "$LIST") || {
  echo "the list $LIST differs (>) from the ops that were not recorded (<)"
  exit 1
}
grep -qE '^[1-9][0-9]{3,} of [0-9]+ golden cases were recorded on gpu$' "$WORK/log" &&
  grep -qE '^[1-9][0-9]+ of [0-9]+ gradient cases were recorded$' "$WORK/log" || {
  echo "too few cases were recorded"
  exit 1
}
