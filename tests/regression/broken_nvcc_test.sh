#!/usr/bin/env bash
# Where nvcc does not compile the build goes on without the part for GPUs and says why; asked for, the part is an error.
#   broken_nvcc_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

mkdir -p cuda/bin
printf '#!/bin/sh\necho "nvcc fatal   : Unsupported gpu architecture" >&2\nexit 1\n' > cuda/bin/nvcc
chmod +x cuda/bin/nvcc

configure() {
  timeout 120 cmake -S "$SOURCE" -B build -G Ninja -DDFRUN_TESTS=OFF "-DDFRUN_NVCC=$WORK/cuda/bin/nvcc" "$@" > out 2>&1
}
configure || { cat out; fail "a broken nvcc ends the configuration"; }
line=$(grep GPUs build/parts.txt)
case $line in
  "left out "*"cuda/bin/nvcc does not compile: 1, nvcc fatal"*) ;;
  *) fail "parts.txt says '$line'" ;;
esac
[ "$(grep -c . build/parts.txt)" -ge 5 ] || fail "parts.txt does not name all parts"
if configure -DDFRUN_CUDA=ON; then fail "a broken nvcc passes with -DDFRUN_CUDA=ON"; fi
grep -q 'does not compile' out || { cat out; fail "the error does not say what is wrong with nvcc"; }

# The folder of cuDNN's header is found nowhere: the reason names the file and the variable that says where it is.
if nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null); then
  rm -rf build
  headers=$(find -L /usr/include /usr/local -maxdepth 6 -name cudnn.h -printf '%h;' 2> /dev/null || true)
  timeout 120 cmake -S "$SOURCE" -B build -G Ninja -DDFRUN_TESTS=OFF "-DDFRUN_NVCC=$nvcc" \
    "-DCMAKE_IGNORE_PATH=$headers" -DCUDNN_HOME= > out 2>&1 || { cat out; fail "a missing header ends the configuration"; }
  grep -qE 'left out .*GPUs.*(cudnn|cublasLt|cufftXt|cuda_runtime_api)\S* was not found; -DDFRUN_[A-Z_]+=' build/parts.txt ||
    { cat build/parts.txt; fail "parts.txt does not say which header is missing"; }
fi
echo "a build without a working nvcc goes on and says so"
