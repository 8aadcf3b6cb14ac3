#!/usr/bin/env bash
# A training on 4 ranks over the tests' own transports has the losses that it has over MPI.
#   training_test.sh SOURCE_DIR DFRUN TRANSPORT_LIBRARY
SOURCE=$1 DFRUN=$2 LIBRARY=$3
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

spec=$(short_spec digits_mlp 2 50)
train 4 "$spec" "$WORK/mpi" --transport mpi > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "over MPI"; }
LD_PRELOAD=$LIBRARY "$DFRUN" info | grep -q 'sockets: UNIX sockets' || fail "dfrun info does not list the transport"
timeout 120 mpirun --oversubscribe -x "LD_PRELOAD=$LIBRARY" -np 4 "$DFRUN" "$spec" --output "$WORK/sockets" \
  --transport sockets > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "over sockets"; }
losses "$WORK/mpi" > "$WORK/expected"
losses "$WORK/sockets" > "$WORK/seen"
[ -s "$WORK/expected" ] || fail "no losses"
cmp "$WORK/expected" "$WORK/seen" || fail "losses over sockets differ from those over MPI"

# Over one that refuses memory which it has not registered: values lie in memory of its own where it asks for that.
over_registered() {  # over_registered HOW OUTPUT
  timeout 120 mpirun --oversubscribe -x "LD_PRELOAD=$LIBRARY" -x "DFRUN_TEST_REGISTERED=$1" -np 4 "$DFRUN" "$spec" \
    --output "$2" --transport registered > "$WORK/log" 2>&1
}
over_registered asks "$WORK/registered" || { cat "$WORK/log"; fail "over registered memory"; }
losses "$WORK/registered" > "$WORK/seen"
cmp "$WORK/expected" "$WORK/seen" || fail "losses over registered memory differ from those over MPI"
[ "$(grep -c 'messages of registered memory' "$WORK/log")" = 4 ] || { cat "$WORK/log"; fail "it moved no values"; }
if over_registered refuses "$WORK/refused"; then fail "memory that is not registered was not refused"; fi
grep -q 'their memory is not registered' "$WORK/log" || { cat "$WORK/log"; fail "the refusal is not said"; }

if "$DFRUN" "$spec" --output "$WORK/none" --transport sokets > "$WORK/log" 2>&1; then fail "an unknown transport"; fi
grep -q "there is no transport 'sokets'; there are" "$WORK/log" || { cat "$WORK/log"; fail "the names are not said"; }
echo "$(wc -l < "$WORK/seen") losses with the same bits"
