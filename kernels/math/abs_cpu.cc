#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Abs", Unary<fn::Abs>, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t);
CPU_KERNEL("Sign", Unary<fn::Sign>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>, int8_t,
           int16_t, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
