#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Abs", cpu::Unary<fn::Abs>, DF_FLOATS, DF_SIGNED);
CPU_KERNEL("Sign", cpu::Unary<fn::Sign>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);

}  // namespace
}  // namespace dfrun
