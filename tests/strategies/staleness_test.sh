#!/usr/bin/env bash
# The bound of staleness in jobs on two ranks: who takes a share of step s reads variables with the updates of all
# shares of the steps up to s - 1 - N. The graph itself asserts it in each share.
#   staleness_test.sh SOURCE_DIR DFRUN LIBRARY [SHARES]    LIBRARY: of TestWait; SHARES: of each job
SOURCE=$1 DFRUN=$2 LIBRARY=$3 SHARES=${4:-4000}
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY

# A share is a row, which holds the share's number. `applied` counts shares by their numbers modulo 64: more than are in
# flight. One replica is slow, so that the others come to the bound.
replicas=4
seq 0 $((SHARES - 1)) > rows.csv
cat > job.yaml <<Y
dfrun: 1
params: {bound: 0, asserted: 0}
inputs:
  batch: {csv: rows.csv, tensors: {share: {from: 0, dtype: int32}}, batch: $replicas}
graph:
  applied: {op: Variable, shape: [64], init: zeros, dtype: int32, trainable: false, reduce: sum}
  W: {op: Variable, shape: [], init: 0}
  first_open: (FloorDiv(Min(batch/share), $replicas) - \${asserted}) * $replicas
  least: FloorDiv(first_open - Range(0, 64, 1) + 63, 64)
  say: Assert(All(applied >= least), [batch/share, applied])
  count: {op: ScatterAdd, inputs: [applied, "FloorMod(batch/share, 64)", "OnesLike(batch/share)"], control: [^say]}
  x: {op: TestWait, inputs: [batch/share], milliseconds: [0, 0, 0, 0.3]}
  raw: Mean(Square(Cast(x, DstT=float32) * 0.00001 * W - 3.0))
  loss: {op: Identity, input: raw, control: [^count]}
train:
  {loss: loss, learning_rate: 0.001, epochs: 1, log_every: 50,
   strategy: async, replicas: $replicas, max_staleness: "\${bound}"}
Y

job() {  # job BOUND ASSERTED
  rm -rf run
  ranks 2 -x "LD_PRELOAD=$LIBRARY" -x LD_LIBRARY_PATH "$DFRUN" job.yaml --output run --threads 1 \
    --set "bound=$1" --set "asserted=$2"
}

for bound in 0 1 4; do
  job $bound $bound > out 2>&1 || { cat out >&2; fail "max_staleness: $bound"; }
  seen=$(sed -nE 's/.*"async\/staleness_max": ([0-9]+).*/\1/p' run/metrics.jsonl | sort -n | tail -n 1)
  # From the token of a share of step s on shares of the steps s - N to s + N are applied, itself left out.
  most=$(((2 * bound + 1) * replicas - 1))
  [ "$seen" -le "$most" ] || fail "max_staleness: $bound: $seen shares between a share's read and its update"
  echo "max_staleness: $bound: at most $seen of $most shares between a share's read and its update"
done
# The job does assert it: a looser bound is found.
! job 2 1 > out 2>&1 || fail "nothing is asserted"
grep -q "op Assert" out || { cat out >&2; fail "another error"; }
