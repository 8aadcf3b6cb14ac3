#include "kernels/math/binary.h"
#include "kernels/math/gradient_functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("SigmoidGrad", Binary<fn::SigmoidGrad>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);
CPU_KERNEL("TanhGrad", Binary<fn::TanhGrad>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);
CPU_KERNEL("SqrtGrad", Binary<fn::SqrtGrad>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);
CPU_KERNEL("RsqrtGrad", Binary<fn::RsqrtGrad>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);
CPU_KERNEL("ReciprocalGrad", Binary<fn::ReciprocalGrad>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);
CPU_KERNEL("InvGrad", Binary<fn::ReciprocalGrad>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);

}  // namespace
}  // namespace dfrun
