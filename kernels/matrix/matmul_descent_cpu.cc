// A weight is changed block by block as the blocks of its gradient, a product or a sum of them, leave the registers, so
// that the gradient is never in memory.
#include "kernels/device/cpu_kernel.h"
#include "kernels/matrix/product_terms.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// The weight is locked meanwhile, and other holders of its bytes keep their values, as with ApplyGradientDescent.
template <class T>
class MatMulDescentKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;  // the ref

  explicit MatMulDescentKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    const Tensor& rate = ctx.input(1);
    if (rate.shape().rank() != 0) return InvalidArgument("alpha must be a scalar, but has shape ", rate.shape());
    DF_ASSIGN(const ProductTerms<T> terms,
              ReadProductTerms<T>(ctx, 2, ctx.num_inputs() / 2 - 1, transpose_a_, transpose_b_));
    const Shape gradient = ShapeOf(terms);

    Variable* const variables[] = {variable};
    const VariableLocks locks(variables);
    DF_TRY(locks.MakeWritable(variables, DTypeOf<T>, ctx.device()));
    Tensor& weight = variable->mutable_value();
    if (!(weight.shape() == gradient)) {
      return InvalidArgument("the variable '", variable->name(), "' has shape ", weight.shape(),
                             ", but is to be updated by a tensor of shape ", gradient);
    }
    const Epilogue<T> descent{.alpha = -rate.scalar<T>(), .beta = T{1}};
    DF_TRY(SumProducts(terms, weight.data<T>(), descent, ctx.pool(), ctx.allocator()));
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

struct MatMulDescent {
  template <class T>
  using Kernel = MatMulDescentKernel<T>;
};

CPU_KERNEL("_MatMulApplyGradientDescent", MatMulDescent, float, double);
CPU_KERNEL("_MatMulResourceApplyGradientDescent", MatMulDescent, float, double);

}  // namespace
}  // namespace dfrun
