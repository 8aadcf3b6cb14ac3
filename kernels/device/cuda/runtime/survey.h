// Survey of a host's GPUs, their driver and their libraries, with what does not fit this part (host_fit.h). No GPU is
// taken into use: that takes a tenth of a second and half a GiB of its memory.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_SURVEY_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_SURVEY_H_

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace dfrun::cuda {

struct GpuSurvey {
  std::vector<int> usable;            // indices of the runtime
  std::string why_none;               // the reason if no GPU is usable
  std::vector<std::string> warnings;  // GPUs that are not used, each with the remedy
};
GpuSurvey SurveyGpus();

// "NVIDIA H100, GPU 0 at 0000:65:00, compute capability 9.0, 132 multiprocessors": by its place on the PCI bus ranks
// that see other GPUs under one number know whether they share one.
std::string DescribeGpu(int index, const cudaDeviceProp& properties);

// "driver for CUDA 13.0", that it is too old, or that there is none.
std::string DriverText();

// The problem of the library and its remedy; empty: none. The first call opens the library: cuDNN in 5 ms, cuBLASLt in
// 50 to 500 ms, but at once where it is absent.
std::string CudnnWarning();
std::string CublasLtWarning();

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_SURVEY_H_
