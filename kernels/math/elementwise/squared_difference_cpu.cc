#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("SquaredDifference", cpu::Binary<fn::SquaredDifference>, DF_FLOATS, DF_COMPLEX, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
