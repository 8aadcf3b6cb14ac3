#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Div", cpu::Binary<fn::Div>, DF_NUMBERS);
CPU_KERNEL("RealDiv", cpu::Binary<fn::Div>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
