#!/usr/bin/env bash
# Ranks that have different numbers of the tests' own device: each is used where the spec names it, with the bits of
# CPUs alone; one that no rank has is an error at its place in the spec. A spec is checked for devices that are not there.
#   devices_test.sh SOURCE_DIR DFRUN DEVICE_LIBRARY
SOURCE=$1 DFRUN=$2 LIBRARY=$3
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

spec() {  # spec FILE DEVICE_OF_SUM DEVICE_OF_PRODUCT CLUSTER: a job of three steps
  cat > "$1" <<END
dfrun: 1
${4-}
graph:
  W:       {op: Variable, shape: [4], init: "RandomUniform(minval=-1, maxval=1)", device: $3}
  x:       {op: Placeholder, dtype: float32, shape: [4]}
  sum:     {op: Add, inputs: [x, W], device: $2}
  product: {op: Mul, inputs: [sum, W], device: $3}
  total:   Sum(product, axis=0)
run: {steps: 3, feed: {x: "RandomUniform(shape=[4])"}, fetch: [total]}
END
}

run() {  # run RANKS COUNTS SPEC OUTPUT
  timeout 60 mpirun --oversubscribe -x "LD_PRELOAD=$LIBRARY" -x "DFRUN_TEST_SEALED_DEVICES=$2" -np "$1" "$DFRUN" "$3" \
    --output "$4"
}
values() { sed -E 's/"(wall_s|samples_per_s|waiting\/[a-z]+|memory[^"]*)": [^,]+, //g' "$1/metrics.jsonl"; }

check() {  # check COUNT OPTION...: on a host that has so many
  local count=$1
  shift
  LD_PRELOAD=$LIBRARY DFRUN_TEST_SEALED_DEVICES=$count timeout 60 "$DFRUN" "$@" > "$WORK/log" 2>&1
}
says() { grep -qF -- "$1" "$WORK/log" || { cat "$WORK/log"; fail "no word of '$1'"; }; }

spec "$WORK/cpus.yaml" /device:cpu:0 /device:cpu:0
train 1 "$WORK/cpus.yaml" "$WORK/cpus" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job on CPUs"; }
[ "$(wc -l < "$WORK/cpus/metrics.jsonl")" = 3 ] || fail "the job on CPUs has not logged its steps"

same() {  # same RANKS COUNTS DEVICE_OF_SUM DEVICE_OF_PRODUCT
  spec "$WORK/mixed.yaml" "$3" "$4"
  rm -rf "$WORK/mixed"
  run "$1" "$2" "$WORK/mixed.yaml" "$WORK/mixed" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$1 ranks with $2"; }
  diff <(values "$WORK/cpus") <(values "$WORK/mixed") || fail "$1 ranks with $2 have other values than CPUs"
}
same 2 2,0 /task:0/device:sealed:0 /task:0/device:sealed:1
same 2 0,1 /task:1/device:sealed:0 /task:0
same 3 0,2,1 /task:1/device:sealed:1 /task:2/device:sealed:0
same 3 3,0,1 /device:sealed:2 /task:2/device:sealed

# What no rank has: the line and column of the node, the devices that there are, and why a rank has none.
spec "$WORK/missing.yaml" /task:1/device:sealed:0 /device:cpu:0
code=0
run 2 1,0 "$WORK/missing.yaml" "$WORK/missing" > "$WORK/log" 2>&1 || code=$?
[ "$code" = 65 ] || { cat "$WORK/log"; fail "a device that no rank has does not end the job with 65"; }
says 'missing.yaml:6:'
says 'the devices are /job:worker/task:0/device:cpu:0, /job:worker/task:0/device:sealed:0, /job:worker/task:1/device:cpu:0'
says 'rank 1 has no device of type sealed: DFRUN_TEST_SEALED_DEVICES=1,0 gives this rank none'

# Without ranks and without devices: those that the spec names, those that it counts, those that the command counts.
check 0 check "$WORK/missing.yaml" --ranks 2 || { cat "$WORK/log"; fail "a spec is not checked without its devices"; }
check 0 check "$WORK/missing.yaml" --ranks 2 --sealeds 0 && fail "a device that is not counted"
says 'missing.yaml:6:'
check 0 check "$WORK/missing.yaml" --ranks 2 --sealeds 1 || { cat "$WORK/log"; fail "a device that is counted"; }
spec "$WORK/counted.yaml" /task:0/device:sealed:2 /device:cpu:0 'cluster: {sealeds: 2}'
check 0 check "$WORK/counted.yaml" && fail "a device beyond those that the spec counts"
says 'counted.yaml:6:'
says "by 'sealeds' of the cluster a rank has 2"
check 0 check "$WORK/counted.yaml" --sealeds 3 || { cat "$WORK/log"; fail "the command's count"; }
check 0 graph "$WORK/missing.yaml" --partitioned --ranks 2 || { cat "$WORK/log"; fail "a graph without its devices"; }
says '# /job:worker/task:1/device:sealed:0 (rank 1)'

check 2 info
says '/job:worker/task:0/device:sealed:1: a file mapped twice, 32768 MiB of its own'
check 0 info
says 'none of type sealed: DFRUN_TEST_SEALED_DEVICES=0 gives this rank none'
echo "ranks use the devices that they have"
