#!/usr/bin/env bash
# An evaluation goes over all samples of its input, the last batch short, with the same bits on any number of ranks.
#   evaluation_over_the_set_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

echo x > train.csv
echo x > test.csv
for i in $(seq 0 9); do echo "$i" >> test.csv; done
for i in $(seq 20 31); do echo "$i" >> train.csv; done

# spec NAME TEST_BATCH FEED [REPLICAS]: metrics over what is fed in the place of `batch`.
spec() {
  cat > "$1.yaml" << YAML
dfrun: 1
inputs:
  batch: {csv: train.csv, header: true, tensors: {x: ~}, batch: 3, shuffle: true}
  test: {csv: test.csv, header: true, tensors: {x: ~}, batch: $2, shuffle: true}
  other: {csv: train.csv, header: true, tensors: {x: ~}, batch: 3}
graph:
  W: {op: Variable, shape: [], init: 2}
  loss: Mean(Square(batch/x * W))
  mean: Mean(batch/x)
  thirds: Mean(batch/x / 3)
  most: Cast(Max(batch/x), DstT=int64)
  both: Mean(batch/x) + Mean(other/x)
train: {loss: loss, learning_rate: 0.0001, steps: 4, log_every: 4, replicas: ${4:-1}}
eval: {every: 2, feed: {$3}, metrics: [mean, thirds, most]}
YAML
}
# evals RUN METRIC: its values in the order of the steps.
evals() { sed -nE "s/.*\"eval\/$2\": ([^,}]+).*/\1/p" "$1/metrics.jsonl" | paste -sd ' '; }
check() { [ "$(evals "$1" "$2")" = "$3" ] || fail "$1: $2 is '$(evals "$1" "$2")', not '$3'"; }

spec short 4 "batch: test" 3
spec whole all "batch: test"
spec even 5 "batch: test"
spec own 4 ""
for job in short whole even own; do
  for np in 1 2 3; do
    ranks $np "$DFRUN" $job.yaml --output "$job$np" > log 2>&1 || { cat log; fail "$job on $np ranks"; }
    cmp <(grep eval/ "${job}1/metrics.jsonl" | sed 's/"wall_s": [^,]*,//') \
        <(grep eval/ "$job$np/metrics.jsonl" | sed 's/"wall_s": [^,]*,//') || fail "$job: another evaluation on $np ranks"
  done
done
for job in short whole even; do check ${job}1 mean "4.5 4.5"; done
check own1 mean "25.5 25.5"
check whole1 most "9 9"
check short1 most "5.8 5.8"  # the maxima 3, 7 and 9 of batches of 4, 4 and 2
check even1 thirds "1.5 1.5"

# Two inputs that are gone over together are alike, or refused with their place.
sed 's/metrics: .*/metrics: [both]}/' short.yaml > unlike.yaml
expect 65 "unlike.yaml:14:1: the metrics of 'eval' are of two inputs that are gone over together" "$DFRUN" check unlike.yaml

# What is saved and resumed goes on with the same evaluation.
sed 's/^eval:/checkpoint: {every: 2}\neval:/' short.yaml > saved.yaml
sed 's/steps: 4/steps: 2/' saved.yaml > half.yaml
"$DFRUN" half.yaml --output resumed > log 2>&1 || { cat log; fail "half a job"; }
ranks 2 "$DFRUN" saved.yaml --output resumed --resume > log 2>&1 || { cat log; fail "the other half"; }
check resumed mean "4.5 4.5"
# `dfrun eval` of the spec measures what the job did, of the weights that it saved.
for np in 1 2; do
  ranks $np "$DFRUN" eval saved.yaml --restore resumed > log 2>&1 || { cat log; fail "eval on $np ranks"; }
  grep -qF 'mean: float32[] 4.5' log && grep -qF 'most: float64[] 5.8' log || { cat log; fail "eval on $np ranks"; }
done
"$DFRUN" eval saved.yaml --restore resumed --feed batch=batch > log 2>&1 || { cat log; fail "over another input"; }
grep -qF 'mean: float32[] 25.5' log || { cat log; fail "over another input"; }
"$DFRUN" eval saved.yaml --restore resumed --fetch most --repeat 2 > log 2>&1 || { cat log; fail "by batches"; }
grep -qF 'most: int64[2,3] 3 7 9 3 7 9' log || { cat log; fail "by batches"; }
echo "evaluations go over all samples on 1 to 3 ranks"
