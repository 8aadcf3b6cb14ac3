#!/usr/bin/env bash
# The bits of a training by a strategy depend neither on the number of ranks nor on a kill: losses, evaluations, the
# fingerprints of steps and all that the last checkpoint holds are the same on each number of ranks, and for a job that
# was killed on so many ranks, at an instant of its own, and went on with another number. `sync` and `async` with one
# replica each are one training.
#   strategies_test.sh SOURCE_DIR DFRUN MODEL STEPS "REPLICAS..." RANKS...
# MODEL: mlp, cnn, lstm, or norm, a net with dropout and batch normalisation.
SOURCE=$1 DFRUN=$2 MODEL=$3 STEPS=$4 REPLICAS=$5
RANKS=("${@:6}")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

mkdir "$WORK/lib"
cp "$SOURCE/configs/lib/nn.yaml" "$WORK/lib/"
cp "$SOURCE/configs/data/digits.h5" "$WORK/"
test_input='s|^inputs:|&\n  test: {hdf5: digits.h5, tensors: {image: /test/image, label: /test/label}, batch: all}|'
graph=$SOURCE/tests/mpi/graphs/$MODEL.yaml
case $MODEL in
  mlp) keys="optimizer: momentum, learning_rate: 0.02" ;;
  cnn) keys="optimizer: adam, learning_rate: {schedule: cosine, initial: 0.01, steps: $STEPS}" ;;
  lstm) keys="optimizer: momentum, learning_rate: 0.02, clip_norm: 1.0" ;;
  norm) keys="optimizer: adam, learning_rate: 0.01"
        graph=$SOURCE/tests/mpi/graphs/mlp.yaml
        test_input+='
s/units=256/units=48/
s/dense(h1, /dense(drop, /
s/^  h2: /  norm: batch_norm(h1)\n  drop: dropout(norm, rate=0.2)\n&/' ;;
esac
# spec STRATEGY: the model, trained so.
spec() {
  sed -e "$test_input" -e '/^train:/d' "$graph" > "$WORK/spec.yaml"
  cat >> "$WORK/spec.yaml" <<END
train: {loss: loss, steps: $STEPS, log_every: 1, $keys, $1}
eval: {every: 40, feed: {batch: test}, metrics: [loss]}
checkpoint: {every: 20}
END
}
evaluations() { grep -o '"eval/.*' "$1/metrics.jsonl"; }
# Fingerprints by step: of jobs whose replicas run for themselves those between two periods.
states() { sed -nE 's/^\{"step": ([0-9]+), .*"state": "([0-9a-f]+)".*/\1 \2/p' "$1/metrics.jsonl" | sort -k1,1; }
# same NAME OTHER: fingerprints of the steps where both have them.
same() {
  local first=$WORK/$1 other=$WORK/$2
  cmp <(losses "$first") <(losses "$other") || fail "losses of $2 differ from those of $1"
  cmp <(evaluations "$first") <(evaluations "$other") || fail "evaluations of $2 differ from those of $1"
  join <(states "$first") <(states "$other") > "$WORK/states"
  [ "$(wc -l < "$WORK/states")" -ge $((STEPS / 40)) ] || fail "$1 and $2 have few fingerprints of the same steps"
  awk '$2 != $3 { exit 1 }' "$WORK/states" || fail "fingerprints of $2 differ from those of $1"
  h5diff --follow-symlinks "$first/checkpoints/step-$STEPS/index.h5" "$other/checkpoints/step-$STEPS/index.h5" ||
    fail "variables of $2 differ from those of $1"
}
run() {
  local name=$1 ranks=$2
  shift 2
  train "$ranks" "$WORK/spec.yaml" "$WORK/$name" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name"; }
}
logged() { wc -l 2> /dev/null < "$1/metrics.jsonl" || echo 0; }

# killed NAME RANKS OTHER: a job of which a rank is killed when so many steps are logged, and that goes on with others.
killed() {
  local name=$1 ranks=$2 other=$3 attempt job victims at
  for attempt in 1 2 3 4 5 6 7 8; do
    rm -rf "${WORK:?}/$name"
    at=$((20 + RANDOM % (STEPS / 2 - 10 * attempt / 2)))
    timeout 120 mpirun --oversubscribe -np "$ranks" "$DFRUN" "$WORK/spec.yaml" --output "$WORK/$name" > "$WORK/log" 2>&1 &
    job=$!
    for _ in $(seq 20000); do
      if [ "$(logged "$WORK/$name")" -ge "$at" ] || ! kill -0 $job 2> /dev/null; then break; fi
      sleep 0.002
    done
    mapfile -t victims < <(pgrep -P "$(pgrep -P $job mpirun)")
    [ ${#victims[@]} = 0 ] || kill -KILL "${victims[RANDOM % ${#victims[@]}]}" 2> /dev/null || true
    if ! wait $job && [ -e "$WORK/$name/checkpoints" ] && [ "$(logged "$WORK/$name")" -lt "$STEPS" ]; then
      at=$(losses "$WORK/$name" | tail -n 1 | cut -d ' ' -f 1)
      run "$name" "$other" --resume
      grep -q "resuming at step" "$WORK/log" || { cat "$WORK/log"; fail "$name did not resume"; }
      instants+=("$at")
      return
    fi
  done
  cat "$WORK/log"
  fail "no job of $name was killed in its midst"
}

# one NAME STRATEGY...: trainings that are the same, by each of the strategies.
one() {
  local name=$1 strategy first='' i ranks
  shift
  for strategy in "$@"; do
    spec "$strategy"
    for i in "${!RANKS[@]}"; do
      ranks=${RANKS[i]}
      run "$name-whole" "$ranks"
      if [ -z "$first" ]; then
        mv "$WORK/$name-whole" "$WORK/$name"
        first=$name
        [ "$(losses "$WORK/$name" | sort -u -k2 | wc -l)" -gt $((STEPS * 3 / 4)) ] || fail "the losses of $name do not change"
      else
        same "$name" "$name-whole"
      fi
      killed "$name-killed" "$ranks" "${RANKS[(i + 1) % ${#RANKS[@]}]}"
      same "$name" "$name-killed"
      rm -rf "$WORK/$name-whole" "$WORK/$name-killed"
    done
  done
  echo "$MODEL, $name: equal bits on ${RANKS[*]} ranks, whole and killed after the steps ${instants[*]}"
  instants=()
}
instants=()
one one "replicas: 1" "strategy: async"
for replicas in $REPLICAS; do
  one "async-$replicas" "strategy: async, replicas: $replicas, max_staleness: 0"
  one "local-$replicas" "strategy: local, replicas: $replicas, sync_every: 10"
  if cmp -s <(losses "$WORK/async-$replicas") <(losses "$WORK/local-$replicas"); then fail "all strategies are one"; fi
done
