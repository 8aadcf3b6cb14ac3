#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Log", Unary<fn::Log>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Log1p", Unary<fn::Log1p>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
