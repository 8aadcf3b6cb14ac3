#include "kernels/matrix/product_sum.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

template <class T>
class MatMulSumKernel final : public Kernel {
 public:
  explicit MatMulSumKernel(KernelSetup& setup)
      : parts_(setup.attr<std::vector<int64_t>>("parts")),
        transpose_a_(setup.attr<bool>("transpose_a")),
        transpose_b_(setup.attr<bool>("transpose_b")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ProductSums<T> sums,
              ReadProductSums<T>(ctx, 0, ctx.num_inputs() / 2, parts_, transpose_a_, transpose_b_));
    DF_ASSIGN(const Shape shape, ShapeOf(sums));
    Tensor* sum = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &sum));
    return StoreProductSums(sums, sum->data<T>(), ctx);
  }

 private:
  const std::vector<int64_t> parts_;
  const bool transpose_a_;
  const bool transpose_b_;
};

CPU_KERNEL("_MatMulSum", KernelOf<MatMulSumKernel>, float, double);

}  // namespace
}  // namespace dfrun
