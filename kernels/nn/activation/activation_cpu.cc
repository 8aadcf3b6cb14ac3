#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/same_shape.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/activations.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Relu", cpu::Unary<fn::Relu>, DF_REAL);
CPU_KERNEL("Relu6", cpu::Unary<fn::Relu6>, DF_REAL);
CPU_KERNEL("ReluGrad", cpu::SameShape<fn::ReluGrad>, DF_REAL);
CPU_KERNEL("Relu6Grad", cpu::SameShape<fn::Relu6Grad>, DF_REAL);
CPU_KERNEL("Elu", cpu::Unary<fn::Elu>, DF_FLOATS);
CPU_KERNEL("Selu", cpu::Unary<fn::Selu>, DF_FLOATS);
CPU_KERNEL("Softplus", cpu::Unary<fn::Softplus>, DF_FLOATS);
CPU_KERNEL("Softsign", cpu::Unary<fn::Softsign>, DF_FLOATS);
CPU_KERNEL("EluGrad", cpu::SameShape<fn::EluGrad>, DF_FLOATS);
CPU_KERNEL("SeluGrad", cpu::SameShape<fn::SeluGrad>, DF_FLOATS);
CPU_KERNEL("SoftplusGrad", cpu::SameShape<fn::SoftplusGrad>, DF_FLOATS);
CPU_KERNEL("SoftsignGrad", cpu::SameShape<fn::SoftsignGrad>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
