// What a host has of GPUs, their driver and their libraries, and what of it does not fit this part (host_fit.h). No GPU
// is taken into use: that takes a tenth of a second and half a GiB of its memory.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_SURVEY_H_
#define DFRUN_KERNELS_DEVICE_CUDA_SURVEY_H_

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace dfrun::cuda {

struct GpuSurvey {
  std::vector<int> usable;            // indices of the runtime
  std::string why_none;               // where none is
  std::vector<std::string> warnings;  // of what is not used, each with what mends it
};
GpuSurvey SurveyGpus();

// "NVIDIA H100, GPU 0 at 0000:65:00, compute capability 9.0, 132 multiprocessors": by its place on the PCI bus ranks
// that see other GPUs under one number know whether they share one.
std::string DescribeGpu(int index, const cudaDeviceProp& properties);

// "driver for CUDA 13.0", that it is too old, or that there is none.
std::string DriverText();

// What is wrong with the library, and what mends it; empty: nothing. The first call opens it: cuDNN in 5 ms, cuBLASLt
// in 50 to 500 ms, but at once where it is absent.
std::string CudnnWarning();
std::string CublasLtWarning();

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_SURVEY_H_
