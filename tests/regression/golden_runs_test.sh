#!/usr/bin/env bash
# Specs, run directories and checkpoints of an earlier version, in tests/golden/runs, pass `check`, are resumed and go on
# with the numbers of that version, and are evaluated to its values.
#   golden_runs_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cp -r "$SOURCE/tests/golden/runs/." .
cp -r "$SOURCE/configs/data" data
# lines FILE STEP: its lines after the step at which the job was stopped, without times, memory and what that version did
# not tell.
lines() {
  sed -E 's/"(wall_s|samples_per_s|waiting\/[a-z]+|memory[^"]*|epoch|learning_rate)": [^,]*, //g; s/, "(state|grad_norm)": [^,}]*//g' "$1" |
    awk -v after="$2" -F '[ ,]' '$2 > after'
}
# same_numbers EXPECTED SEEN: equal words, numbers up to how sums are rounded, which may follow the processor's vectors.
same_numbers() {
  paste -d '\n' "$1" "$2" | awk -F '[ ,}]' '
    NR % 2 { count = split($0, wanted); next }
    {
      if (NF != count) { print "not so many words: " $0; bad = 1; next }
      for (i = 1; i <= NF; ++i) {
        if ($i == wanted[i]) continue
        if ($i + 0 == 0 || ($i - wanted[i])^2 > (1e-5 * wanted[i])^2) { print $0; bad = 1 }
      }
    }
    END { exit bad || NR == 0 }' || fail "$3"
}

for name in mlp regularised recurrent ps; do
  [ $name = ps ] || { ln -s ../data $name/data; ln -s ../lib $name/lib; }
  cd $name
  step=$(cat run/checkpoints/LATEST)
  step=${step##*-}
  expect 0 "spec.yaml: ok" "$DFRUN" check spec.yaml --ranks 2
  if [ -f eval.txt ]; then
    timeout 60 "$DFRUN" eval spec.yaml --restore run > evaluated 2> err || { cat err; fail "eval of $name"; }
    same_numbers eval.txt evaluated "eval of $name gives other values"
  fi
  for np in 1 2 3; do
    [ $name != ps ] || [ $np != 1 ] || continue  # it has a job of its own for the variables
    cp -r run run$np
    ranks $np "$DFRUN" spec.yaml --output run$np --resume > log 2>&1 || { cat log; fail "$name on $np ranks"; }
    grep -q "resuming at step $step" log || { cat log; fail "$name is not resumed at step $step"; }
    lines run$np/metrics.jsonl "$step" > seen
    lines metrics.jsonl "$step" > wanted
    same_numbers wanted seen "$name on $np ranks goes on with other numbers"
  done
  cd ..
done
echo "run directories of an earlier version checked, evaluated and resumed"
