#!/usr/bin/env bash
# A signal finds work that does not end: a job waits for its grace alone, and says what is committed; `eval` ends soon.
#   signals_in_time_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"

# Steps that log spin for minutes, since a summary alone wants that; the nine before them do not.
cat > stuck.yaml <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: ones}
  spin: {op: While, vars: {i: 0, x: 1.0}, cond: i < 2000000000, body: {i: i + 1, x: "x * 0.999 + 0.001"}}
  spun: Identity(spin:1)
  loss: Sum(w * w)
summaries: {scalars: [spun]}
train: {loss: loss, optimizer: sgd, learning_rate: 0.001, steps: 1000, log_every: 10}
checkpoint: {every: 9}
YAML
grep -v '^checkpoint' stuck.yaml > unsaved.yaml

within() {  # within SECONDS: since `begun`
  local taken=$((SECONDS - begun))
  [ "$taken" -le "$1" ] || fail "it took $taken s, more than $1"
}
until_saved() {  # until_saved RUN
  for _ in $(seq 100); do
    [ ! -e "$1/checkpoints/step-9/manifest.json" ] || { sleep 0.3; return 0; }
    sleep 0.1
  done
  cat "$WORK/out" >&2
  fail "$1 has not saved"
}

begun=$SECONDS
start "$DFRUN" stuck.yaml --output one --grace 2
until_saved one
signal TERM "$job"
ends_with 75 "did not end within"
within 10
grep -q "step 9 is saved in one/checkpoints" "$WORK/out" || { cat "$WORK/out"; fail "it does not say what is committed"; }

start "$DFRUN" unsaved.yaml --output unsaved --grace 1
sleep 1
signal USR1 "$job"
ends_with 138 "nothing is saved"

# A second SIGINT ends it at once.
start "$DFRUN" stuck.yaml --output twice
until_saved twice
begun=$SECONDS
signal INT "$job"
sleep 0.3
signal INT "$job"
ends_with 130
within 3

begun=$SECONDS
start "$DFRUN" unsaved.yaml --output quits
sleep 1
signal QUIT "$job"
sleep 0.3
signal QUIT "$job"
ends_with 131
within 4

# The grace is over, and nothing was saved yet: there is nothing to start again from.
sed 's/every: 9/every: 900/' stuck.yaml > unsaved_yet.yaml
begun=$SECONDS
start "$DFRUN" unsaved_yet.yaml --output yet --grace 1
sleep 1
signal TERM "$job"
ends_with 143 "nothing is saved"
within 10

# Rank 0 is in the step; the signal reaches the other, which waits.
start_ranks 2 "$DFRUN" stuck.yaml --output two --grace 2
until_saved two
begun=$SECONDS
signal TERM "$(pid_of_rank 1)"
ends_with 75 "did not end within"
within 20

# eval: between two steps, and in one that waits for ever.
begun=$SECONDS
start "$DFRUN" eval stuck.yaml --fetch w --repeat 100000000 --out out.h5
sleep 1
signal TERM "$job"
ends_with 143 "ended by SIGTERM"
cat > waits.pbtxt <<'GRAPH'
node { name: "m" op: "MutexV2" }
node { name: "held" op: "MutexLock" input: "m" }
node { name: "again" op: "MutexLock" input: "m" input: "^held" }
node { name: "freed" op: "ConsumeMutexLock" input: "held" input: "^again" }
node { name: "y" op: "Const" input: "^freed" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
GRAPH
for signal_and_code in "INT 130" "TERM 143" "USR1 138"; do
  read -r name code <<< "$signal_and_code"
  start "$DFRUN" eval waits.pbtxt --fetch y --out out.h5
  sleep 0.7
  signal "$name" "$job"
  ends_with "$code" "SIG$name"
done
within 25
start_ranks 2 "$DFRUN" eval stuck.yaml --fetch spun
sleep 2
begun=$SECONDS
signal INT "$(pid_of_rank 1)"
ends_with 130 "SIGINT"
within 15
[ ! -e out.h5 ] || fail "eval left its output though it did not end"
no_temporaries
echo "what does not end is ended in time, with the code of the signal"
