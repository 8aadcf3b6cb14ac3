#!/usr/bin/env bash
# What the program says where something of a GPU's is missing or does not fit: the driver, a driver that is new enough, a
# GPU, one whose compute capability was built, the libraries, a cuDNN that is old or for another CUDA. It is said by
# `dfrun info`, by `dfrun check`, at the start of a run, of a job that names a GPU, and of the benchmark, with what mends
# it. The emulated runtime plays such hosts.
#   missing_test.sh SOURCE_DIR DFRUN PARTS_FOLDER
SOURCE=$1 DFRUN=$2
export DFRUN_DEVICE_PARTS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

cat > "$WORK/spec.yaml" <<'SPEC'
dfrun: 1
name: on_a_gpu
graph:
  x: {op: Const, value: [1.0, 2.0]}
  y: {op: Tanh, inputs: [x], device: /device:gpu:0}
run: {steps: 1, fetch: [y]}
SPEC
cat > "$WORK/anywhere.yaml" <<'SPEC'
dfrun: 1
name: anywhere
graph:
  w:    {op: Variable, shape: [4], init: ones}
  loss: Sum(Square(w))
train: {loss: loss, learning_rate: 0.1, steps: 2}
SPEC

fresh() { mktemp -du "$WORK/run-XXXXXX"; }
says() { grep -qF -- "$1" "$WORK/log" || { cat "$WORK/log"; fail "no word of '$1'"; }; }
says_no() { ! grep -qF -- "$1" "$WORK/log" || { cat "$WORK/log"; fail "a word of '$1'"; }; }
ends() {  # ends CODE COMMAND...
  local wanted=$1 code=0
  shift
  timeout 60 "$@" > "$WORK/log" 2>&1 || code=$?
  [ $code = "$wanted" ] || { cat "$WORK/log"; fail "'${*:2}' ends with $code, expected $wanted"; }
}

lacks() {  # lacks WHAT WHY: a host without it
  export DFRUN_EMULATED_CARD=$1
  ends 0 "$DFRUN" info
  says "none of type gpu: $2"
  ends 65 "$DFRUN" "$WORK/spec.yaml" --output "$WORK/run"
  says "spec.yaml:5:"
  says "$2"
  ends 64 "$DFRUN" bench gpu
  says "there is nothing to measure: this host has no device of type gpu: $2"
  ends 0 "$DFRUN" check "$WORK/spec.yaml" --explain-gpu
  says '/device:gpu:0: 0 units a step; 1 node beside, one by one'
  ends 0 "$DFRUN" graph "$SOURCE/configs/digits_mlp.yaml" --explain-gpu
  says 'nothing is on a GPU'
  echo "$1: $2"
}

# in_order WHAT WHY: it is no fault of the host, and a job that needs no GPU is not warned.
in_order() {
  lacks "$1" "$2"
  ends 0 "$DFRUN" check "$WORK/anywhere.yaml" --gpus 1
  says "note: this host has no device of type gpu: $2"
  ends 0 "$DFRUN" "$WORK/anywhere.yaml" --output "$(fresh)"
  says 'dfrun: anywhere: 1 rank on 1 host, 1 replica, 1 cpu, no gpu, 4 parameters, 2 steps'
  says_no warning
}

# warns WHAT PROBLEM ADVICE DEVICES: all three places say what the problem is and what mends it.
warns() {
  export DFRUN_EMULATED_CARD=$1
  ends 0 "$DFRUN" info
  says "warning: $2"
  says "$3"
  ends 0 "$DFRUN" check "$WORK/anywhere.yaml" --gpus 1
  says "warning: on this host: $2"
  says "$3"
  says_no 'note: '
  ends 0 "$DFRUN" check "$WORK/anywhere.yaml" --gpus 0
  says_no warning
  ends 0 "$DFRUN" "$WORK/anywhere.yaml" --output "$(fresh)"
  says "dfrun: anywhere: 1 rank on 1 host, 1 replica, 1 cpu, $4, 4 parameters, 2 steps"
  says "dfrun: warning: rank 0 on $(uname -n): $2"
  says "$3"
  echo "$1: $2"
}

in_order no-driver 'cannot find GPUs: no driver: libcuda.so.1 is not there'
CUDA_VISIBLE_DEVICES='' in_order no-gpu \
  "cannot find GPUs: no CUDA-capable device is detected (cudaErrorNoDevice); CUDA_VISIBLE_DEVICES is ''"

old='cannot find GPUs: the driver is for CUDA 12.2, too old for CUDA 13.'
lacks old-driver "$old"
warns old-driver "$old" 'install a driver for CUDA 13.0 or newer' 'no gpu'

# Machine code of sm_80 runs on 8.6, none of those that are built on 7.5 or 10.0.
unbuilt='GPU 0 (emulated) cannot be used: compute capability'
lacks sm_75 "$unbuilt 7.5"
warns sm_75 "$unbuilt 7.5 was not built, only sm_80, sm_90" \
  'configure with -DDFRUN_CUDA_ARCHITECTURES="75;80;90" and build again' 'no gpu'
warns sm_100 "$unbuilt 10.0" 'configure with -DDFRUN_CUDA_ARCHITECTURES="80;90;100" and build again' 'no gpu'
warns sm_60 "$unbuilt 6.0" 'compiles for 7.5 and newer; build with CUDA 12' 'no gpu'

# A GPU with libraries that do not fit, or without: jobs run by functions of dfrun's own.
with_gpu='0 of 1 gpu (emulated)'
cudnn='install cuDNN 9.'
warns old-cudnn 'cuDNN 9.1.0 is older than 9.' "$cudnn" "$with_gpu"
warns cudnn-for-12 'cuDNN 9.' "$cudnn" "$with_gpu"
says 'was made for CUDA 12.8, and this program is built with CUDA 13.'
warns no-libraries 'cuDNN is absent, so that convolutions are computed by slower functions (cannot open libcudnn.so.none' \
  "$cudnn" "$with_gpu"
warns no-libraries 'cuBLASLt is absent, so that products are computed by slower functions (cannot open libcublasLt.so.none' \
  'install that of CUDA 13.' "$with_gpu"
ends 0 "$DFRUN" info
says 'absent, so that products are computed by slower functions: cannot open libcublasLt.so'
says 'absent, so that convolutions are computed by slower functions: cannot open libcudnn.so'
says 'absent, so that Fourier transforms are computed by slower functions: cannot open libcufft.so'
ends 0 "$DFRUN" "$WORK/spec.yaml" --output "$WORK/run"
says 'dfrun: on_a_gpu: 1 rank on 1 host, 1 cpu, 1 gpu (emulated), 1 step'

# Two ranks say it once.
export DFRUN_EMULATED_CARD=sm_75
train 2 "$WORK/anywhere.yaml" "$WORK/two.run" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "a training of two ranks"; }
says "dfrun: warning: ranks 0, 1 on $(uname -n): $unbuilt 7.5"
[ "$(grep -c 'cannot be used' "$WORK/log")" = 1 ] || { cat "$WORK/log"; fail "a warning of each rank"; }
ends 0 mpirun --oversubscribe -np 2 "$DFRUN" info
says "warning: ranks 0, 1 on $(uname -n): $unbuilt 7.5"

# Nothing is said of what is in order.
for gpu in sm_80 sm_86 sm_90; do
  export DFRUN_EMULATED_CARD=$gpu
  ends 0 "$DFRUN" info
  says "compute capability ${gpu:3:1}.${gpu:4}"
  says_no warning
  ends 0 "$DFRUN" check "$WORK/spec.yaml" --gpus 1
  says_no warning
  says_no 'note: '
  ends 0 "$DFRUN" "$WORK/spec.yaml" --output "$WORK/$gpu.run"
  says_no warning
done

# A program without the part for GPUs.
mkdir "$WORK/no-parts"
export DFRUN_DEVICE_PARTS=$WORK/no-parts
ends 0 "$DFRUN" check "$WORK/anywhere.yaml" --gpus 1
says 'warning: this program has no part for devices of type gpu, so that nothing is placed on one'
ends 0 "$DFRUN" info
says 'install nvcc and the headers of CUDA and cuDNN, and build again'
echo "what is missing is said, with what mends it"
