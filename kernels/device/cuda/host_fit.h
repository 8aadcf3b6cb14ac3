// Whether GPUs and libraries of a host fit what this part was built for, and what mends it where they do not: texts for
// people. Nothing here calls CUDA.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_HOST_FIT_H_
#define DFRUN_KERNELS_DEVICE_CUDA_HOST_FIT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrun::cuda {

// "13.2" of CUDA's number 13020.
std::string CudaVersion(int number);
// "9.19.0" of cuDNN's number 91900.
std::string CudnnVersion(size_t number);

// Of a GPU: 9.0.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

// Whether the GPU runs kernels that were compiled for `built`, as in "sm_80, sm_90": machine code runs from its own
// minor number on within its major number, and that of sm_90a on 9.0 alone.
bool RunsKernelsFor(std::string_view built, ComputeCapability gpu);

// Of GPUs that do not. `gpus`: "GPU 0, 1 (NVIDIA A100)"; `cuda`: the number of the CUDA that the part is built with.
std::string CapabilityProblem(std::string_view gpus, ComputeCapability gpu, std::string_view built, int cuda);

// Of a driver for the CUDA `driver`; 0: there is none. Empty: it runs what was built with the CUDA `cuda`.
std::string DriverProblem(int driver, int cuda);
// What is to be done about one that is too old.
std::string DriverAdvice(int cuda);

struct CudnnBuild {
  size_t version = 0;  // cuDNN's number
  int cuda = 0;        // CUDA's number
};
// Of a cuDNN that is `found` where `wanted` is that of the headers. Empty: it serves.
std::string CudnnProblem(const CudnnBuild& found, const CudnnBuild& wanted);
// Of one that is absent; `why` is the loader's word.
std::string CudnnAbsence(std::string_view why, const CudnnBuild& wanted);
// Likewise of cuBLASLt.
std::string CublasLtAbsence(std::string_view why, int cuda);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_HOST_FIT_H_
