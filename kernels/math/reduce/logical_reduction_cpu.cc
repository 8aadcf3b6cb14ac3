#include "kernels/device/cpu_kernel.h"
#include "kernels/math/reduce/reduce_loops.h"

namespace dfrun {

const cpu::ReducerLoops& red::All::Reduces(DType dtype) {
  return ReducesOf<All, bool>(dtype);
}

const cpu::ReducerLoops& red::Any::Reduces(DType dtype) {
  return ReducesOf<Any, bool>(dtype);
}

namespace {

CPU_KERNEL_ANY("All", cpu::Reduction<red::All>::Kernel<bool>);
CPU_KERNEL_ANY("Any", cpu::Reduction<red::Any>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
