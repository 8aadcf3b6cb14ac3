#!/usr/bin/env bash
# The messages with tensors that a step sends while it runs are those that its partitions say, a Send each, whatever the
# transport.
#   messages_test.sh SOURCE_DIR DFRUN [TRANSPORT...]
SOURCE=$1 DFRUN=$2
shift 2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

transports=$(IFS=,; echo "${*:-mpi}")
"$SOURCE/scripts/bench/messages" --program "$DFRUN" --specs digits_mlp,digits_cnn --transports "$transports" \
  --json "$WORK/messages.json" > "$WORK/out" || { cat "$WORK/out"; fail "the messages could not be counted"; }
for spec in digits_mlp digits_cnn; do
  for ranks in 2 4; do
    "$DFRUN" graph "$SOURCE/configs/$spec.yaml" --partitioned --ranks $ranks > "$WORK/graph"
    sends=$(grep -c '= _Send(' "$WORK/graph" || true)
    [ "$sends" -gt 0 ] || { head -20 "$WORK/graph"; fail "$spec on $ranks ranks: no Send"; }
    /usr/bin/python3 - "$WORK/messages.json" $spec $ranks "$sends" <<'P' || fail "$spec on $ranks ranks"
import json, sys
path, spec, ranks, sends = sys.argv[1:]
rows = [r for r in json.load(open(path)) if (r["spec"], r["ranks"], r["variant"]) == (spec, int(ranks), "as shipped")]
assert rows and all(r["messages"] == int(sends) for r in rows), (sends, rows)
P
  done
done
echo "messages are the Sends of the partitions"
