#!/usr/bin/env bash
# TensorBoard, with and without its data server, answers with the numbers of metrics.jsonl, the hyperparameters of
# run.json, and the graph with its devices and times; of runs that were killed and resumed too. Skipped without TensorBoard.
#   tensorboard_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
TENSORBOARD=${DFRUN_TENSORBOARD:-$SOURCE/build/golden/venv/bin/tensorboard}
if [ ! -x "$TENSORBOARD" ]; then
  echo "skipped: there is no $TENSORBOARD; DFRUN_TENSORBOARD may name the program of a virtual environment with tensorboard"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/tests/regression/events

cat > far.yaml <<'Y'
dfrun: 1
params: {rate: 0.125}
graph:
  W:     {op: Variable, shape: [400], init: zeros}
  noise: RandomUniform(shape=[8, 400], minval=-0.1, maxval=0.1)
  loss:  Mean(Square(W + noise - 3.0))
  far:   Abs(Mean(W) - 1.5)
  none:  far / 0.0 * 0.0
train: {loss: loss, learning_rate: "${rate}", steps: 4000, replicas: 2, log_every: 2}
eval: {every: 5, metrics: [far, none]}
summaries: {scalars: [far]}
checkpoint: {every: 100, keep: 2}
Y
ranks 2 "$DFRUN" far.yaml --output logs/traced --trace 3 --set train.steps=40 > log 2>&1 || { cat log; fail "the job"; }
names=(traced)
for run in $(seq "${RUNS:-5}"); do
  many=(far.yaml --output "logs/run$run" --set "rate=0.0$run")
  if [ $((run % 5)) -lt 2 ]; then
    "$DFRUN" "${many[@]}" > log 2>&1 &
    job=$!
    for _ in $(seq 3000); do
      if [ "$({ cat "logs/run$run/metrics.jsonl" 2> /dev/null || true; } | wc -l)" -gt $((run * 20)) ]; then break; fi
      sleep 0.01
    done
    kill -9 "$job" || { cat log; fail "the job ended before it was killed"; }
    wait "$job" 2> /dev/null || true
    many+=(--resume)
  fi
  "$DFRUN" "${many[@]}" > log 2>&1 || { cat log; fail "the job"; }
  names+=("run$run")
done
/usr/bin/python3 "$SOURCE/tests/regression/events/ask.py" "$TENSORBOARD" logs "${names[@]}" || fail "TensorBoard differs"
