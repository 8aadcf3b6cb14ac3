# Shared by the tests of two hosts, which are network namespaces $a and $b with a link `values` and one for mpirun; after
# signals.sh. The test ends with 77 where none may be made.

a=dfrun-$$-a b=dfrun-$$-b
remove_hosts() {
  local pid
  for pid in $(ip netns pids "$a"; ip netns pids "$b"); do kill -KILL "$pid" 2> /dev/null || true; done
  ip netns del "$a" 2> /dev/null || true
  ip netns del "$b" 2> /dev/null || true
  stop_job
}

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

make_hosts() {  # make_hosts [UNSHARED]: what else the other host has of its own, as `unshare` names it
  if ! { ip netns add "$a" && ip netns add "$b"; } > /dev/null 2>&1; then
    ip netns del "$a" 2> /dev/null || true
    echo "SKIPPED: this user may not make network namespaces"
    exit 77
  fi
  trap remove_hosts EXIT
  ip -n "$a" link set lo up
  ip -n "$b" link set lo up
  link values 10.211.1
  link launch 10.211.2
  # mpirun's way to the other host.
  cat > agent <<SH
#!/bin/sh
shift
exec ip netns exec $b unshare --uts $* sh -c 'hostname $b; exec sh -c "\$1"' sh "\$*"
SH
  chmod +x agent
}

start_on_hosts() {  # start_on_hosts OPTION... COMMAND...: a rank on each
  start ip netns exec "$a" mpirun --oversubscribe --host 10.211.2.1:1,10.211.2.2:1 -np 2 \
    --mca plm_rsh_agent "$WORK/agent" --mca oob_tcp_if_include 10.211.2.0/24 "$@"
}
