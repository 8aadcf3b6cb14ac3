#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::Mean::Reduces(DType dtype) {
  return ReducesOf<Mean, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("Mean", cpu::Reduction<red::Mean>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
