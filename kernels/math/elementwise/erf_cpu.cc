#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Erf", cpu::Unary<fn::Erf>, DF_FLOATS);
CPU_KERNEL("Erfc", cpu::Unary<fn::Erfc>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
