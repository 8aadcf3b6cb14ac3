#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sqrt", cpu::Unary<fn::Sqrt>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Rsqrt", cpu::Unary<fn::Rsqrt>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
