#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Less", cpu::Binary<fn::Less>, DF_REAL);
CPU_KERNEL("LessEqual", cpu::Binary<fn::LessEqual>, DF_REAL);

}  // namespace
}  // namespace dfrun
