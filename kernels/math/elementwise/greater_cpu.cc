#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Greater", cpu::Binary<fn::Greater>, DF_REAL);
CPU_KERNEL("GreaterEqual", cpu::Binary<fn::GreaterEqual>, DF_REAL);

}  // namespace
}  // namespace dfrun
