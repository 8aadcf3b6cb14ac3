// CUDA_PASS(name, order, function): a pass for partitions on a GPU, src/passes/pass.h. It needs nothing of CUDA.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_PASS_H_
#define DFRUN_KERNELS_DEVICE_CUDA_PASS_H_

#include "src/passes/pass.h"

#define CUDA_PASS(name, order, run) DEVICE_PASS("gpu", name, order, run)

#endif  // DFRUN_KERNELS_DEVICE_CUDA_PASS_H_
