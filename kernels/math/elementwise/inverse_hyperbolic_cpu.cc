#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Asinh", cpu::Unary<fn::Asinh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Acosh", cpu::Unary<fn::Acosh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Atanh", cpu::Unary<fn::Atanh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
