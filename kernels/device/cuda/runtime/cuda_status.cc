#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {

Status CudaStatus(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) [[likely]]
    return Status();
  const auto code = error == cudaErrorMemoryAllocation ? Code::kResourceExhausted : Code::kInternal;
  return Error(code, "cannot ", what, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")");
}

}  // namespace dfrun::cuda
