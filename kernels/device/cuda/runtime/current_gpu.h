// The GPU that a thread's calls of the CUDA runtime are for.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CURRENT_GPU_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CURRENT_GPU_H_

#include <cuda_runtime_api.h>

namespace dfrun::cuda {

// Makes GPU `index` that of the calling thread. The runtime is called only where another one was: what a thread has set
// is remembered for it.
cudaError_t TryMakeCurrent(int index);

// Makes GPU `index` that of the calling thread, where TryMakeCurrent() has succeeded once on any thread: it cannot
// fail.
void MakeCurrent(int index);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CURRENT_GPU_H_
