#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::Prod::Reduces(DType dtype) {
  return ReducesOf<Prod, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("Prod", cpu::Reduction<red::Prod>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
