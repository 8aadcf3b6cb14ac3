#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/same_shape.h"
#include "kernels/math/functions/gradient_functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("SigmoidGrad", cpu::SameShape<fn::SigmoidGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("TanhGrad", cpu::SameShape<fn::TanhGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("SqrtGrad", cpu::SameShape<fn::SqrtGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("RsqrtGrad", cpu::SameShape<fn::RsqrtGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("ReciprocalGrad", cpu::SameShape<fn::ReciprocalGrad>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("InvGrad", cpu::SameShape<fn::ReciprocalGrad>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
