#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("IsNan", cpu::Unary<fn::IsNan>, DF_FLOATS);
CPU_KERNEL("IsInf", cpu::Unary<fn::IsInf>, DF_FLOATS);
CPU_KERNEL("IsFinite", cpu::Unary<fn::IsFinite>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
