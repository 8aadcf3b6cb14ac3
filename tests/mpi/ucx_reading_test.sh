#!/usr/bin/env bash
# What UCX's start has measured is kept, and a second start takes it; a file that cannot be used is as if it were not there.
# 77: the machine was too busy for a figure to keep.
#   ucx_reading_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
unset DFRUN_CACHE DFRUN_UCX_READ_FROM
export XDG_CACHE_HOME=$WORK/cache
FILE=$WORK/cache/dfrun/ucx-reading

cat > "$WORK/sum.yaml" <<'SPEC'
dfrun: 1
cluster: {jobs: {worker: 2}}
graph:
  a: {op: Const, value: 1.0, device: /job:worker/task:0}
  b: {op: Identity, input: a, device: /job:worker/task:1}
SPEC
# start LOG VARIABLE=VALUE...: ranks over UCX and shared memory.
start() {
  local log=$1
  shift
  env "$@" timeout 60 mpirun --oversubscribe -np 2 "$DFRUN" eval "$WORK/sum.yaml" --fetch b --transport ucx \
    > "$log" 2>&1 || { cat "$log"; fail "a start over UCX"; }
}
# says LOG TEXT: the line of the log with the choice has it.
says() { grep "values between ranks of one host are .*$2" "$1" > "$1.said" || { cat "$1"; fail "no line says '$2'"; }; }

start "$WORK/off" DFRUN_CACHE=off
says "$WORK/off" '(measured'
[ ! -e "$WORK/cache" ] || fail "DFRUN_CACHE=off kept something"

for ((attempt = 0; attempt < 10; ++attempt)); do
  start "$WORK/first"
  [ ! -e "$FILE" ] || break
  says "$WORK/first" 'too busy'
done
[ -e "$FILE" ] || { echo "left out: the CPUs were too busy for a figure to keep"; exit 77; }
says "$WORK/first" '(measured)'
start "$WORK/second"
says "$WORK/second" "(kept in $FILE)"
choice() { sed -nE 's/.*one host are (.*) \(.*/\1/p' "$1"; }
[ "$(choice "$WORK/first")" = "$(choice "$WORK/second")" ] || fail "another choice was kept than was measured"
"$DFRUN" info > "$WORK/info"
grep -q "transport .*kept in $FILE; ranks of one host over .*: $(choice "$WORK/first")" "$WORK/info" ||
  { cat "$WORK/info"; fail "info says nothing of what is kept"; }

# What is kept decides, whatever was faster: an entry for these ranks with another figure.
other=$([ "$(choice "$WORK/first")" = "never read" ] && echo 70000 || echo never)
rest=$(sed -n '2,$p' "$FILE" | sed -E "s/\t[^\t]*$/\t$other/")
python3 - "$FILE" "$rest" <<'PYTHON'
import sys
lines = (sys.argv[2] + "\n").encode()
crc = 0xffffffff
for byte in lines:
    crc ^= byte
    for _ in range(8):
        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
open(sys.argv[1], "wb").write(b"dfrun UCX reading 1 %08x\n" % (crc ^ 0xffffffff) + lines)
PYTHON
start "$WORK/other"
case $other in
  never) says "$WORK/other" "never read (kept in $FILE)" ;;
  *) says "$WORK/other" "read from $other bytes on (kept in $FILE)" ;;
esac
# Other settings of UCX have their own figures; the environment goes first.
start "$WORK/settings" UCX_RNDV_THRESH=100000
says "$WORK/settings" '(measured'
start "$WORK/environment" DFRUN_UCX_READ_FROM=12345
says "$WORK/environment" 'read from 12345 bytes on (as DFRUN_UCX_READ_FROM says)'

echo "damage" >> "$FILE"
start "$WORK/damaged"
grep -q "warning: UCX: .*is left out: $FILE: .*checksum" "$WORK/damaged" || { cat "$WORK/damaged"; fail "no word of the damage"; }
says "$WORK/damaged" '(measured'

echo "someone's notes" > "$FILE"
start "$WORK/foreign"
grep -q "warning: UCX: .*dfrun has not written this file" "$WORK/foreign" || { cat "$WORK/foreign"; fail "no word of the file"; }
says "$WORK/foreign" '(measured'
[ "$(cat "$FILE")" = "someone's notes" ] || fail "another's file was overwritten"

echo "a file" > "$WORK/a_file"
start "$WORK/unwritable" XDG_CACHE_HOME="$WORK/a_file"
says "$WORK/unwritable" '(measured'
echo "a second start takes what the first has kept"
