#include "kernels/device/cuda/runtime/empty_kernel.h"

#include "kernels/device/cuda/runtime/block.h"

namespace dfrun::cuda {
namespace {

DF_DEVICE_KERNEL void Nothing() {}

}  // namespace

cudaError_t LaunchEmptyKernel(cudaStream_t stream) {
  void* no_args[] = {nullptr};
  return cudaLaunchKernel(EntryOf<Threads::kIndependent>(&Nothing), dim3(1), dim3(kBlockThreads), no_args, 0, stream);
}

}  // namespace dfrun::cuda
