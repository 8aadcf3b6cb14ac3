#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("DivNoNan", cpu::Binary<fn::DivNoNan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
