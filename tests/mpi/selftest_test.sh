#!/usr/bin/env bash
# dfrun info under mpirun says where ranks are; its selftest passes on sound transports, and names the pair of ranks
# between which one damages a byte or swallows a message.
#   selftest_test.sh SOURCE_DIR DFRUN TEST_TRANSPORT
SOURCE=$1 DFRUN=$2 TRANSPORTS=$3
source "$SOURCE/tests/preload.sh"
preload_name TRANSPORTS
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

selftest() {  # selftest EXIT_CODE RANKS VARIABLE=VALUE...: what it prints is in $WORK/log
  local code=$1 ranks=$2 got=0
  shift 2
  env "$@" timeout 120 mpirun --oversubscribe -np "$ranks" "$DFRUN" info --selftest --most-bytes 2000000 --timeout 3 \
    > "$WORK/log" 2>&1 || got=$?
  [ "$got" = "$code" ] || { cat "$WORK/log"; fail "exit $got instead of $code: $*"; }
}
says() {
  grep -Eq -- "$1" "$WORK/log" || { cat "$WORK/log"; fail "it does not say: $1"; }
}

selftest 0 3 A=b
says '^rank +host +processors +cores +NUMA +GPU +NIC'
[ "$(grep -Ec '^[012] +[^ ]+ +[0-9]' "$WORK/log")" = 3 ] || fail "not three ranks in the table"
says '^mpi +size +median'
says '1 MiB +[0-9.]+ GB/s'
if grep -q 'WRONG' "$WORK/log"; then cat "$WORK/log"; fail "a sound network is called wrong"; fi

selftest 76 3 LD_PRELOAD="$TRANSPORTS" DFRUN_TEST_DAMAGES=50
says 'WRONG: dropping: rank [02] on [^ ]+ and rank 1 on [^ ]+: of [0-9]+ bytes from rank 1 byte [0-9]+ is damaged'
says '^sockets +size'
selftest 76 3 LD_PRELOAD="$TRANSPORTS" DFRUN_TEST_DROPS=50
says 'WRONG: dropping: rank [0-2] on [^ ]+ and rank [0-2] on [^ ]+: .*nothing came within 3 s'

selftest 0 3 LD_PRELOAD="$TRANSPORTS" DFRUN_TEST_DELAY_MS=3
says 'noisy: dropping: for [0-9]+ [KM]?i?B rank [01] on [^ ]+ and rank [12] on [^ ]+ take [0-9.]+ times their least'

# Ranks that share cores, and what heals it.
timeout 60 mpirun --oversubscribe --bind-to none -np 3 "$DFRUN" info > "$WORK/log" 2>&1
says 'warning: ranks 0, 1, 2 on [^ ]+ share cores: mpirun --map-by slot:PE=N --bind-to core'
echo "the selftest finds a damaged byte and a swallowed message"
