#include "kernels/device/cuda/empty_kernel.h"

#include "kernels/device/cuda/block.h"

namespace dfrun::cuda {
namespace {

DF_CARD_KERNEL void Nothing() {}

}  // namespace

cudaError_t LaunchEmptyKernel(cudaStream_t stream) {
  return LaunchKernel<Threads::kIndependent>(stream, 1, &Nothing);
}

}  // namespace dfrun::cuda
