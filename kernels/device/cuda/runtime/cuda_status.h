// Errors of the CUDA runtime as this project's.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_STATUS_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_STATUS_H_

#include <cuda_runtime_api.h>

#include <string_view>

#include "src/base/status.h"

namespace dfrun::cuda {

// "cannot <what>: <the runtime's words> (<its name>)"; OK for cudaSuccess.
Status CudaStatus(cudaError_t error, std::string_view what);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_STATUS_H_
