// CPU_PASS(name, order, function): a pass for partitions on a CPU, src/passes/pass.h.
#ifndef DFRUN_KERNELS_DEVICE_CPU_PASS_H_
#define DFRUN_KERNELS_DEVICE_CPU_PASS_H_

#include "src/passes/pass.h"

#define CPU_PASS(name, order, run) DEVICE_PASS("cpu", name, order, run)

#endif  // DFRUN_KERNELS_DEVICE_CPU_PASS_H_
