#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Neg", cpu::Unary<fn::Neg>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);
CPU_KERNEL("Square", cpu::Unary<fn::Square>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
