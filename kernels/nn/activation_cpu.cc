#include "kernels/math/binary.h"
#include "kernels/math/unary.h"
#include "kernels/nn/activations.h"

namespace dfrun {
namespace {

// The loops broadcast, but these ops take operands of one shape alone.
template <class F>
struct SameShape {
  template <class T>
  class Kernel : public Binary<F>::template Kernel<T> {
   public:
    using Base = typename Binary<F>::template Kernel<T>;
    using Base::Base;
    Status Compute(OpContext& ctx) {
      if (ctx.input(0).shape() == ctx.input(1).shape()) return Base::Compute(ctx);
      return InvalidArgument(ctx.node().op->name, ": the gradient has the shape ", ctx.input(0).shape(),
                             ", the other operand ", ctx.input(1).shape());
    }
  };
};

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
