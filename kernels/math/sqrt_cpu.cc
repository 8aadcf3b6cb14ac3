#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sqrt", Unary<fn::Sqrt>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Rsqrt", Unary<fn::Rsqrt>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
