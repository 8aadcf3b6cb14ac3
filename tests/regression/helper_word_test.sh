#!/usr/bin/env bash
# A process that looks at an HDF5 file and does not end, is stopped, is killed or has no memory: what it does is said
# after 5 s, and then how it ended.
#
#   helper_word_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

gunzip -c "$SOURCE/tests/regression/hdf5/never_ends.h5.gz" > never_ends.h5
/usr/bin/python3 -c "
import h5py
h5py.File('large.h5', 'w').create_dataset('x', (6,), 'S1000000000')"
for dtype in FLOAT STRING; do
  cat > $dtype.pbtxt <<END
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_$dtype } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_$dtype } } }
END
done
start() {  # start NAME: looks at the file in the background, as process $pid, with $helper
  "$DFRUN" eval FLOAT.pbtxt --feed x=never_ends.h5:/x --fetch y > "$1" 2>&1 &
  pid=$!
  for ((i = 0; i < 100; ++i)); do
    helper=$(pgrep -P $pid || true)
    [ -n "$helper" ] && return 0
    sleep 0.05
  done
  fail "$1: there is no helper"
}
ended() {  # ended NAME PID TEXT
  local code=0
  wait "$2" || code=$?
  [ $code = 66 ] && grep -qF -- "$3" "$1" || { cat "$1" >&2; fail "$1: exit code $code, or not '$3'"; }
}
start killed
kill -KILL $helper
ended killed $pid "was killed (SIGKILL)"
start stopped
stopped=$pid
waits=$helper
kill -STOP $waits
start endless
for ((i = 0; i < 100; ++i)); do
  grep -q "was stopped by a signal" stopped && break
  sleep 0.1
done
kill -KILL $waits
ended endless $pid "took more time than it may"
grep -qF "info: reading dataset '/x' of never_ends.h5 has taken 5 s so far, and is given up" endless ||
  { cat endless >&2; fail "no word"; }
grep -qF "process $waits, which does it, was stopped by a signal; kill -CONT $waits lets it go on" stopped ||
  { cat stopped >&2; fail "no word of the stop"; }
ended stopped $stopped "was killed (SIGKILL)"
if [ "$(awk '/^MemTotal/ { print int($2 / 1e6) }' /proc/meminfo)" -ge 7 ]; then
  expect 74 "the process that looks at large.h5 may have 4 GiB" \
    "$DFRUN" eval STRING.pbtxt --feed x=large.h5:/x --fetch y
fi
