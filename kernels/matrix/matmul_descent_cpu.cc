// A weight is changed block by block as the blocks of its gradient leave the registers, so that the gradient is never
// in memory.
#include "kernels/matrix/gemm_plan.h"
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
    const Tensor& a = ctx.input(2);
    const Tensor& b = ctx.input(3);
    if (a.shape().rank() != 2 || b.shape().rank() != 2) {
      return InvalidArgument("a ", a.shape(), " and a ", b.shape(), " are multiplied, which are no matrices");
    }
    DF_ASSIGN(const GemmShape s, MatchMatrices(a.shape().dims(), b.shape().dims(), transpose_a_, transpose_b_));

    Variable* const variables[] = {variable};
    const VariableLocks locks(variables);
    DF_TRY(locks.MakeWritable(variables, DTypeOf<T>, ctx.allocator()));
    Tensor& weight = variable->mutable_value();
    if (!(weight.shape() == Shape({s.m, s.n}))) {
      return InvalidArgument("the variable '", variable->name(), "' has shape ", weight.shape(),
                             ", but is to be updated by a tensor of shape ", Shape({s.m, s.n}));
    }
    DF_TRY(Descend(s, a.data<T>(), b.data<T>(), rate.scalar<T>(), weight.data<T>(), ctx));
    if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
    return Status();
  }

 private:
  static Status Descend(const GemmShape& s, const T* a, const T* b, T rate, T* weight, OpContext& ctx) {
    if (s.work() > 0) return RunTiles(s, a, b, weight, ctx.pool(), ctx.allocator(), {GemmInto::kDescend, rate});
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
