#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Floor", cpu::Unary<fn::Floor>, DF_FLOATS);
CPU_KERNEL("Ceil", cpu::Unary<fn::Ceil>, DF_FLOATS);
CPU_KERNEL("Rint", cpu::Unary<fn::Rint>, DF_FLOATS);
CPU_KERNEL("Round", cpu::Unary<fn::Rint>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);

}  // namespace
}  // namespace dfrun
