// Checks of a host's GPUs and libraries against those that this part was built for, with the advice where they do not
// fit: texts for people. Nothing here calls CUDA.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_HOST_FIT_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_HOST_FIT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dfrun::cuda {

// "13.2" of CUDA's number 13020.
std::string CudaVersion(int number);
// "9.19.0" of cuDNN's number 91900.
std::string CudnnVersion(size_t number);

// A GPU's compute capability, as 9.0.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
};

// True if the GPU runs kernels that were compiled for `built`, as in "sm_80, sm_90": machine code runs from its own
// minor number on within its major number, and that of sm_90a on 9.0 alone.
bool RunsKernelsFor(std::string_view built, ComputeCapability gpu);

// The text for GPUs that do not run them. `gpus`: "GPU 0, 1 (NVIDIA A100)"; `cuda`: the number of the CUDA that the
// part is built with.
std::string CapabilityProblem(std::string_view gpus, ComputeCapability gpu, std::string_view built, int cuda);

// The text for a driver of the CUDA `driver` (0: no driver). Empty: it runs code built with the CUDA `cuda`.
std::string DriverProblem(int driver, int cuda);
// The advice for a driver that is too old.
std::string DriverAdvice(int cuda);

struct CudnnBuild {
  size_t version = 0;  // cuDNN's number
  int cuda = 0;        // CUDA's number
};
// The text for a cuDNN `found` beside the headers' `wanted`. Empty: it serves.
std::string CudnnProblem(const CudnnBuild& found, const CudnnBuild& wanted);
// The text for an absent cuDNN; `why` is the loader's word.
std::string CudnnAbsence(std::string_view why, const CudnnBuild& wanted);
// The text for an absent cuBLASLt.
std::string CublasLtAbsence(std::string_view why, int cuda);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_HOST_FIT_H_
