#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Floor", cpu::Unary<fn::Floor>, DF_FLOATS);
CPU_KERNEL("Ceil", cpu::Unary<fn::Ceil>, DF_FLOATS);
CPU_KERNEL("Rint", cpu::Unary<fn::Rint>, DF_FLOATS);
CPU_KERNEL("Round", cpu::Unary<fn::Rint>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);

}  // namespace
}  // namespace dfrun
