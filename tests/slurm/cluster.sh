# shellcheck shell=bash
# A real Slurm on this machine, for tests: munged, slurmctld and two slurmd that call themselves two nodes, each with
# its configuration, state and port below one folder. Sourced; needs root.
#
#   start_cluster FOLDER   starts it; afterwards sbatch, scontrol and the like of this shell speak to it. 1 on failure.
#   stop_cluster           stops every process that start_cluster started, by its id; may be called at any time.

CLUSTER_NODES=(dfrun1 dfrun2)
CLUSTER_CPUS=2
cluster_pids=()

free_ports() {  # free_ports COUNT: all are held at once, so that no two are the same
  python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}

write_configuration() {  # write_configuration FOLDER CONTROL-PORT NODE-PORT...
  local folder=$1 control_port=$2 i
  shift 2
  cat >"$folder/slurm.conf" <<CONF
ClusterName=dfruntest
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A job that is put into the queue again waits until what was signed for its first start has expired.
AuthInfo=socket=$folder/munge.socket,cred_expire=10
CredType=cred/munge
SlurmctldPort=$control_port
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
# What a container can do: no cgroups, no binding; and CPUs are as many as this file says.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# A job of the partition urgent takes the place of one of main, which gets its own signal first.
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
# Finished jobs stay long enough for the test to ask about them.
MinJobAge=600
InactiveLimit=0
CONF
  for i in "${!CLUSTER_NODES[@]}"; do
    shift "$((i > 0))"
    echo "NodeName=${CLUSTER_NODES[i]} NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$1 CPUs=$CLUSTER_CPUS State=UNKNOWN"
  done >>"$folder/slurm.conf"
  local IFS=,
  cat >>"$folder/slurm.conf" <<CONF
PartitionName=main Nodes=${CLUSTER_NODES[*]} Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=100
PartitionName=urgent Nodes=${CLUSTER_NODES[*]} MaxTime=INFINITE State=UP PriorityTier=10
CONF
}

wait_until() {  # wait_until SECONDS COMMAND...
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "waited in vain for: $*" >&2; return 1; }
    sleep 0.2
  done
}

all_nodes_idle() {
  [ "$(sinfo --noheader --partition=main --Node --format '%N %t' | grep -c ' idle$')" = ${#CLUSTER_NODES[@]} ]
}

start_cluster() {
  local folder=$1 node
  export SLURM_CONF=$folder/slurm.conf
  mkdir -p "$folder/state"
  chmod 755 "$folder"
  # shellcheck disable=SC2046  # each port is a word
  write_configuration "$folder" $(free_ports $((1 + ${#CLUSTER_NODES[@]}))) || return 1

  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
  munged --foreground --key-file="$folder/munge.key" --socket="$folder/munge.socket" --seed-file="$folder/munge.seed" \
         --log-file="$folder/munge.log" --pid-file="$folder/munge.pid" >"$folder/munge.out" 2>&1 &
  cluster_pids+=($!)
  wait_until 20 munge --socket="$folder/munge.socket" --no-input || return 1

  slurmctld -D -i >"$folder/slurmctld.out" 2>&1 &
  cluster_pids+=($!)
  wait_until 30 scontrol ping || return 1
  for node in "${CLUSTER_NODES[@]}"; do
    mkdir -p "$folder/spool-$node"
    slurmd -D -N "$node" >"$folder/slurmd-$node.out" 2>&1 &
    cluster_pids+=($!)
  done
  wait_until 30 all_nodes_idle
}

no_jobs() {
  [ -z "$(squeue --noheader)" ]
}

stop_cluster() {
  local pid
  if [ ${#cluster_pids[@]} -gt 1 ] && ! no_jobs; then  # a job outlives its slurmd
    scancel --user="$(id -un)"
    wait_until 20 no_jobs
  fi
  # The nodes first, so that each can tell its controller; munged, which all of them need, last.
  for ((i = ${#cluster_pids[@]} - 1; i >= 0; i--)); do
    pid=${cluster_pids[i]}
    kill "$pid" 2>/dev/null || continue
    wait_until 10 eval "! kill -0 $pid" || kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
  done
  cluster_pids=()
}
