#include "kernels/math/gradient_functors.h"
#include "kernels/math/same_shape.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("SigmoidGrad", SameShape<fn::SigmoidGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("TanhGrad", SameShape<fn::TanhGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("SqrtGrad", SameShape<fn::SqrtGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("RsqrtGrad", SameShape<fn::RsqrtGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("ReciprocalGrad", SameShape<fn::ReciprocalGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("InvGrad", SameShape<fn::ReciprocalGrad>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
