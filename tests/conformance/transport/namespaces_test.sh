#!/usr/bin/env bash
# The suite over TCP between ranks that are each in a network namespace of their own, on one bridge. Ranks enter theirs when
# MPI, which goes by shared memory, has started. 77: this user may not make namespaces.
#   namespaces_test.sh PROGRAM TRANSPORT RANKS
set -eu
prefix=dfrun-$$-
cleanup() {
  for ((rank = 0; rank < RANKS; ++rank)); do ip netns del "$prefix$rank" 2>/dev/null || true; done
  ip netns del "${prefix}hub" 2>/dev/null || true
}
RANKS=$3
trap cleanup EXIT
ip netns add "${prefix}hub" 2>/dev/null || { echo "left out: no network namespaces may be made here"; exit 77; }
ip -n "${prefix}hub" link add bridge0 type bridge 2>/dev/null || { echo "left out: this kernel has no bridge"; exit 77; }
ip -n "${prefix}hub" link set bridge0 up
for ((rank = 0; rank < RANKS; ++rank)); do
  ip netns add "$prefix$rank"
  ip -n "${prefix}hub" link add "veth$rank" type veth peer name eth0 netns "$prefix$rank"
  ip -n "${prefix}hub" link set "veth$rank" master bridge0 up
  ip -n "$prefix$rank" addr add "10.77.0.$((rank + 1))/24" dev eth0
  ip -n "$prefix$rank" link set eth0 up
  ip -n "$prefix$rank" link set lo up
done
UCX_TLS=tcp UCX_NET_DEVICES=eth0 DFRUN_TEST_NAMESPACE=$prefix timeout 250 \
  mpirun --oversubscribe -np "$RANKS" "$1" "--gtest_filter=$2.*" 2>&1 | tee "/tmp/${prefix}log"
status=${PIPESTATUS[0]}
grep -q 'by tcp/eth0' "/tmp/${prefix}log" || { echo "FAILED: not over the namespaces' network"; status=1; }
rm -f "/tmp/${prefix}log"
exit "$status"
