#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Neg", cpu::Unary<fn::Neg>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);
CPU_KERNEL("Square", cpu::Unary<fn::Square>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
