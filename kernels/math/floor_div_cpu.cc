#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("FloorDiv", cpu::Binary<fn::FloorDiv>, DF_REAL);
CPU_KERNEL("FloorMod", cpu::Binary<fn::FloorMod>, DF_REAL);

}  // namespace
}  // namespace dfrun
