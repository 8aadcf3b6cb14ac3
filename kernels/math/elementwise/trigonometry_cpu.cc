#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sin", cpu::Unary<fn::Sin>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Cos", cpu::Unary<fn::Cos>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Tan", cpu::Unary<fn::Tan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
