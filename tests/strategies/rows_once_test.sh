#!/usr/bin/env bash
# Each row once: a table counts the rows by their numbers, with the updates of their shares, in jobs of which a rank is
# killed at random instants and that are resumed. In the end each row was counted once an epoch, and some once more: the
# rest of the last batch.
#   rows_once_test.sh SOURCE_DIR DFRUN LIBRARY [KILLS [SEED]]    LIBRARY: of TestWait; KILLS: of each job
SOURCE=$1 DFRUN=$2 LIBRARY=$3 KILLS=${4:-1} SEED=${5:-1}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/failures.sh"
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY
RANDOM=$SEED

# A share takes 6 ms, of one replica 12, so that ranks are killed in mid-step.
batch=24 epochs=5
rows=$((batch * (20 * KILLS + 30) + 4))
steps=$(((rows * epochs + batch - 1) / batch))
for ((i = 0; i < rows; ++i)); do echo "$i,$((i % 7))"; done > rows.csv
cat > job.yaml <<Y
dfrun: 1
inputs:
  batch: {csv: rows.csv, tensors: {id: {from: 0, dtype: int32}, x: 1}, batch: $batch, shuffle: true}
graph:
  seen: {op: Variable, shape: [$rows], init: zeros, dtype: int32, trainable: false, reduce: sum}
  W: {op: Variable, shape: [], init: 0}
  id: {op: TestWait, inputs: [batch/id], milliseconds: [6, 6, 12, 6]}
  count: ScatterAdd(seen, id, OnesLike(id))
  raw: Mean(Square(batch/x * W - 3.0))
  loss: {op: Identity, input: raw, control: [^count]}
train: {loss: loss, learning_rate: 0.001, epochs: $epochs, replicas: 4, log_every: 5}
checkpoint: {every: 7}
Y

start_job() {  # start_job RUN OPTION...: from its last checkpoint, where it has one
  local run=$1 resume=()
  shift
  if [ -n "$(find "$run/checkpoints" -maxdepth 1 -name 'step-*' ! -name '*.tmp*' 2> /dev/null)" ]; then
    resume=(--resume)
  else
    rm -rf "$run"
  fi
  touch began
  start_ranks 2 -x "LD_PRELOAD=$LIBRARY" -x LD_LIBRARY_PATH "$DFRUN" job.yaml --output "$run" "${resume[@]}" "$@"
}

ends() {  # ends SECONDS: within them, with `code`
  for _ in $(seq $((20 * $1))); do kill -0 "$job" 2> /dev/null || break; sleep 0.05; done
  ! kill -0 "$job" 2> /dev/null || { cat "$WORK/out" >&2; fail "the job has not ended in $1 s"; }
  code=0
  wait "$job" || code=$?
}

# A rank is killed within 1.2 s, of three jobs in four from the first step on, of the others from the start on.
kill_rank() {  # kill_rank RUN NUMBER
  local victim=$((RANDOM % 2)) at_ms=$((RANDOM % 1200)) pid
  if [ $(($2 % 4)) -lt 3 ]; then
    for _ in $(seq 400); do [ ! "$1/metrics.jsonl" -nt began ] || break; sleep 0.05; done
  fi
  sleep "$((at_ms / 1000)).$(printf %03d $((at_ms % 1000)))"
  while kill -0 "$job" 2> /dev/null; do  # until there is such a process
    for pid in $(pgrep -P "$job" || true); do
      { tr '\0' '\n' < "/proc/$pid/environ"; } 2> /dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$victim" || continue
      kill -KILL "$pid" && return 0
    done
    sleep 0.02
  done
}

check_counts() {  # check_counts RUN
  /usr/bin/python3 - "$1/checkpoints/step-$steps/index.h5" "$rows" "$epochs" $((steps * batch)) <<'P' || fail "$1"
import collections
import sys

import h5py

path, rows, epochs, taken = sys.argv[1], *map(int, sys.argv[2:])
with h5py.File(path) as f:
    seen = collections.Counter(f["seen:0"][()].tolist())
more = taken - rows * epochs
if seen != {epochs: rows - more, epochs + 1: more}:
    sys.exit(f"rows by how often they were counted: {dict(seen)}, not {rows - more} {epochs} times, {more} once more")
P
}

strategies=(
  "sync --set train.strategy=sync"
  "backup --set train.strategy=sync --set train.backup=1"
  "async-none --set train.strategy=async"
  "async-0 --set train.strategy=async --set train.max_staleness=0"
  "async-4 --set train.strategy=async --set train.max_staleness=4"
)
for strategy in "${strategies[@]}"; do
  read -r run options <<< "$strategy"
  read -ra options <<< "$options"
  in_steps=0
  [ "$KILLS" -gt 1 ] || [ "$run" != sync ] || continue
  for ((killed = 0; killed < KILLS; )); do
    start_job "$run" "${options[@]}"
    kill_rank "$run" "$killed"
    ends 60
    [ "$code" != 0 ] || fail "$run is over after $killed kills"
    [[ $code = 137 || $code = 76 ]] || { cat "$WORK/out" >&2; fail "$run ends with $code"; }
    no_process_left
    killed=$((killed + 1))
    [ ! "$run/metrics.jsonl" -nt began ] || in_steps=$((in_steps + 1))
  done
  start_job "$run" "${options[@]}"
  ends 400
  [ "$code" = 0 ] || { cat "$WORK/out" >&2; fail "$run resumed ends with $code"; }
  check_counts "$run"
  more=$((steps * batch - rows * epochs))
  echo "$run: $killed kills, $in_steps of them in steps; each of $rows rows $epochs times, $more once more"
done
