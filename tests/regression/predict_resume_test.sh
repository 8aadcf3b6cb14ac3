#!/usr/bin/env bash
# dfrun predict that is killed leaves the rows that are done, and --resume goes on with them: the file has the bytes of
# one that was written in one go.
#   predict_resume_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"

/usr/bin/python3 - << 'END'
import h5py
import numpy as np
with h5py.File("d.h5", "w") as f:
    f["x"] = np.random.default_rng(1).normal(size=(8000, 64)).astype(np.float32)
END
{
  cat << 'END'
dfrun: 1
inputs: {batch: {hdf5: d.h5, tensors: {x: ~}, batch: 16}}
graph:
  W: {op: Variable, shape: [64, 3000], init: "RandomNormal(stddev=0.1)"}
  V: {op: Variable, shape: [3000, 64], init: "RandomNormal(stddev=0.02)"}
  h0: Identity(batch/x)
END
  for i in $(seq 40); do echo "  h$i: Tanh(MatMul(MatMul(h$((i - 1)), W), V))"; done
  echo "  logits: Identity(h40)"
} > m.yaml

# Ends all ranks of $job by this signal.
end_ranks() {
  local pids
  pids=$(pgrep -P "$job" || true)
  [ -n "$pids" ] || pids=$job
  kill -s "$1" $pids 2> /dev/null || true
  wait "$job" || true
}

# until_rows FILE: the job has noted rows of it as finished, or has ended.
until_rows() {
  for _ in $(seq 1200); do
    if grep -qs '"finished": \[\[0, [1-9]' "$1.partial.json"; then break; fi
    if [ -e "$1" ] || ! kill -0 "$job" 2> /dev/null; then break; fi
    sleep 0.05
  done
}

predict=("$DFRUN" predict m.yaml --fetch logits)
for kind in h5 csv; do
  "${predict[@]}" --out whole.$kind > log 2>&1 || { cat log; fail "predict to $kind"; }
  resumed=0
  for np in 1 3 2; do
    for signal in KILL TERM; do
      rm -f cut.$kind*
      if [ $np = 1 ]; then start "${predict[@]}" --out cut.$kind; else start_ranks $np "${predict[@]}" --out cut.$kind; fi
      until_rows cut.$kind
      end_ranks $signal
      if [ -e cut.$kind ]; then
        cmp cut.$kind whole.$kind || fail "$kind: a file that was not cut differs"
        continue
      fi
      [ -e cut.$kind.partial ] || { cat out; fail "$kind: nothing is left after $signal on $np ranks"; }
      resumed=$((resumed + 1))
      expect 64 '--resume goes on with them' "${predict[@]}" --out cut.$kind
      expect 64 'another set of feeds' "${predict[@]}" --feed batch=batch --resume --out cut.$kind
      ranks 2 "${predict[@]}" --resume --out cut.$kind > log 2>&1 || { cat log; fail "--resume"; }
      grep -q 'going on behind row [1-9]' log || { cat log; fail "--resume began anew"; }
      cmp cut.$kind whole.$kind || fail "$kind: resumed after $signal on $np ranks it differs"
      [ ! -e cut.$kind.partial ] && [ ! -e cut.$kind.partial.json ] || fail "the temporary file is left"
    done
  done
  [ $resumed -ge 2 ] || fail "$kind: only $resumed of 6 commands were cut"
done

# A signal is told with what is left and the exit code of a job to be started again.
start "${predict[@]}" --out term.csv
until_rows term.csv
signal TERM "$job"
ends_with 75 '--resume goes on with them'

# Other values of `init_from` are another prediction.
weights() {
  /usr/bin/python3 -c "
import h5py, numpy as np
with h5py.File('w.h5', 'w') as f:
    f['W'] = np.full((64, 3000), $1, np.float32)
    f['V'] = np.full((3000, 64), $1, np.float32)"
}
sed -e '/h1[1-9]:/d' -e '/h[2-4][0-9]:/d' -e 's/Identity(h40)/Identity(h10)/' -e '$a init_from: {checkpoint: w.h5}' \
  m.yaml > from.yaml
from=("$DFRUN" predict from.yaml --fetch logits)
weights 0.5
start "${from[@]}" --out from.h5
until_rows from.h5
end_ranks KILL
if [ -e from.h5.partial ]; then
  weights 0.25
  expect 64 'another set of first values' "${from[@]}" --resume --out from.h5
  weights 0.5
  ranks 2 "${from[@]}" --resume --out from.h5 > log 2>&1 || { cat log; fail "--resume with init_from"; }
fi
"${from[@]}" --out from.whole.h5 > log 2>&1 || { cat log; fail "init_from"; }
cmp from.h5 from.whole.h5 || fail "resumed with init_from it differs"

# --resume without anything to go on with begins; a damaged record is refused, and --force begins anew.
small=("$DFRUN" predict small.yaml --fetch logits)
sed -e '/h[2-9]:/d' -e '/h[1-4][0-9]:/d' -e 's/Identity(h40)/Identity(h1)/' m.yaml > small.yaml
"${small[@]}" --out small.h5 > log 2>&1 || { cat log; fail "a small prediction"; }
"${small[@]}" --resume --out new.h5 > log 2>&1 || { cat log; fail "--resume of nothing"; }
cmp new.h5 small.h5 || fail "--resume of nothing differs"
echo '{' > bad.h5.partial.json
expect 65 'no record of rows' "${small[@]}" --resume --out bad.h5
"${small[@]}" --force --out bad.h5 > log 2>&1 || { cat log; fail "--force"; }
cmp bad.h5 small.h5 || fail "--force differs"
echo mine > other.h5.partial
expect 64 'without a record' "${small[@]}" --out other.h5
[ "$(cat other.h5.partial)" = mine ] || fail "a file of others is gone"
echo "predictions go on after a kill"
