#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sqrt", cpu::Unary<fn::Sqrt>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Rsqrt", cpu::Unary<fn::Rsqrt>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
