#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"

namespace dfrun {
namespace {

CPU_KERNEL("Min", Reduction<red::Min>, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
           int16_t, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
