#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("SquaredDifference", cpu::Binary<fn::SquaredDifference>, DF_FLOATS, DF_COMPLEX, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
