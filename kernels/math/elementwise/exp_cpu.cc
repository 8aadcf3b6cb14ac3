#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Exp", cpu::Unary<fn::Exp>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Expm1", cpu::Unary<fn::Expm1>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
