#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Exp", cpu::Unary<fn::Exp>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Expm1", cpu::Unary<fn::Expm1>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
