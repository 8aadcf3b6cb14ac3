#include <algorithm>
#include <complex>

#include "kernels/device/shape_cache.h"
#include "kernels/math/element.h"
#include "kernels/matrix/gemm.h"
#include "kernels/matrix/gemm_tiles.h"
#include "src/framework/inference.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

// About 20 us of products.
constexpr int64_t kBlockWork = int64_t{1} << 21;

// One product of matrices, and which matrix of each side goes into each.
struct BatchPlan {
  GemmShape product;
  Shape output;
  std::vector<int64_t> x_matrix;  // one a product
  std::vector<int64_t> y_matrix;
};

// The number of the matrix of a side (batch sizes `dims`) that product `index` of the batch `all` takes.
int64_t MatrixOf(int64_t index, std::span<const int64_t> all, std::span<const int64_t> dims) {
  int64_t matrix = 0;
  int64_t stride = 1;
  for (size_t back = 1; back <= all.size(); ++back) {
    const int64_t size = all[all.size() - back];
    const int64_t at = index % size;
    index /= size;
    if (back > dims.size()) continue;
    const int64_t mine = dims[dims.size() - back];
    if (mine != 1) matrix += at * stride;
    stride *= mine;
  }
  return matrix;
}

template <class T>
class BatchMatMulKernel final : public Kernel {
 public:
  explicit BatchMatMulKernel(KernelSetup& setup)
      : adj_x_(setup.attr<bool>("adj_x")), adj_y_(setup.attr<bool>("adj_y")) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const BatchPlan plan, MakePlan(ctx.input(0).shape(), ctx.input(1).shape()));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, plan.output, &output));
    if (output->num_elements() == 0) return Status();
    DF_ASSIGN(const Tensor x, Adjoined(ctx, 0, adj_x_));
    DF_ASSIGN(const Tensor y, Adjoined(ctx, 1, adj_y_));
    DF_ASSIGN(const std::shared_ptr<const Gemm<T>> gemm,
              plans_.Get(plan.product, [&] { return Gemm<T>::Create(plan.product); }));
    return RunAll(plan, *gemm, x.data<T>(), y.data<T>(), output->data<T>(), ctx);
  }
  bool IsExpensive() const override { return true; }

 private:
  // The tensor, conjugated where it is complex and the adjoint is wanted: transposing is the product's.
  static Result<Tensor> Adjoined(OpContext& ctx, int i, bool adjoint) {
    const Tensor& tensor = ctx.input(i);
    if constexpr (kIsComplex<T>) {
      if (adjoint) {
        DF_ASSIGN(Tensor conjugate, ctx.AllocateTemp(tensor.dtype(), tensor.shape()));
        std::transform(tensor.data<T>(), tensor.data<T>() + tensor.num_elements(), conjugate.data<T>(),
                       [](const T& value) { return std::conj(value); });
        return conjugate;
      }
    }
    static_cast<void>(adjoint);
    return tensor;
  }

  Result<BatchPlan> MakePlan(const Shape& x, const Shape& y) const {
    if (x.rank() < 2 || y.rank() < 2)
      return InvalidArgument("cannot multiply ", x, " and ", y, " as batches of matrices");
    BatchPlan plan;
    plan.product = {x[x.rank() - (adj_x_ ? 1 : 2)], x[x.rank() - (adj_x_ ? 2 : 1)], y[y.rank() - (adj_y_ ? 2 : 1)],
                    adj_x_, adj_y_};
    if (y[y.rank() - (adj_y_ ? 1 : 2)] != plan.product.k) {
      return InvalidArgument("cannot multiply batches ", x, " and ", y, ": the inner sizes differ");
    }
    const auto x_dims = x.dims().first(static_cast<size_t>(x.rank() - 2));
    const auto y_dims = y.dims().first(static_cast<size_t>(y.rank() - 2));
    DF_ASSIGN(const PartialShape both, BroadcastShapes(Shape(x_dims), Shape(y_dims)));
    std::vector<int64_t> dims = both.dims();
    dims.push_back(plan.product.m);
    dims.push_back(plan.product.n);
    DF_ASSIGN(plan.output, Shape::Create(dims));
    if (plan.output.num_elements() == 0) return plan;
    const int64_t products = plan.output.num_elements() / (plan.product.m * plan.product.n);
    for (int64_t i = 0; i < products; ++i) {
      plan.x_matrix.push_back(MatrixOf(i, both.dims(), x_dims));
      plan.y_matrix.push_back(MatrixOf(i, both.dims(), y_dims));
    }
    return plan;
  }

  // Large products are split themselves; of small ones each thread takes some.
  static Status RunAll(const BatchPlan& plan, const Gemm<T>& gemm, const T* x, const T* y, T* output, OpContext& ctx) {
    const GemmShape& s = plan.product;
    const auto run = [&](size_t i, ThreadPool& pool) {
      return gemm.Run(x + plan.x_matrix[i] * s.m * s.k, y + plan.y_matrix[i] * s.k * s.n,
                      output + static_cast<int64_t>(i) * s.m * s.n, pool, ctx.allocator());
    };
    const int64_t products = static_cast<int64_t>(plan.x_matrix.size());
    if (GemmTiles(s).count() > 1) {
      for (int64_t i = 0; i < products; ++i) DF_TRY(run(static_cast<size_t>(i), ctx.pool()));
      return Status();
    }
    const int64_t block = std::max<int64_t>(1, kBlockWork / (s.work() + 1));
    std::vector<Status> statuses(static_cast<size_t>((products + block - 1) / block));
    ctx.pool().ParallelFor(products, block, [&](int64_t begin, int64_t end) {
      InlineThreadPool inline_pool;
      for (int64_t i = begin; i < end && statuses[static_cast<size_t>(begin / block)].ok(); ++i) {
        statuses[static_cast<size_t>(begin / block)] = run(static_cast<size_t>(i), inline_pool);
      }
    });
    for (Status& status : statuses) DF_TRY(std::move(status));
    return Status();
  }

  const bool adj_x_;
  const bool adj_y_;
  ShapeCache<GemmShape, Gemm<T>> plans_;
};

struct BatchMatMul {
  template <class T>
  using Kernel = BatchMatMulKernel<T>;
};

CPU_KERNEL("BatchMatMul", BatchMatMul, bfloat16, float16, float, double, int32_t, int64_t, std::complex<float>,
           std::complex<double>);
CPU_KERNEL("BatchMatMulV2", BatchMatMul, bfloat16, float16, float, double, int32_t, int64_t, std::complex<float>,
           std::complex<double>);

}  // namespace
}  // namespace dfrun
