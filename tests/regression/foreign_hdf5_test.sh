#!/usr/bin/env bash
# HDF5 files of others: those that lead to other files, that make HDF5 crash or never end, that claim any size.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 "$SOURCE/tests/regression/hdf5/hostile_files.py" .
cat > y.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
END
eval_feed() { "$DFRUN" eval y.pbtxt --feed "x=$1:/x" --fetch y "${@:2}"; }
export -f eval_feed
export DFRUN

# A spec whose input is this file, with further keys of the input.
spec_of() {
  cat > job.yaml <<END
dfrun: 1
inputs: {in: {hdf5: $1, tensors: {x: /x}, batch: 4$2}}
graph: {y: Sum(in/x)}
run: {fetch: [y]}
END
}

for file in data/ok_*.h5; do
  expect 0 "y: float32[4] 0 1 2 3" bash -c "eval_feed $file"
  spec_of "$file" ""
  rm -rf run
  expect 0 "" "$DFRUN" job.yaml --output run
done
for file in data/out_*.h5; do
  expect 65 "is not below the directory of the first" bash -c "eval_feed $file"
  expect 0 "y: float32[4] 0 1 2 3" bash -c "eval_feed $file --allow-paths ."
  spec_of "$file" ""
  expect 65 "write 'external: true' in the input" "$DFRUN" check job.yaml
done
spec_of data/out_virtual_of_link.h5 ", external: true"
rm -rf run
expect 0 "" mpirun --oversubscribe -np 2 "$DFRUN" job.yaml --output run

# The process that looks at a file may crash and may be ended; the one that runs the graph says so.
gunzip -c "$SOURCE/tests/regression/hdf5/crashes.h5.gz" > crashes.h5
gunzip -c "$SOURCE/tests/regression/hdf5/never_ends.h5.gz" > never_ends.h5
expect 66 "the process that looked at it crashed" bash -c "eval_feed crashes.h5"
expect 66 "took more time than it may" bash -c "eval_feed never_ends.h5"
spec_of crashes.h5 ""
expect 66 "the process that looked at it crashed" "$DFRUN" check job.yaml
expect 74 "more than this machine has memory" bash -c "eval_feed data/huge.h5"

# What is packed comes from the helper, whole.
"$DFRUN" eval y.pbtxt --feed x=data/packed.h5:/x --fetch y --out packed.h5
/usr/bin/python3 - <<'END'
import h5py, numpy
got = h5py.File("packed.h5")["y"][...]
assert (got == numpy.arange(40000 * 600, dtype="f4").reshape(40000, 600)).all()
END
sed 's/DT_FLOAT/DT_STRING/' y.pbtxt > words.pbtxt
expect 0 "y: string[3] \"one\" \"\" \"three\"" "$DFRUN" eval words.pbtxt --feed x=data/packed.h5:/words --fetch y

# No process is left that was started here.
for process in /proc/[0-9]*; do
  [ "$(readlink "$process/cwd")" != "$WORK" ] || [ "$(cat "$process/comm")" != dfrun ] || fail "$process is left"
done

# A shard that is a link is none, whatever it leads to.
cat > train.yaml <<'END'
dfrun: 1
graph: {W: {op: Variable, shape: [4], init: ones}, loss: Sum(Square(W))}
train: {loss: loss, learning_rate: 0.1, steps: 2}
checkpoint: {every: 1}
END
expect 0 "" "$DFRUN" train.yaml --output trained
mv trained/checkpoints/step-2/shard-0.h5 elsewhere.h5
ln -s ../../../elsewhere.h5 trained/checkpoints/step-2/shard-0.h5
expect 65 "is a link" "$DFRUN" eval train.yaml --restore trained/checkpoints/step-2 --fetch W
expect 0 "resuming at step 1" "$DFRUN" train.yaml --output trained --resume
