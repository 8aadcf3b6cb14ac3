#include <algorithm>
#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/math/functions/element.h"
#include "kernels/matrix/batch_gemm.h"
#include "kernels/matrix/batch_pairs.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class BatchMatMulKernel final : public Kernel {
 public:
  explicit BatchMatMulKernel(KernelSetup& setup)
      : adj_x_(setup.attr<bool>("adj_x")),
        adj_y_(setup.attr<bool>("adj_y")),
        broadcasts_(setup.node().op->name != "BatchMatMul") {
    const DType x = setup.node().inputs[0].dtype;
    const DType y = setup.node().inputs[1].dtype;
    if (!IsProductOf(DTypeOf<T>, x, y)) {
      setup.Fail(Unimplemented("there is no product of ", x, " and ", y, " in ", DTypeOf<T>));
    }
  }

  Status Compute(OpContext& ctx) {
    const Shape& x_shape = ctx.input(0).shape();
    const Shape& y_shape = ctx.input(1).shape();
    DF_ASSIGN(const GemmShape product, MatchMatrices(x_shape.dims(), y_shape.dims(), adj_x_, adj_y_));
    if (!broadcasts_) DF_TRY(CheckSameBatch(x_shape, y_shape));
    DF_ASSIGN(BatchPairs pairs, PairMatrices(x_shape, y_shape));
    pairs.dims.push_back(product.m);
    pairs.dims.push_back(product.n);
    DF_ASSIGN(const Shape shape, Shape::Create(pairs.dims));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    if (pairs.x.empty()) {
      std::fill_n(output->data<T>(), output->num_elements(), T());
      return Status();
    }
    DF_ASSIGN(const Tensor x, Operand(ctx, 0, adj_x_));
    DF_ASSIGN(const Tensor y, Operand(ctx, 1, adj_y_));
    DF_ASSIGN(const std::shared_ptr<const Gemm<T>> gemm, plans_.Get(product, [&] { return Gemm<T>::Create(product); }));
    return RunBatch(product, static_cast<int64_t>(pairs.x.size()), ctx.pool(), [&](int64_t i, ThreadPool& pool) {
      return gemm->Run(x.data<T>() + pairs.x[static_cast<size_t>(i)] * product.m * product.k,
                       y.data<T>() + pairs.y[static_cast<size_t>(i)] * product.k * product.n,
                       output->data<T>() + i * product.m * product.n, pool, ctx.allocator());
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  // The operand as elements of the product's dtype, conjugated where its adjoint is wanted: transposing is the
  // product's.
  static Result<Tensor> Operand(OpContext& ctx, int i, bool adjoint) {
    const Tensor& tensor = ctx.input(i);
    const bool conjugate = kIsComplex<T> && adjoint;
    if (tensor.dtype() == DTypeOf<T> && !conjugate) return tensor;
    DF_ASSIGN(Tensor made, ctx.AllocateTemp(DTypeOf<T>, tensor.shape()));
    if constexpr (kIsComplex<T>) {
      std::transform(tensor.data<T>(), tensor.data<T>() + tensor.num_elements(), made.data<T>(),
                     [](const T& value) { return std::conj(value); });
    } else {
      VisitDType<int8_t, uint8_t>(tensor.dtype(), [&](auto tag) {
        using Byte = typename decltype(tag)::type;
        std::transform(tensor.data<Byte>(), tensor.data<Byte>() + tensor.num_elements(), made.data<T>(),
                       [](Byte value) { return static_cast<T>(static_cast<ComputeType<T>>(value)); });
      });
    }
    return made;
  }

  const bool adj_x_;
  const bool adj_y_;
  const bool broadcasts_;
  ShapeCache<GemmShape, Gemm<T>> plans_;
};

CPU_KERNEL("BatchMatMul", KernelOf<BatchMatMulKernel>, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);
CPU_KERNEL("BatchMatMulV2", KernelOf<BatchMatMulKernel>, DF_FLOATS, int16_t, int32_t, int64_t, DF_COMPLEX);
CPU_KERNEL_ATTR("BatchMatMulV3", "Tout", KernelOf<BatchMatMulKernel>, bfloat16, float, double, int16_t, int32_t,
                int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
