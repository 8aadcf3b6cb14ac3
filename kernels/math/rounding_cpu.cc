#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Floor", Unary<fn::Floor>, bfloat16, float16, float, double);
CPU_KERNEL("Ceil", Unary<fn::Ceil>, bfloat16, float16, float, double);
CPU_KERNEL("Rint", Unary<fn::Rint>, bfloat16, float16, float, double);
CPU_KERNEL("Round", Unary<fn::Rint>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>,
           int8_t, int16_t, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
