#!/usr/bin/env bash
# Jobs with several steps in flight: the same numbers in the same lines as with one, on 1, 2 and 4 ranks.
#   in_flight_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

lines() {  # lines RUN: of metrics.jsonl, without time and memory, and the states that steps in flight have none of
  sed -E 's/"(wall_s|samples_per_s|waiting\/[a-z]+|memory[^"]*)": [0-9.e+-]+,? ?//g; s/, "state": "[0-9a-f]*"//' \
    "$WORK/$1/metrics.jsonl"
}

# Random numbers, counters and values of every rank: parts that hold state take turns, others run at the same time.
cat > "$WORK/run.yaml" << 'END'
dfrun: 1
graph:
  noise: {each: tasks(worker), op: RandomUniform, inputs: ["[64, 64]"], dtype: float32, device: "/job:worker/task:${i}"}
  count: {each: tasks(worker), op: Variable, shape: [], init: zeros, device: "/job:worker/task:${i}"}
  sum:   {each: tasks(worker), op: Sum, inputs: ["MatMul(noise/${i}, noise/0)"], axis: [0, 1],
          device: "/job:worker/task:${i}"}
  up:    {each: tasks(worker), op: AssignAdd, inputs: ["count/${i}", "sum/${i}"], device: "/job:worker/task:${i}"}
  all:   {op: AddN, inputs: [up/*], device: /job:worker/task:0}
run: {steps: 23, fetch: [all], steps_in_flight: 1}
checkpoint: {every: 5}
END
sed 's/steps_in_flight: 1/steps_in_flight: 4/' "$WORK/run.yaml" > "$WORK/run4.yaml"

digits=$(short_spec digits_mlp 2 1000)
sed -i 's/batch: all/batch: 32/; s/eval:  {every: 100,/eval: {every: 20, steps_in_flight: 1,/' "$digits"
grep -q 'eval: {every: 20, steps_in_flight: 1' "$digits" || fail "the spec has no evaluation of that form"
sed 's/steps_in_flight: 1/steps_in_flight: 5/' "$digits" > "${digits%.yaml}5.yaml"

for ranks in 1 2 4; do
  for kind in run run4; do
    train "$ranks" "$WORK/$kind.yaml" "$WORK/$kind.$ranks" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$kind on $ranks"; }
  done
  [ "$(lines "run.$ranks" | wc -l)" -ge 23 ] || fail "not every step is in metrics.jsonl"
  [ "$(lines "run.$ranks" | sort -u | wc -l)" -ge 23 ] || fail "the steps do not differ"
  diff <(lines "run.$ranks") <(lines "run4.$ranks") || fail "steps in flight have other values on $ranks ranks"
  ls "$WORK/run4.$ranks/checkpoints" | diff - <(ls "$WORK/run.$ranks/checkpoints") || fail "other checkpoints"
  # A checkpoint holds what its step left, and nothing of the steps after it.
  for kind in run run4; do
    train "$ranks" "$WORK/$kind.yaml" "$WORK/$kind.$ranks" --resume=15 > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "resume"; }
  done
  diff <(lines "run.$ranks") <(lines "run4.$ranks") || fail "other values after --resume"

  for kind in digits_mlp digits_mlp5; do
    train "$ranks" "$WORK/configs/$kind.yaml" "$WORK/$kind.$ranks" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$kind"; }
  done
  [ "$(lines "digits_mlp.$ranks" | grep -c eval/)" -ge 2 ] || fail "there are no evaluations"
  diff <(lines "digits_mlp.$ranks") <(lines "digits_mlp5.$ranks") || fail "evaluations differ on $ranks ranks"
done
for ranks in 2 4; do
  diff <(lines digits_mlp5.1) <(lines "digits_mlp5.$ranks") || fail "evaluations on 1 and $ranks ranks differ"
done
echo "the same lines with 1 and 4 steps in flight"
