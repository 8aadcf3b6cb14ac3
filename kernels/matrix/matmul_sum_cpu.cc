#include "kernels/device/cpu_kernel.h"
#include "kernels/matrix/product_terms.h"
#include "src/framework/kernel/kernel_of.h"

namespace dfrun {
namespace {

template <class T>
class MatMulSumKernel final : public Kernel {
 public:
  explicit MatMulSumKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ProductTerms<T> terms,
              ReadProductTerms<T>(ctx, 0, ctx.num_inputs() / 2, transpose_a_, transpose_b_));
    Tensor* sum = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ShapeOf(terms), &sum));
    return SumProducts(terms, sum->data<T>(), {}, ctx.pool(), ctx.allocator());
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

CPU_KERNEL("_MatMulSum", KernelOf<MatMulSumKernel>, float, double);

}  // namespace
}  // namespace dfrun
