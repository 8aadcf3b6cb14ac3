#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Erf", cpu::Unary<fn::Erf>, DF_FLOATS);
CPU_KERNEL("Erfc", cpu::Unary<fn::Erfc>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
