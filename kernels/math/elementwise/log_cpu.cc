#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Log", cpu::Unary<fn::Log>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Log1p", cpu::Unary<fn::Log1p>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
