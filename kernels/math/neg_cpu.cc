#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Neg", Unary<fn::Neg>, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t,
           std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
