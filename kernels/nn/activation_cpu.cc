#include "kernels/math/same_shape.h"
#include "kernels/math/unary.h"
#include "kernels/nn/activations.h"

namespace dfrun {
namespace {

#define DF_REAL_TYPES \
  bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
CPU_KERNEL("Relu", Unary<fn::Relu>, DF_REAL_TYPES);
CPU_KERNEL("Relu6", Unary<fn::Relu6>, DF_REAL_TYPES);
CPU_KERNEL("ReluGrad", SameShape<fn::ReluGrad>, DF_REAL_TYPES);
CPU_KERNEL("Relu6Grad", SameShape<fn::Relu6Grad>, DF_REAL_TYPES);
#undef DF_REAL_TYPES
CPU_KERNEL("Elu", Unary<fn::Elu>, bfloat16, float16, float, double);
CPU_KERNEL("Selu", Unary<fn::Selu>, bfloat16, float16, float, double);
CPU_KERNEL("Softplus", Unary<fn::Softplus>, bfloat16, float16, float, double);
CPU_KERNEL("Softsign", Unary<fn::Softsign>, bfloat16, float16, float, double);
CPU_KERNEL("EluGrad", SameShape<fn::EluGrad>, bfloat16, float16, float, double);
CPU_KERNEL("SeluGrad", SameShape<fn::SeluGrad>, bfloat16, float16, float, double);
CPU_KERNEL("SoftplusGrad", SameShape<fn::SoftplusGrad>, bfloat16, float16, float, double);
CPU_KERNEL("SoftsignGrad", SameShape<fn::SoftsignGrad>, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
