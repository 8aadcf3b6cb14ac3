#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Exp", Unary<fn::Exp>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Expm1", Unary<fn::Expm1>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
