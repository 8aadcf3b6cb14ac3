#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::Min::Reduces(DType dtype) {
  return ReducesOf<Min, DF_REAL>(dtype);
}

namespace {

CPU_KERNEL("Min", cpu::Reduction<red::Min>, DF_REAL);

}  // namespace
}  // namespace dfrun
