#!/usr/bin/env bash
# scripts/bench/fabric_peers: whose figures it takes, what it compares with what, and what it says of a peer that is not
# there or fails. Programs stand in for ucx_perftest and for a Python that has Gloo, so that their figures are known.
#   fabric_peers_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

mkdir bin
cat > bin/ucx_perftest <<'SH'
#!/usr/bin/env bash
# -p PORT -b FILE -f -v [SERVER]. The server listens after a while; every test takes a nanosecond.
if [ "${*: -1}" != 127.0.0.1 ]; then
  sleep 0.5
  touch "$STATE/listens"
  until [ -e "$STATE/served" ]; do sleep 0.05; done
  rm "$STATE/listens" "$STATE/served"
  exit 0
fi
[ -e "$STATE/listens" ] || { echo "Connection refused"; exit 255; }
touch "$STATE/served"
[ "${FAILS:-no}" = no ] || { echo "no such test"; exit 1; }
echo "$4,iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr"
while read -r name _; do echo "$name, 20,9,8,0.001,6,5,4,3"; done < "$4"
SH
printf '#!/bin/sh\necho "# UCT version=1.0.0"\n' > bin/ucx_info
cat > bin/python_with_gloo <<'SH'
#!/usr/bin/env bash
# -c PROGRAM, or -m fabriclib.gloo_ranks BENCH RANK RANKS PORT PASSES SIZES. Everything takes two nanoseconds.
if [ "$1" = -c ]; then echo 2.0; exit 0; fi
[ "$4" = 0 ] || exit 0
python3 -c 'import json, sys; print(json.dumps({case[0]: 0.002 for case in json.loads(sys.argv[1])}))' "$8"
SH
chmod +x bin/*
export PATH=$WORK/bin:$PATH STATE=$WORK DFRUN
script=$SOURCE/scripts/bench/fabric_peers

DFRUN_PEER_PYTHON=$WORK/bin/python_with_gloo expect 0 'dfrun over pigeon is left out' \
  "$script" --small --transports mpi,pigeon --ranks 2 --json "$WORK/figures.json"
python3 - "$WORK/figures.json" <<'PY' || fail "the figures are wrong"
import json
import sys

rows = {row["name"]: row for row in json.load(open(sys.argv[1], encoding="utf-8"))["rows"]}
assert len(rows) == 6 + 8, sorted(rows)
for name, row in rows.items():
    own, streams = row["us"]["dfrun/mpi"], {side for side in row["us"] if side.endswith("_bw")}
    best, time = ("ucx/tag_lat", 0.001) if name.startswith("p2p/") else ("gloo", 0.002)
    assert (row["best"], row["us"][best], row["us"]["gloo"]) == (best, time, 0.002), row
    assert abs(row["ratios"]["dfrun/mpi"][best] - own / time) < 1e-6 * own / time, row
    assert len(streams) == (3 if name in ("p2p/1MiB", "p2p/16MiB") else 0), row
    assert row["us"]["bare/mpi"] > 0, row
assert 0.05 < rows["p2p/8B"]["us"]["dfrun/mpi"] < 1e5, rows["p2p/8B"]
# A bandwidth of dfrun's, read as the time of a value: 16 MiB at less than 1 TB/s.
assert rows["p2p/16MiB"]["us"]["dfrun/mpi"] > 16, rows["p2p/16MiB"]
PY

DFRUN_PEER_PYTHON=$WORK/no_python expect 0 "$WORK/no_python -m pip install torch" \
  "$script" --small --transports mpi --only p2p
grep -q 'ucx/tag_lat' out || fail "without Gloo the others are not measured"
FAILS=yes DFRUN_PEER_PYTHON=$WORK/no_python expect 1 'ended with status 1: no such test' \
  "$script" --small --transports mpi --only p2p
DFRUN=$WORK/no_program expect 1 'is not there: build it' "$script" --small
expect 2 '--rounds wants 1 or more' "$script" --rounds 0
