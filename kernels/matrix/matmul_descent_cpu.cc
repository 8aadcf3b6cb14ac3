// A weight is changed block by block as the blocks of its gradient, a product or a sum of them, leave the registers, so
// that the gradient is never in memory.
#include "kernels/matrix/product_sum.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// The weight is locked meanwhile, and other holders of its bytes keep what they have, as with ApplyGradientDescent.
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
    DF_ASSIGN(const std::vector<ProductTerm<T>> terms,
              ReadProductTerms<T>(ctx, 2, ctx.num_inputs() / 2 - 1, transpose_a_, transpose_b_));
    const GemmShape& s = terms[0].shape;

    Variable* const variables[] = {variable};
    const VariableLocks locks(variables);
    DF_TRY(locks.MakeWritable(variables, DTypeOf<T>, ctx.allocator()));
    Tensor& weight = variable->mutable_value();
    if (!(weight.shape() == Shape({s.m, s.n}))) {
      return InvalidArgument("the variable '", variable->name(), "' has shape ", weight.shape(),
                             ", but is to be updated by a tensor of shape ", Shape({s.m, s.n}));
    }
    DF_TRY(Descend(terms, rate.scalar<T>(), weight.data<T>(), ctx));
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }

 private:
  static Status Descend(const std::vector<ProductTerm<T>>& terms, T rate, T* weight, OpContext& ctx) {
    const GemmShape& s = terms[0].shape;
    if (s.m * s.n == 0) return Status();
    if (terms.size() > 1) return DescendByProducts(terms, rate, MatrixView<T>{weight, s.n, false}, ctx);
    if (s.work() > 0) {
      return RunTiles(s, terms[0].a.data, terms[0].b.data, weight, ctx.pool(), ctx.allocator(),
                      {GemmInto::kDescend, rate});
    }
    for (int64_t i = 0; i < s.m * s.n; ++i) weight[i] -= rate * T{0};
    return Status();
  }

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
