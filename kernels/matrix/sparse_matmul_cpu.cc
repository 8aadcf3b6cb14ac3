// SparseMatMul: the dense product. Looking for zeros costs more than multiplying by them.
#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/gemm/gemm.h"

namespace dfrun {
namespace {

class SparseMatMulKernel final : public Kernel {
 public:
  explicit SparseMatMulKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")) {}

  Status Compute(OpContext& ctx) {
    const Shape& a_shape = ctx.input(0).shape();
    const Shape& b_shape = ctx.input(1).shape();
    if (a_shape.rank() != 2 || b_shape.rank() != 2) {
      return InvalidArgument("cannot multiply ", a_shape, " and ", b_shape, " as matrices");
    }
    DF_ASSIGN(const GemmShape product, MatchMatrices(a_shape.dims(), b_shape.dims(), transpose_a_, transpose_b_));
    const int64_t dims[] = {product.m, product.n};
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    DF_ASSIGN(const Tensor a, AsFloat(ctx, 0));
    DF_ASSIGN(const Tensor b, AsFloat(ctx, 1));
    DF_ASSIGN(const std::shared_ptr<const Gemm<float>> gemm,
              plans_.Get(product, [&] { return Gemm<float>::Create(product); }));
    return gemm->Run(a.data<float>(), b.data<float>(), output->data<float>(), ctx.pool(), ctx.allocator());
  }
  bool IsExpensive() const override { return true; }

 private:
  static Result<Tensor> AsFloat(OpContext& ctx, int i) {
    const Tensor& x = ctx.input(i);
    if (x.dtype() == DType::kFloat) return x;
    DF_ASSIGN(Tensor wide, ctx.AllocateTemp(DType::kFloat, x.shape()));
    std::transform(x.data<bfloat16>(), x.data<bfloat16>() + x.num_elements(), wide.data<float>(),
                   [](bfloat16 value) { return static_cast<float>(value); });
    return wide;
  }

  const bool transpose_a_;
  const bool transpose_b_;
  ShapeCache<GemmShape, Gemm<float>> plans_;
};

CPU_KERNEL_ANY("SparseMatMul", SparseMatMulKernel);

}  // namespace
}  // namespace dfrun
