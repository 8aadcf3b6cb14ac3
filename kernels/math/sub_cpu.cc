#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sub", cpu::Binary<fn::Sub>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
