#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("FloorDiv", cpu::Binary<fn::FloorDiv>, DF_REAL);
CPU_KERNEL("FloorMod", cpu::Binary<fn::FloorMod>, DF_REAL);

}  // namespace
}  // namespace dfrun
