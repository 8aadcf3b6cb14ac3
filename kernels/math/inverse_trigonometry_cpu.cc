#include "kernels/math/binary.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Asin", Unary<fn::Asin>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Acos", Unary<fn::Acos>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Atan", Unary<fn::Atan>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Atan2", Binary<fn::Atan2>, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
