#!/usr/bin/env bash
# The link between two hosts swallows everything, without a reset: the other rank is lost, said so in time, and nothing
# is left. The hosts are network namespaces; mpirun talks over a second link, which stays.
#   link_cut_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

a=dfrun-$$-a b=dfrun-$$-b
if ! { ip netns add "$a" && ip netns add "$b"; } > /dev/null 2>&1; then
  ip netns del "$a" 2> /dev/null || true
  echo "SKIPPED: this user may not make network namespaces"
  exit 77
fi
remove_hosts() {
  local pid
  for pid in $(ip netns pids "$a"; ip netns pids "$b"); do kill -KILL "$pid" 2> /dev/null || true; done
  ip netns del "$a" 2> /dev/null || true
  ip netns del "$b" 2> /dev/null || true
  stop_job
}
trap remove_hosts EXIT

link() {  # link INTERFACE NETWORK
  ip -n "$a" link add "$1" type veth peer name "$1" netns "$b"
  ip -n "$a" address add "$2.1/24" dev "$1"
  ip -n "$b" address add "$2.2/24" dev "$1"
  ip -n "$a" link set "$1" up
  ip -n "$b" link set "$1" up
  for host in "$a" "$b"; do  # the kernel takes up to a second to call it running
    for _ in $(seq 50); do
      ip -n "$host" link show "$1" | grep -q 'state UP' && break
      sleep 0.1
    done
  done
}
ip -n "$a" link set lo up
ip -n "$b" link set lo up
link values 10.211.1
link launch 10.211.2

# mpirun's way to the other host.
cat > agent <<EOF
#!/bin/sh
shift
exec ip netns exec $b unshare --uts sh -c 'hostname $b; exec sh -c "\$1"' sh "\$*"
EOF
chmod +x agent
training_spec > job.yaml

unset OMPI_MCA_btl OMPI_MCA_oob_tcp_if_include
start_job() {  # start_job RUN
  start ip netns exec "$a" mpirun --oversubscribe --host 10.211.2.1:1,10.211.2.2:1 -np 2 \
    --mca plm_rsh_agent "$WORK/agent" --mca oob_tcp_if_include 10.211.2.0/24 \
    --mca btl self,tcp --mca btl_tcp_if_include 10.211.1.0/24 \
    "$DFRUN" job.yaml --output "$1" --heartbeat 0.5,2
  until_running "$1"
}
start_job run
for host in "$a" "$b"; do
  ip netns exec "$host" ss -Hltn > listening
  ! grep -q 'users:(("dfrun".*0\.0\.0\.0' listening || fail "a rank listens on all interfaces"
done
! grep -q "no rank is watched" "$WORK/out" || { cat "$WORK/out" >&2; fail "the ranks do not find their network"; }
begun=$SECONDS
# To an address of the link that nobody has: what is sent is swallowed.
ip -n "$a" neigh replace 10.211.1.2 lladdr 02:00:00:00:00:99 dev values nud permanent
ip -n "$b" neigh replace 10.211.1.1 lladdr 02:00:00:00:00:99 dev values nud permanent
ends_with 76 "was lost: no heartbeat for"
[ $((SECONDS - begun)) -le 12 ] || fail "it took $((SECONDS - begun)) s"
grep -qE "rank [01] \(host .*\) was lost: no heartbeat for [0-9.]+ s, last heard at" "$WORK/out" || fail "no rank is named"
no_process_left

# Both links are cut, mpirun's too: it reaches nobody, and each rank ends itself.
swallow() {  # swallow INTERFACE NETWORK
  ip -n "$a" neigh replace "$2.2" lladdr 02:00:00:00:00:99 dev "$1" nud permanent
  ip -n "$b" neigh replace "$2.1" lladdr 02:00:00:00:00:99 dev "$1" nud permanent
}
ip -n "$a" neigh del 10.211.1.2 dev values
ip -n "$b" neigh del 10.211.1.1 dev values
start_job apart
swallow values 10.211.1
swallow launch 10.211.2
no_process_left
echo "a link that swallows everything is noticed"
