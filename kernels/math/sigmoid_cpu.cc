#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sigmoid", Unary<fn::Sigmoid>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Tanh", Unary<fn::Tanh>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
