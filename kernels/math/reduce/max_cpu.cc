#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::Max::Reduces(DType dtype) {
  return ReducesOf<Max, DF_REAL>(dtype);
}

namespace {

CPU_KERNEL("Max", cpu::Reduction<red::Max>, DF_REAL);

}  // namespace
}  // namespace dfrun
