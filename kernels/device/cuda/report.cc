// The lines of `dfrun info` on the driver and the libraries.
#include <cuda_runtime_api.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/device/cuda/library/cublas_lt.h"
#include "kernels/device/cuda/library/cudnn.h"
#include "kernels/device/cuda/library_call/library_transform.h"
#include "kernels/device/cuda/runtime/host_fit.h"
#include "kernels/device/cuda/runtime/survey.h"
#include "src/framework/device/device_part.h"

namespace dfrun::cuda {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string CublasLtText() {
  const Result<const CublasLt*>& lt = CublasLt::Get();
  if (!lt.ok()) return StrCat("absent, so that products are computed by slower functions: ", lt.status().message());
  const size_t version = (*lt)->Version();  // 130100
  return StrCat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

std::string CudnnText() {
  const Result<const Cudnn*>& cudnn = Cudnn::Get();
  if (!cudnn.ok())
    return StrCat("absent, so that convolutions are computed by slower functions: ", cudnn.status().message());
  return StrCat(CudnnVersion((*cudnn)->cudnnGetVersion()), ", made for CUDA ",
                CudaVersion(static_cast<int>((*cudnn)->cudnnGetCudartVersion())));
}

std::string CufftText() {
  const Result<std::string>& version = LibraryTransform::Version();
  if (version.ok()) return *version;
  return StrCat("absent, so that Fourier transforms are computed by slower functions: ", version.status().message());
}

Lines Report() {
  Lines lines;
  lines.emplace_back("CUDA", StrCat("built with ", CudaVersion(CUDART_VERSION), " for ", DFRUN_CUDA_ARCHITECTURES, "; ",
                                    DriverText()));
  lines.emplace_back("cuBLASLt", CublasLtText());
  lines.emplace_back("cuDNN", CudnnText());
  lines.emplace_back("cuFFT", CufftText());
  return lines;
}

DEVICE_PART_REPORT("cuda", &Report);

}  // namespace
}  // namespace dfrun::cuda
