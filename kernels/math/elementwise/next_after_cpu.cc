#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("NextAfter", cpu::Binary<fn::NextAfter>, float, double);

}  // namespace
}  // namespace dfrun
