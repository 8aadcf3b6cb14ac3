#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Log", cpu::Unary<fn::Log>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Log1p", cpu::Unary<fn::Log1p>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
