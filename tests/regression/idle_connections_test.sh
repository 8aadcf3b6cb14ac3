#!/usr/bin/env bash
# A stranger holds 1,000 idle connections to each port of a job on two hosts, over MPI and over UCX: steps go on. Where the
# limit of open files is lower than what they take, the job goes on or ends with 76 and says so.
#   idle_connections_test.sh SOURCE_DIR DFRUN [CONNECTIONS]    default: 1000
SOURCE=$1 DFRUN=$2 CONNECTIONS=${3:-1000}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/ports.sh"
source "$SOURCE/tests/regression/hosts.sh"

unset OMPI_MCA_btl OMPI_MCA_oob_tcp_if_include
make_hosts --ipc  # else UCX would go by shared memory, and have no port
steps_job > job.yaml

cat > hold.py <<'PY'
"""hold.py CONNECTIONS IP:PORT...: holds so many idle connections to each, and says how many there are."""
import resource
import socket
import sys
import time

resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held = []
for target in sys.argv[2:]:
    ip, port = target.rsplit(":", 1)
    for _ in range(int(sys.argv[1])):
        try:
            held.append(socket.create_connection((ip, int(port)), timeout=2))
        except OSError:
            break
print(len(held), flush=True)
time.sleep(60)
PY
ports() {  # ports HOST IP: those of the ranks that another host can reach
  ip netns exec "$1" ss -Hltnp | awk '/"dfrun"/ { print $4 }' | grep -v '^127\.\|^\[' | sed "s/^0\.0\.0\.0:/$2:/" | sort -u
}

holders=()
hold_all() {  # hold_all LEAST: at least so many connections in all
  local target sum
  mapfile -t of_a < <(ports "$a" 10.211.1.1)
  mapfile -t of_b < <(ports "$b" 10.211.1.2)
  : > held_a; : > held_b
  ip netns exec "$b" python3 hold.py "$CONNECTIONS" "${of_a[@]}" > held_a & holders+=($!)
  ip netns exec "$a" python3 hold.py "$CONNECTIONS" "${of_b[@]}" > held_b & holders+=($!)
  for _ in $(seq 300); do
    [ ! -s held_a ] || [ ! -s held_b ] || break
    sleep 0.1
  done
  sum=$(($(cat held_a) + $(cat held_b)))
  [ "$sum" -ge "$1" ] || fail "$sum connections were held to ${of_a[*]} ${of_b[*]}"
}
release_all() {
  kill "${holders[@]}" 2> /dev/null || true
  wait "${holders[@]}" 2> /dev/null || true
  holders=()
}

steps() { wc -l < run/metrics.jsonl; }

ulimit -S -n 256  # which the ranks raise
transports=mpi
! "$DFRUN" info | grep -q "transport *ucx: UCX" || transports="mpi ucx"
for transport in $transports; do
  start_on_hosts "$DFRUN" job.yaml --output run --transport "$transport"
  until_running run
  ! ip netns exec "$a" ss -Hltnp | grep '"dfrun"' | grep -q '10\.211\.2\.' || fail "$transport: UCX listens on the launcher's network"
  hold_all $((4 * CONNECTIONS))
  before=$(steps)
  sleep 3
  after=$(steps)
  [ $((after - before)) -ge 10 ] || { cat "$WORK/out" >&2; fail "$transport: $((after - before)) hundred steps in 3 s"; }
  echo "$transport: ${#of_a[@]} and ${#of_b[@]} ports with $CONNECTIONS idle connections each: $(((after - before) * 100 / 3)) steps/s"
  signal USR1 "$job"
  wait "$job" || true
  release_all
  rm -rf run
done

printf '#!/bin/bash\nulimit -n 400\nexec "$@"\n' > limited
chmod +x limited
start_on_hosts ./limited "$DFRUN" job.yaml --output run
until_running run
hold_all 400
ends_with 76 "this process has had no file descriptor left for 5 s: of 400 (ulimit -n)"
release_all
echo "idle connections of a stranger stop no job without a word"
