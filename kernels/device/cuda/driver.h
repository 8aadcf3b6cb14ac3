// The driver of this host's cards.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_DRIVER_H_
#define DFRUN_KERNELS_DEVICE_CUDA_DRIVER_H_

#include <string>

namespace dfrun::cuda {

// "13.2" of the runtime's number 13020.
std::string CudaVersion(int number);

// Of which CUDA the driver is, that it is too old, or that there is none: for people.
std::string DriverText();

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_DRIVER_H_
