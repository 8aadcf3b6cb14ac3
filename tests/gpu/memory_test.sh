#!/usr/bin/env bash
# Jobs whose layers lie on the emulated GPU with a limit of its memory: one fits, one does not, and that one ends on
# every rank with 74 and says what was asked, what the limit is, and what holds the memory.
#   memory_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3 DFRUN_EMULATED_CARD=no-libraries  # whose workspaces are memory too
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

# Two products of 512x512 matrices, a megabyte each, on a GPU of rank TASK.
spec() {  # spec FILE LIMIT TASK
  cat > "$1" <<END
dfrun: 1
cluster: {gpu_memory: $2}
graph:
  W:     {op: Variable, shape: [512, 512], init: "RandomUniform(minval=-1, maxval=1)", device: "/task:$3/device:gpu:0"}
  x:     {op: Placeholder, dtype: float32, shape: [512, 512]}
  here:  {op: Tanh, inputs: [x], device: "/task:$3/device:gpu:0"}
  first: {op: MatMul, inputs: [here, W], device: "/task:$3/device:gpu:0"}
  last:  {op: MatMul, inputs: [first, here], device: "/task:$3/device:gpu:0"}
  total: Sum(last)
run: {steps: 2, feed: {x: "RandomUniform(shape=[512, 512])"}, fetch: [total]}
END
}
says() { grep -qE -- "$1" "$WORK/log" || { cat "$WORK/log"; fail "no word of '$1'"; }; }

for ranks in 1 2; do
  task=$((ranks - 1))
  for limit in 16777216 0.001; do
    spec "$WORK/fits.yaml" $limit $task
    train $ranks "$WORK/fits.yaml" "$WORK/fits-$ranks-$limit" > "$WORK/log" 2>&1 ||
      { cat "$WORK/log"; fail "the job that fits into $limit on $ranks ranks"; }
  done
  spec "$WORK/large.yaml" 3300000 $task
  code=0
  train $ranks "$WORK/large.yaml" "$WORK/large-$ranks" > "$WORK/log" 2>&1 || code=$?
  [ "$code" = 74 ] || { cat "$WORK/log"; fail "out of memory on $ranks ranks ends with $code, expected 74"; }
  says "node '(first|last|.*)' .*on /job:worker/task:$task/device:gpu:0.*no memory for a tensor float32\[512,512\] of [0-9]+ bytes"
  says "/job:worker/task:$task/device:gpu:0 has a limit of 3299[0-9]+ bytes, [0-9]+ bytes are in use"
  says "1048576 bytes: the variable 'W', float32\[512,512\]"
  echo "$ranks ranks: a job that fits, and one that does not"
done

# What is no limit, and whom nothing limits.
spec "$WORK/wrong.yaml" 0 0
if "$DFRUN" check "$WORK/wrong.yaml" > "$WORK/log" 2>&1; then fail "a limit of nothing"; fi
says "wrong.yaml:2:23: 'gpu_memory' must be above 0"

# The statistics name each device.
spec "$WORK/fits.yaml" 16777216 0
sed -i -e 's/{op: Placeholder.*/"RandomUniform(shape=[512, 512])"/' -e '/^run:/d' "$WORK/fits.yaml"
"$DFRUN" eval "$WORK/fits.yaml" --fetch here --stats "$WORK/stats.json" > "$WORK/log" 2>&1 ||
  { cat "$WORK/log"; fail "dfrun eval on the GPU"; }
grep -qE '"device": "/job:worker/task:0/device:gpu:0", "in_use_bytes": [0-9]+, "peak_bytes": [1-9][0-9]+, "reserved_bytes": [1-9][0-9]+, "limit_bytes": 16777216' \
  "$WORK/stats.json" || { cat "$WORK/stats.json"; fail "the statistics do not tell of the GPU's memory"; }
echo "memory is limited, counted and told"
