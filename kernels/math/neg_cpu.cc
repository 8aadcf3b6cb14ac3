#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Neg", Unary<fn::Neg>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>, int8_t,
           int16_t, int32_t, int64_t);
CPU_KERNEL("Square", Unary<fn::Square>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>,
           int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
