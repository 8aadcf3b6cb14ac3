#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Mul", cpu::Binary<fn::Mul>, DF_NUMBERS);
CPU_KERNEL("MulNoNan", cpu::Binary<fn::MulNoNan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
