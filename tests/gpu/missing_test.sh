#!/usr/bin/env bash
# What the program says where something of a card's is missing: the driver, a driver that is new enough, a card, the
# libraries; in `dfrun info`, of a job that names a card, and of the benchmark. The emulated runtime plays such hosts.
#   missing_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

cat > "$WORK/spec.yaml" <<'SPEC'
dfrun: 1
name: on_a_card
graph:
  x: {op: Const, value: [1.0, 2.0]}
  y: {op: Tanh, inputs: [x], device: /device:gpu:0}
run: {steps: 1, fetch: [y]}
SPEC

says() { grep -qF -- "$1" "$WORK/log" || { cat "$WORK/log"; fail "no word of '$1'"; }; }
ends() {  # ends CODE COMMAND...
  local wanted=$1 code=0
  shift
  timeout 60 "$@" > "$WORK/log" 2>&1 || code=$?
  [ $code = "$wanted" ] || { cat "$WORK/log"; fail "'${*:2}' ends with $code, expected $wanted"; }
}

lacks() {  # lacks WHAT WHY: a host without it
  export DFRUN_EMULATED_CARD=$1
  ends 0 "$DFRUN" info
  says "none of type gpu: cannot find cards: $2"
  ends 65 "$DFRUN" "$WORK/spec.yaml" --output "$WORK/run"
  says "spec.yaml:5:"
  says "cannot find cards: $2"
  ends 64 "$DFRUN" bench gpu
  says "there is nothing to measure: this host has no device of type gpu: cannot find cards: $2"
  ends 0 "$DFRUN" check "$WORK/spec.yaml" --explain-gpu
  says '/device:gpu:0: 0 units a step; 1 node beside, one by one'
  ends 0 "$DFRUN" graph "$SOURCE/configs/digits_mlp.yaml" --explain-gpu
  says 'nothing is on a card'
  echo "$1: $2"
}

lacks no-driver 'no driver: libcuda.so.1 is not there'
lacks old-driver 'the driver is for CUDA 12.2, too old for CUDA 13.'
says_info() { ends 0 "$DFRUN" info; says "$1"; }
says_info 'it takes a driver for CUDA 13.0 or newer'
lacks no-card 'no CUDA-capable device is detected (cudaErrorNoDevice)'

# With a card, without libraries: jobs run by functions of dfrun's own.
export DFRUN_EMULATED_CARD=no-libraries
says_info 'absent, so that products are computed by slower functions: cannot open libcublasLt.so'
says_info 'absent, so that convolutions are computed by slower functions: cannot open libcudnn.so'
says_info 'absent, so that Fourier transforms are computed by slower functions: cannot open libcufft.so'
ends 0 "$DFRUN" "$WORK/spec.yaml" --output "$WORK/run"
echo "what is missing is said"
