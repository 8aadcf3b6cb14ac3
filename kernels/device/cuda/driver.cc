#include "kernels/device/cuda/driver.h"

#include <cuda_runtime_api.h>

#include "src/base/status.h"

namespace dfrun::cuda {

std::string CudaVersion(int number) {
  return StrCat(number / 1000, ".", number % 1000 / 10);
}

std::string DriverText() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no driver: libcuda.so.1 is not there";
  // Drivers run what was built with an older CUDA, or with another one of their own major number.
  if (driver / 1000 >= CUDART_VERSION / 1000) return StrCat("driver for CUDA ", CudaVersion(driver));
  return StrCat("the driver is for CUDA ", CudaVersion(driver), ", too old for CUDA ", CudaVersion(CUDART_VERSION),
                ", which this program is built with: it takes a driver for CUDA ", CUDART_VERSION / 1000,
                ".0 or newer");
}

}  // namespace dfrun::cuda
