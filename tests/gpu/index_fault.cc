// A program whose kernel writes to one element more than there are, for AddressSanitizer to find.
//   index_fault right|wrong
#include <cuda_runtime_api.h>

#include <string_view>

#include "kernels/device/cuda/runtime/block.h"

namespace {

DF_DEVICE_KERNEL void SetToTwo(float* x, int64_t n) {
  const int64_t i = dfrun::cuda::GlobalThreadId();
  if (i < n) x[i] = 2;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int64_t kCount = 1000;
  int64_t n = argc > 1 && std::string_view(argv[1]) == "right" ? kCount : kCount + 1;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, 0);
  void* memory = nullptr;
  cudaMalloc(&memory, kCount * sizeof(float));
  void* args[] = {&memory, &n};
  const void* const entry = dfrun::cuda::EntryOf<dfrun::cuda::Threads::kIndependent>(&SetToTwo);
  cudaLaunchKernel(entry, dim3(4), dim3(dfrun::cuda::kBlockThreads), args, 0, stream);
  cudaStreamSynchronize(stream);
  return static_cast<float*>(memory)[kCount - 1] == 2 ? 0 : 1;
}
