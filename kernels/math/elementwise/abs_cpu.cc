#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Abs", cpu::Unary<fn::Abs>, DF_FLOATS, DF_SIGNED);
CPU_KERNEL("Sign", cpu::Unary<fn::Sign>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);

}  // namespace
}  // namespace dfrun
