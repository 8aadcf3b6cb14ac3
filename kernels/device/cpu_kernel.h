// Registration of kernels that run on the CPU devices of a rank: in host memory, done when their call returns.
#ifndef DFRUN_KERNELS_DEVICE_CPU_KERNEL_H_
#define DFRUN_KERNELS_DEVICE_CPU_KERNEL_H_

#include "src/framework/kernel/kernel_registry.h"

#define CPU_KERNEL(op, family, ...) DEVICE_KERNEL("cpu", op, family, __VA_ARGS__)
#define CPU_KERNEL_ATTR(op, attr, family, ...) DEVICE_KERNEL_ATTR("cpu", op, attr, family, __VA_ARGS__)
#define CPU_KERNEL_ANY(op, kernel) DEVICE_KERNEL_ANY("cpu", op, kernel)

#endif  // DFRUN_KERNELS_DEVICE_CPU_KERNEL_H_
