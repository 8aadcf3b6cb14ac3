#!/usr/bin/env bash
# Steps that do not go on: who waits for whom is said by name, in time; what can never go on ends with 70, and what is
# only slow does not. A signal asks for the same at any time.
#   TEST_TRANSPORT=LIBRARY hangs_test.sh SOURCE_DIR DFRUN    a library of tests/transport, one of which swallows a message
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"

preload=
graphs=$SOURCE/tests/regression/hangs
says() {  # says TEXT...
  for text in "$@"; do
    grep -qF -- "$text" "$WORK/out" || { cat "$WORK/out" >&2; fail "'$text' is not said"; }
  done
}
hangs() {  # hangs RANKS GRAPH ARGS... : ends with 70 within 10 s of the 1 s that it may stall
  local count=$1 graph=$2 begun=$SECONDS
  shift 2
  start_ranks "$count" env "LD_PRELOAD=$preload" "$DFRUN" eval "$graphs/$graph" --stall 1 "$@"
  ends_with 70 "the job can never go on"
  [ $((SECONDS - begun)) -le 13 ] || fail "$graph took $((SECONDS - begun)) s"
  no_process_left
}

hangs 2 cycle.pbtxt --fetch out
says "ranks wait for one another in a cycle" "rank 0 waits for yp from rank 1, which waits in Dequeue(qb)" \
  "the cycle: rank 0 waits in Dequeue(qa), behind yp/_Recv_1, which waits for yp from rank 1"
hangs 2 cycle.pbtxt --fetch out --threads 3
says "ranks wait for one another in a cycle"
if "$DFRUN" info | grep -q '^transport *ucx: UCX'; then
  hangs 2 cycle.pbtxt --fetch out --transport ucx  # ranks sleep on the network
  says "ranks wait for one another in a cycle"
fi
hangs 2 unfilled.pbtxt --fetch y --target fill --no-optimize
says "rank 1 waits in Dequeue(batches), and no node that is in progress would put into it" \
  "rank 0 waits for xp from rank 1, which waits in Dequeue(batches)"
source "$SOURCE/tests/preload.sh"
preload=$TEST_TRANSPORT
preload_name preload
export DFRUN_TEST_DROPS=3
hangs 2 dropped.pbtxt --fetch sum --repeat 10 --transport dropping
unset DFRUN_TEST_DROPS
preload=
says "rank 0 waits for r from rank 1, which has sent it: the message is on its way, or lost (step 2)"

# One rank, without mpirun.
start "$DFRUN" eval "$graphs/locked.pbtxt" --fetch y --stall 1
ends_with 70 "rank 0 waits in MutexLock(m)"

# A kernel that runs for long on one rank: said, and nothing more.
cat > slow.yaml <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: ones}
  spin: {op: While, vars: {i: 0, x: 1.0}, cond: i < 150000000, body: {i: i + 1, x: "x * 0.999 + 0.001"}}
  y: {op: Identity, inputs: ["spin:1"], device: "/job:worker/task:1"}
run: {fetch: [y], steps: 2}
YAML
start_ranks 2 "$DFRUN" slow.yaml --output slow --stall 1
for _ in $(seq 600); do kill -0 "$job" 2> /dev/null || break; sleep 0.1; done
wait "$job" || { cat "$WORK/out" >&2; fail "a slow job ends with $?"; }
says "the job goes on"
! grep -q "can never go on" "$WORK/out" || fail "a slow job is called stuck"
[ "$(grep -c "the job goes on" "$WORK/out")" -le 2 ] || fail "it is said more than once a stall"

# A signal to one rank, or to mpirun; a rank that is stopped is silent, and does not hide those behind it.
training_spec > job.yaml
start_ranks 4 "$DFRUN" job.yaml --output asked --heartbeat off --stall 2
until_running asked
signal USR2 "$(pid_of_rank 3)"
for _ in $(seq 50); do grep -q "as a signal asks" "$WORK/out" && break; sleep 0.1; done
says "what the ranks wait for, as a signal asks"
held=$(pid_of_rank 2)
signal STOP "$held"
for _ in $(seq 120); do grep -q "is silent" "$WORK/out" && break; sleep 0.1; done
says "rank 2 is silent: it does not answer"
! grep -q "rank [013] is silent" "$WORK/out" || { cat "$WORK/out" >&2; fail "a rank behind the stopped one is called silent"; }
signal CONT "$held"
: > "$WORK/out"
signal USR2 "$job"
for _ in $(seq 50); do grep -q "as a signal asks" "$WORK/out" && break; sleep 0.1; done
says "what the ranks wait for, as a signal asks"
signal USR1 "$job"
ends_with 75
echo "what waits for what is said, and only what can never go on is ended"
