// Products of matrices, and of batches of them, on GPUs.
#include "kernels/matrix/batch_pairs.h"
#include "kernels/matrix/fused_ops.h"
#include "kernels/matrix/product_cuda.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The product of a node's first two inputs.
template <class T>
class MatrixProduct {
 public:
  explicit MatrixProduct(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")), product_(setup) {}

  Result<GemmShape> ShapeOf(const OpContext& ctx) const {
    const Shape& a = ctx.input(0).shape();
    const Shape& b = ctx.input(1).shape();
    if (a.rank() > 2 || b.rank() > 2) {
      return InvalidArgument("MatMul multiplies matrices, but its inputs have ranks ", a.rank(), " and ", b.rank());
    }
    return MatchMatrices(a.dims(), b.dims(), transpose_a_, transpose_b_);
  }
  Status Run(OpContext& ctx, const GemmShape& shape, T* c, const cuda::ProductEpilogue<T>& end) {
    return product_.Run(ctx, shape, cuda::OnePair(), ctx.input(0).data<T>(), ctx.input(1).data<T>(), c, end);
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
  cuda::Product<T> product_;
};

// MatMul, and the epilogue that its attr fused_ops names.
template <class T>
class MatMulKernel final : public Kernel {
 public:
  explicit MatMulKernel(KernelSetup& setup) : fused_(setup), product_(setup) {
    if (fused_.is_gradient()) setup.Fail(Unimplemented("a GPU's product is not followed by a gradient of Relu"));
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const GemmShape shape, product_.ShapeOf(ctx));
    Tensor* c = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({shape.m, shape.n}), &c));
    cuda::ProductEpilogue<T> end;
    if constexpr (std::is_floating_point_v<ComputeType<T>>) {
      Epilogue<T> epilogue;
      DF_TRY(fused_.Read(ctx, shape.m, shape.n, &epilogue));
      end = {epilogue.bias, fused_.activation()};
    }
    return product_.Run(ctx, shape, c->data<T>(), end);
  }

 private:
  const FusedOps<T> fused_;
  MatrixProduct<T> product_;
};

// A product, a bias and Gelu. Gelu's argument is an output too.
template <class T>
class MatMulGeluKernel final : public Kernel {
 public:
  explicit MatMulGeluKernel(KernelSetup& setup)
      : activation_(setup.attr<bool>("approximate") ? FusedActivation::kApproximateGelu : FusedActivation::kGelu),
        product_(setup) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const GemmShape shape, product_.ShapeOf(ctx));
    const Tensor& bias = ctx.input(2);
    if (!(bias.shape() == Shape({shape.n}))) {
      return InvalidArgument("a bias of shape ", bias.shape(), " does not fit the ", shape.n, " columns of a product");
    }
    Tensor* outputs[2] = {};
    for (int i = 0; i < 2; ++i) DF_TRY(ctx.AllocateOutput(i, Shape({shape.m, shape.n}), &outputs[i]));
    return product_.Run(ctx, shape, outputs[1]->data<T>(), {bias.data<T>(), activation_, outputs[0]->data<T>()});
  }

 private:
  const FusedActivation activation_;
  MatrixProduct<T> product_;
};

template <class T>
class BatchMatMulKernel final : public Kernel {
 public:
  explicit BatchMatMulKernel(KernelSetup& setup)
      : adj_x_(setup.attr<bool>("adj_x")),
        adj_y_(setup.attr<bool>("adj_y")),
        broadcasts_(setup.node().op->name != "BatchMatMul"),
        product_(setup) {
    const DType x = setup.node().inputs[0].dtype;
    const DType y = setup.node().inputs[1].dtype;
    if (!IsProductOf(DTypeOf<T>, x, y)) {
      setup.Fail(Unimplemented("there is no product of ", x, " and ", y, " in ", DTypeOf<T>));
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    DF_ASSIGN(const GemmShape product, MatchMatrices(x.shape().dims(), y.shape().dims(), adj_x_, adj_y_));
    if (!broadcasts_) DF_TRY(CheckSameBatch(x.shape(), y.shape()));
    const Shape x_batch(BatchDims(x.shape()));
    const Shape y_batch(BatchDims(y.shape()));
    BroadcastPlan pairs;
    Shape batch;
    DF_TRY(PlanBroadcast({&x_batch, &y_batch}, pairs, batch));
    std::vector<int64_t> dims(batch.dims().begin(), batch.dims().end());
    dims.push_back(product.m);
    dims.push_back(product.n);
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    DF_ASSIGN(const Tensor a, cuda::ProductOperand<T>(ctx, x, adj_x_));
    DF_ASSIGN(const Tensor b, cuda::ProductOperand<T>(ctx, y, adj_y_));
    return product_.Run(ctx, product, pairs, a.data<T>(), b.data<T>(), output->data<T>());
  }

 private:
  const bool adj_x_;
  const bool adj_y_;
  const bool broadcasts_;
  cuda::Product<T> product_;
};

CUDA_KERNEL("_FusedMatMul", KernelOf<MatMulKernel>, DF_FLOATS);
CUDA_KERNEL("_MatMulBiasGelu", KernelOf<MatMulGeluKernel>, DF_FLOATS);
CUDA_KERNEL("MatMul", KernelOf<MatMulKernel>, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);
CUDA_KERNEL("BatchMatMul", KernelOf<BatchMatMulKernel>, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);
CUDA_KERNEL("BatchMatMulV2", KernelOf<BatchMatMulKernel>, DF_FLOATS, int16_t, int32_t, int64_t, DF_COMPLEX);
CUDA_KERNEL_ATTR("BatchMatMulV3", "Tout", KernelOf<BatchMatMulKernel>, bfloat16, float, double, int16_t, int32_t,
                 int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
