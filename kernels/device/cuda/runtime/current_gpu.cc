#include "kernels/device/cuda/runtime/current_gpu.h"

namespace dfrun::cuda {

cudaError_t TryMakeCurrent(int index) {
  thread_local int current = -1;
  if (current == index) return cudaSuccess;
  const cudaError_t error = cudaSetDevice(index);
  if (error == cudaSuccess) current = index;
  return error;
}

void MakeCurrent(int index) {
  TryMakeCurrent(index);
}

}  // namespace dfrun::cuda
