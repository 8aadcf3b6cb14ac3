#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sub", cpu::Binary<fn::Sub>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
