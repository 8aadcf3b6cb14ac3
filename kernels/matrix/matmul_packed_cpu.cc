// A matrix that many products of few rows multiply by is put in order once: each product would copy it again, which few
// rows do not hide. Bits as MatMul's, since an element is summed in the order of k either way.
#include <array>

#include "kernels/device/cpu_kernel.h"
#include "kernels/gemm/prepacked_gemm.h"
#include "kernels/matrix/fused_ops.h"
#include "src/framework/kernel/kernel_of.h"

namespace dfrun {
namespace {

template <class T>
class PackWeightsKernel final : public Kernel {
 public:
  explicit PackWeightsKernel(KernelSetup& setup) : transpose_b_(setup.attr<bool>("transpose_b")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& b = ctx.input(0);
    if (b.shape().rank() != 2) return InvalidArgument("a tensor of shape ", b.shape(), " is no matrix");
    const int64_t depth = b.shape().dim(transpose_b_ ? 1 : 0);
    const int64_t columns = b.shape().dim(transpose_b_ ? 0 : 1);
    Tensor* panels = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({PrepackedElements<T>(depth, columns)}), &panels));
    Prepack<T>({b.data<T>(), b.shape().dim(1), transpose_b_}, depth, columns, panels->data<T>(), ctx.pool());
    return Status();
  }

 private:
  const bool transpose_b_;
};

template <class T>
class MatMulPackedKernel final : public Kernel {
 public:
  explicit MatMulPackedKernel(KernelSetup& setup) : columns_(setup.attr<int64_t>("columns")), fused_(setup) {
    fused_.RefuseGelu(setup);
  }
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(0);
    const Tensor& panels = ctx.input(1);
    if (a.shape().rank() != 2) return InvalidArgument("a tensor of shape ", a.shape(), " is no matrix");
    const int64_t rows = a.shape().dim(0);
    const int64_t depth = a.shape().dim(1);
    if ((depth > 0 && columns_ > panels.num_elements()) ||
        panels.num_elements() != PrepackedElements<T>(depth, columns_)) {
      return InvalidArgument("cannot multiply ", a.shape(), " by panels of ", panels.num_elements(),
                             " elements, which ", columns_, " columns of ", depth, " rows do not take");
    }
    Epilogue<T> epilogue;
    DF_TRY(fused_.Read(ctx, rows, columns_, &epilogue));
    DF_ASSIGN(const Shape shape, Shape::Create(std::array{rows, columns_}));
    Tensor* product = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &product));
    PrepackedGemm<T>(rows, depth, columns_, {a.data<T>(), depth, false}, panels.data<T>(),
                     {product->data<T>(), columns_, false}, epilogue, ctx.pool());
    return Status();
  }

 private:
  const int64_t columns_;
  const FusedOps<T> fused_;
};

CPU_KERNEL("_PackWeights", KernelOf<PackWeightsKernel>, float, double);
CPU_KERNEL("_MatMulPacked", KernelOf<MatMulPackedKernel>, float, double);

}  // namespace
}  // namespace dfrun
