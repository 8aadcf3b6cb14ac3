#include "kernels/math/binary.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("Maximum", Binary<fn::Maximum>, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
           uint16_t, uint32_t, uint64_t);
CPU_KERNEL("Minimum", Binary<fn::Minimum>, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
           uint16_t, uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
