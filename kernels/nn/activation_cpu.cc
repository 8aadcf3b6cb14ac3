#include "kernels/math/activations.h"
#include "kernels/math/same_shape.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Relu", Unary<fn::Relu>, DF_REAL);
CPU_KERNEL("Relu6", Unary<fn::Relu6>, DF_REAL);
CPU_KERNEL("ReluGrad", SameShape<fn::ReluGrad>, DF_REAL);
CPU_KERNEL("Relu6Grad", SameShape<fn::Relu6Grad>, DF_REAL);
CPU_KERNEL("Elu", Unary<fn::Elu>, DF_FLOATS);
CPU_KERNEL("Selu", Unary<fn::Selu>, DF_FLOATS);
CPU_KERNEL("Softplus", Unary<fn::Softplus>, DF_FLOATS);
CPU_KERNEL("Softsign", Unary<fn::Softsign>, DF_FLOATS);
CPU_KERNEL("EluGrad", SameShape<fn::EluGrad>, DF_FLOATS);
CPU_KERNEL("SeluGrad", SameShape<fn::SeluGrad>, DF_FLOATS);
CPU_KERNEL("SoftplusGrad", SameShape<fn::SoftplusGrad>, DF_FLOATS);
CPU_KERNEL("SoftsignGrad", SameShape<fn::SoftsignGrad>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
