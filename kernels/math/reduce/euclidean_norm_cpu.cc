#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

const cpu::ReducerLoops& red::EuclideanNorm::Reduces(DType dtype) {
  return ReducesOf<EuclideanNorm, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("EuclideanNorm", cpu::Reduction<red::EuclideanNorm>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
