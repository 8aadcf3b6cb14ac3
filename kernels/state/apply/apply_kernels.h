// Macros by which an optimiser's file registers its rules. The same rule runs ApplyX on refs and ResourceApplyX on
// handles, and SparseApplyX and ResourceSparseApplyX on the rows that indices name.
#ifndef DFRUN_KERNELS_STATE_APPLY_APPLY_KERNELS_H_
#define DFRUN_KERNELS_STATE_APPLY_APPLY_KERNELS_H_

#include "kernels/device/cpu_kernel.h"
#include "kernels/state/apply/update.h"

#define DF_RESOURCE_APPLY(name, rule, ...) CPU_KERNEL("ResourceApply" name, Update<rule>, __VA_ARGS__)
#define DF_RESOURCE_SPARSE_APPLY(name, rule, ...) \
  CPU_KERNEL("ResourceSparseApply" name, SparseUpdate<rule>, __VA_ARGS__)
#define DF_APPLY(name, rule, ...)                      \
  CPU_KERNEL("Apply" name, Update<rule>, __VA_ARGS__); \
  DF_RESOURCE_APPLY(name, rule, __VA_ARGS__)
#define DF_SPARSE_APPLY(name, rule, ...)                           \
  CPU_KERNEL("SparseApply" name, SparseUpdate<rule>, __VA_ARGS__); \
  DF_RESOURCE_SPARSE_APPLY(name, rule, __VA_ARGS__)

#endif  // DFRUN_KERNELS_STATE_APPLY_APPLY_KERNELS_H_
