#!/usr/bin/env bash
# Trainings of each strategy, over each transport, that end, fail in a node, are stopped by a signal, and whose rank
# dies or is stopped, in mid-step: none hangs, and each ends with its code and names the rank.
#   strategy_ends_test.sh SOURCE_DIR DFRUN LIBRARY [TRANSPORTS]
# LIBRARY is that of TestWait. Without TRANSPORTS each end is that of one strategy alone, over MPI.
SOURCE=$1 DFRUN=$2 LIBRARY=$3 TRANSPORTS=${4:-}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY
RANDOM=1

# A step is a wait of 20 ms and little else.
batch=8 rows=4000
for ((i = 0; i < rows; ++i)); do echo "$i,$((i % 7))"; done > rows.csv
cat > job.yaml <<Y
dfrun: 1
params: {bad: -1}
inputs:
  batch: {csv: rows.csv, tensors: {id: {from: 0, dtype: int32}, x: 1}, batch: $batch}
graph:
  W: {op: Variable, shape: [], init: 0}
  x: {op: TestWait, inputs: [batch/x], milliseconds: [20]}
  fine: "All(NotEqual(batch/id, \${bad}))"
  say: {op: Assert, inputs: [fine, batch/id]}
  raw: Mean(Square(x * W - 3.0))
  loss: {op: Identity, input: raw, control: [^say]}
train: {loss: loss, learning_rate: 0.001, steps: 100000, replicas: 2, log_every: 1}
checkpoint: {every: 10}
Y
# Where a rank is killed Open MPI ends the job with the rank's code; behind a script that outlives its rank dfrun does.
cat > outlives <<'SH'
#!/bin/sh
"$@"
code=$?
[ $code -lt 128 ] || sleep 20
exit $code
SH
chmod +x outlives

strategies=(
  "sync strategy=sync"
  "local strategy=local sync_every=5"
  "backup strategy=sync backup=1"
  "async-none strategy=async"
  "async-0 strategy=async max_staleness=0"
  "async-2 strategy=async max_staleness=2"
)
ends=(ends fails killed-0 killed-1 stopped signalled)

says() {  # says PATTERN
  grep -qE -- "$1" "$WORK/out" || { cat "$WORK/out" >&2; fail "$run does not say '$1'"; }
}
dfrun_of_rank() {  # dfrun_of_rank RANK: its process, which may be behind a script
  local pid
  pid=$(pid_of_rank "$1")
  pgrep -P "$pid" -x dfrun || echo "$pid"
}

# A job of one strategy that ends in one way; $run is its run directory.
run_job() {  # run_job END TRANSPORT STRATEGY KEY...
  local end=$1 transport=$2 rank=$((RANDOM % 2)) of wrapper=() options=()
  run=$3-$1-$2
  shift 3
  for key in "$@"; do options+=(--set "train.$key"); done
  case $end in
    ends) options+=(--set train.steps=15) ;;
    fails) options+=(--set "bad=$((batch * (20 + RANDOM % 10) + RANDOM % batch))") ;;
    killed-*) wrapper=("$WORK/outlives") rank=${end#killed-} ;;
    stopped) options+=(--heartbeat 0.2,1) ;;
  esac
  start_ranks 2 -x "LD_PRELOAD=$LIBRARY" -x LD_LIBRARY_PATH "${wrapper[@]}" "$DFRUN" job.yaml --output "$run" \
    --transport "$transport" --threads 1 "${options[@]}"
  case $end in killed-* | stopped | signalled)
    until_running "$run"
    sleep "0.$((100 + RANDOM % 400))"
  esac
  case $end in
    ends) ends_with 0 "step 15/15" ;;
    fails)
      ends_with 70 "(op Assert)"
      # Two of three replicas are on the first rank.
      [[ $run = backup-* ]] && of=replica_[0-2] || of='replica_\1'
      says "rank ([01]) \(host .*\): node '$of/say' \(op Assert\) on /job:worker/task:\1/" ;;
    killed-*)
      signal KILL "$(dfrun_of_rank "$rank")"
      ends_with 76
      says "rank $rank \(host .*\) was lost: its process has ended" ;;
    stopped)
      signal STOP "$(dfrun_of_rank "$rank")"
      ends_with 76
      says "rank $rank \(host .*\) was lost: no heartbeat" ;;
    signalled)
      signal USR1 "$job"
      ends_with 75 "is saved" ;;
  esac
  no_process_left
}

jobs=0
for transport in ${TRANSPORTS:-mpi}; do
  for i in "${!ends[@]}"; do
    for s in "${!strategies[@]}"; do
      [ -n "$TRANSPORTS" ] || [ "$s" = $((i % ${#strategies[@]})) ] || continue
      # shellcheck disable=SC2086  # words
      run_job "${ends[i]}" "$transport" ${strategies[s]}
      jobs=$((jobs + 1))
    done
  done
done
echo "$jobs jobs ended as they should"
