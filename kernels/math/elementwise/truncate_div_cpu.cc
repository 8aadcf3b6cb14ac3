#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("TruncateDiv", cpu::Binary<fn::TruncateDiv>, DF_REAL);
CPU_KERNEL("Mod", cpu::Binary<fn::TruncateMod>, DF_FLOATS, int32_t, int64_t);
CPU_KERNEL("TruncateMod", cpu::Binary<fn::TruncateMod>, DF_FLOATS, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
