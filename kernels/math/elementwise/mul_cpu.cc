#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Mul", cpu::Binary<fn::Mul>, DF_NUMBERS);
CPU_KERNEL("MulNoNan", cpu::Binary<fn::MulNoNan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
