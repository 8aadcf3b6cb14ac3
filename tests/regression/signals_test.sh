#!/usr/bin/env bash
# A signal ends a job after the step in progress with a checkpoint, whichever process it reaches; the job that goes on
# from there ends with the bits of one that was not interrupted.
#   signals_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"

# Each step spins for a while, so that the signal finds one in progress.
cat > job.yaml <<'YAML'
dfrun: 1
params: {turns: 1500000, steps: 200}
graph:
  w: {op: Variable, shape: [8], init: ones}
  spin: {op: While, vars: {i: 0, x: 1.0}, cond: "i < ${turns}", body: {i: i + 1, x: "x * 0.999"}}
  loss: "Sum(w * w) * StopGradient(spin:1 + 1.0)"
train: {loss: loss, optimizer: momentum, momentum: 0.9, learning_rate: 0.0001, steps: "${steps}", log_every: 5}
checkpoint: {every: 50, keep: 0}
YAML
grep -v '^checkpoint' job.yaml > unsaved.yaml

# One process.
start "$DFRUN" job.yaml --output term
until_running term
signal TERM "$job"
ends_with 75 "SIGTERM: the job ends after step"
saved=$(newest term)
[ $((saved % 50)) != 0 ] || [ "$saved" -gt 50 ] || fail "step $saved was saved by the spec's own interval"
start "$DFRUN" job.yaml --output usr1
until_running usr1
signal USR1 "$job"
ends_with 75 "SIGUSR1: the job ends after step"
newest usr1 > /dev/null
start "$DFRUN" job.yaml --output int
until_running int
signal INT "$job"
ends_with 130 "SIGINT: the job ends after step"
newest int > /dev/null

for name in HUP XCPU QUIT; do
  start "$DFRUN" job.yaml --output "saves-$name"
  until_running "saves-$name"
  signal "$name" "$job"
  [ "$name" != XCPU ] || { sleep 0.01; kill -s XCPU "$job" 2> /dev/null || true; }  # it comes again each second
  ends_with 75 "SIG$name: the job ends after step"
  newest "saves-$name" > /dev/null
done

# What it was started to ignore, as nohup does, it ignores.
for name in HUP QUIT; do
  rm -rf ignores
  start env --ignore-signal="$name" "$DFRUN" job.yaml --output ignores
  until_running ignores
  signal "$name" "$job"
  sleep 0.3
  signal TERM "$job"
  ends_with 75 "SIGTERM: the job ends after step"
done

# Without checkpoints: 128 + the signal, at the step's end.
for case in "TERM 143" "INT 130" "USR1 138" "HUP 129" "XCPU 152" "QUIT 131"; do
  read -r name code <<< "$case"
  start "$DFRUN" unsaved.yaml --output "unsaved-$name"
  sleep 0.7
  signal "$name" "$job"
  ends_with "$code" "SIG$name: the job ends"
  grep -q 'nothing is saved' "$WORK/out" || fail "it does not say that nothing is saved"
  [ ! -e "unsaved-$name/checkpoints" ] || fail "a checkpoint that the spec does not ask for"
  grep -q "\"exit\": $code" "unsaved-$name/run.json" || fail "run.json does not have the exit code $code"
done

# Ranks: to mpirun, which passes SIGUSR1 on, to one rank, to the others, to all.
start_ranks 3 "$DFRUN" job.yaml --output ranks
until_running ranks
signal USR1 "$job"
ends_with 75 "SIGUSR1: the job ends after step"
for target in "0" "1" "0 1 2"; do
  start_ranks 3 "$DFRUN" job.yaml --output ranks --resume
  until_resumed
  for rank in $target; do signal TERM "$(pid_of_rank "$rank")"; done
  ends_with 75 "SIGTERM: the job ends after step"
done
start_ranks 2 "$DFRUN" unsaved.yaml --output unsaved-ranks
until_running unsaved-ranks
signal INT "$(pid_of_rank 1)"
ends_with 130 "nothing is saved"
rm -rf unsaved-ranks
start_ranks 2 "$DFRUN" unsaved.yaml --output unsaved-ranks
until_running unsaved-ranks
signal HUP "$(pid_of_rank 1)"
ends_with 129 "nothing is saved"

# Open MPI 4 ends with 1 when it is itself told to end; the ranks save all the same.
rm -rf ranks
start_ranks 2 "$DFRUN" job.yaml --output ranks
until_running ranks
signal TERM "$job"
wait "$job" || true
newest ranks > /dev/null
grep -q 'SIGTERM: the job ends after step' "$WORK/out" || fail "the ranks did not save at the SIGTERM to mpirun"

# The same bits at the end as without interruption.
"$DFRUN" job.yaml --output whole > "$WORK/out" 2>&1 || fail "the job without interruption"
ranks 2 "$DFRUN" job.yaml --output ranks --resume > "$WORK/out" 2>&1 || { cat "$WORK/out"; fail "the resumed job"; }
"$DFRUN" job.yaml --output term --resume > "$WORK/out" 2>&1 || { cat "$WORK/out"; fail "the resumed job"; }
values job.yaml whole/checkpoints/step-50 early
values job.yaml whole/checkpoints/step-200 expected
! cmp -s early expected || fail "nothing was trained"
for run in ranks term; do
  values job.yaml "$run/checkpoints/step-200" seen
  cmp expected seen || fail "$run ends with other weights"
done
no_temporaries
echo "signals to one process, one rank, all, and mpirun: saved, resumed from step $saved to the same bits"
