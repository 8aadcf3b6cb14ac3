#include "kernels/math/binary.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("TruncateDiv", Binary<fn::TruncateDiv>, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t,
           uint8_t, uint16_t, uint32_t, uint64_t);
CPU_KERNEL("Mod", Binary<fn::TruncateMod>, bfloat16, float16, float, double, int32_t, int64_t);
CPU_KERNEL("TruncateMod", Binary<fn::TruncateMod>, bfloat16, float16, float, double, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
