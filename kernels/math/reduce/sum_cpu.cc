#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::Sum::Reduces(DType dtype) {
  return ReducesOf<Sum, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("Sum", cpu::Reduction<red::Sum>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
