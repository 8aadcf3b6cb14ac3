# shellcheck shell=bash
# A real Slurm on this machine, for tests: munged, slurmctld and a slurmd for each of CLUSTER_NODES, each with its
# configuration, state and port below one folder. Sourced; needs root.
#
#   need PROGRAM...         skips the test (status 77) where this user is not root or a program is not installed.
#   start_cluster FOLDER    starts it; afterwards sbatch, scontrol and the like of this shell speak to it. 1 on failure.
#   hide_pmix FOLDER        jobs that are submitted afterwards find no pmix in what srun lists, as where Slurm has none.
#   wait_until SECONDS COMMAND...    1 where the command has not succeeded by then.
#   job_state JOB, job_ended JOB     what scontrol says of it; a job that waits to be started again has not ended.
#   stop_cluster            stops every process that start_cluster started, by its id; may be called at any time.

CLUSTER_NODES=(dfrun1 dfrun2)
CLUSTER_CPUS=2
cluster_pids=()

need() {
  local program
  [ "$(id -u)" = 0 ] || { echo "skipped: Slurm's daemons need root"; exit 77; }
  for program in munged slurmctld slurmd sbatch mpirun python3 "$@"; do
    command -v "$program" >/dev/null && continue
    echo "skipped: $program is not installed (Debian: slurm-wlm munge openmpi-bin hdf5-tools)"
    exit 77
  done
  # Open MPI refuses root unless told so twice.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  # It names its shared-memory files by host, job and rank on the node: two nodes of one host would share them.
  export OMPI_MCA_btl=self,tcp
  # Nor can it know that the nodes share cores, so that waiting ranks should yield: 30 us a message for 6 ms.
  export OMPI_MCA_mpi_yield_when_idle=1
}

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
# Where PMIx has its sockets, which are named by job alone.
TmpFS=$folder/tmp-%n
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
    mkdir -p "$folder/spool-$node" "$folder/tmp-$node"
    slurmd -D -N "$node" >"$folder/slurmd-$node.out" 2>&1 &
    cluster_pids+=($!)
  done
  wait_until 30 all_nodes_idle
}

hide_pmix() {
  mkdir -p "$1"
  cat >"$1/srun" <<SRUN
#!/bin/sh
[ "\$*" != --mpi=list ] || { echo "MPI plugin types are... none pmi2"; exit 0; }
exec $(command -v srun) "\$@"
SRUN
  chmod +x "$1/srun"
  export PATH=$1:$PATH
}

job_state() { scontrol --oneliner show job "$1" | grep -o 'JobState=[A-Z_]*' | cut -d= -f2; }
job_ended() { ! job_state "$1" | grep -Eq 'PENDING|RUNNING|COMPLETING|REQUEUE|PREEMPTED|SUSPENDED'; }

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
