#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sin", Unary<fn::Sin>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Cos", Unary<fn::Cos>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Tan", Unary<fn::Tan>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
