#include "kernels/math/binary.h"
#include "kernels/math/element_types.h"
#include "kernels/math/gradient_functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("SigmoidGrad", Binary<fn::SigmoidGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("TanhGrad", Binary<fn::TanhGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("SqrtGrad", Binary<fn::SqrtGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("RsqrtGrad", Binary<fn::RsqrtGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("ReciprocalGrad", Binary<fn::ReciprocalGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("InvGrad", Binary<fn::ReciprocalGrad>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
