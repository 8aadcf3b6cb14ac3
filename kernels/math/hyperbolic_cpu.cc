#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sinh", Unary<fn::Sinh>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Cosh", Unary<fn::Cosh>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
