#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Asinh", Unary<fn::Asinh>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Acosh", Unary<fn::Acosh>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Atanh", Unary<fn::Atanh>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
