#!/usr/bin/env bash
# The link between two hosts swallows everything, without a reset: the other rank is lost, said so in time, and nothing
# is left. The hosts are network namespaces; mpirun talks over a second link, which stays.
#   link_cut_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

source "$SOURCE/tests/regression/hosts.sh"

make_hosts
training_spec > job.yaml

unset OMPI_MCA_btl OMPI_MCA_oob_tcp_if_include
start_job() {  # start_job RUN
  start_on_hosts --mca btl self,tcp --mca btl_tcp_if_include 10.211.1.0/24 \
    "$DFRUN" job.yaml --output "$1" --heartbeat 0.5,2
  until_running "$1"
}
start_job run
# Of the ports that MPI does not open: the heartbeats'.
for host in "$a" "$b"; do
  ip netns exec "$host" ss -Hltnp | grep '"dfrun"' > listening
  grep -q ' 10\.211\.1\.[12]:' listening || fail "no rank listens on the network of the values: $(cat listening)"
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
