// Layer normalisation and its gradient: a block of threads takes a row; the gradients of scale and offset are summed
// over rows in parts that the sizes decide. Means are computed in double.
#include <algorithm>
#include <cmath>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/nn/norm/layer_norm.h"
#include "src/base/integers.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct AddDoubles {
  DF_HOST_DEVICE double operator()(double a, double b) const { return a + b; }
};

// The sum of f(j) over the columns j of the block's row, which all of its threads get.
template <class F>
DF_DEVICE_FUNCTION double RowSum(int64_t n, const F& f) {
  double mine = 0;
  for (int64_t j = cuda::ThreadInBlock(); j < n; j += cuda::kBlockThreads) mine += f(j);
  return cuda::BlockReduce(mine, AddDoubles());
}

// The mean of a row and the factor that makes its variance 1.
template <class T>
struct Moments {
  using C = ComputeType<T>;
  C mean;
  C factor;

  DF_HOST_DEVICE C operator()(T x) const { return (static_cast<C>(x) - mean) * factor; }
};

template <class T>
DF_DEVICE_FUNCTION Moments<T> MomentsOf(const T* x, int64_t n, double epsilon) {
  using C = ComputeType<T>;
  const auto count = static_cast<double>(n);
  const double mean = RowSum(n, [&](int64_t j) { return static_cast<double>(x[j]); }) / count;
  const double variance = RowSum(n,
                                 [&](int64_t j) {
                                   const double d = static_cast<double>(x[j]) - mean;
                                   return d * d;
                                 }) /
                          count;
  return {static_cast<C>(mean), static_cast<C>(1 / std::sqrt(variance + epsilon))};
}

// y may be x.
template <class T>
DF_DEVICE_KERNEL void NormaliseRow(const T* x, const T* scale, const T* offset, T* y, int64_t n, double epsilon) {
  using C = ComputeType<T>;
  const T* const row = x + cuda::GlobalBlockId() * n;
  T* const to = y + cuda::GlobalBlockId() * n;
  const Moments<T> moments = MomentsOf(row, n, epsilon);
  for (int64_t j = cuda::ThreadInBlock(); j < n; j += cuda::kBlockThreads) {
    to[j] = static_cast<T>(moments(row[j]) * static_cast<C>(scale[j]) + static_cast<C>(offset[j]));
  }
}

// The gradient of a row of x; keeps its moments.
template <class T>
DF_DEVICE_KERNEL void RowGradient(const T* dy, const T* x, const T* scale, T* dx, Moments<T>* kept, int64_t n,
                                  double epsilon) {
  using C = ComputeType<T>;
  const int64_t row = cuda::GlobalBlockId();
  dy += row * n;
  x += row * n;
  dx += row * n;
  const Moments<T> moments = MomentsOf(x, n, epsilon);
  const auto g = [&](int64_t j) { return static_cast<C>(dy[j]) * static_cast<C>(scale[j]); };
  const auto count = static_cast<double>(n);
  const auto mean = static_cast<C>(RowSum(n, [&](int64_t j) { return static_cast<double>(g(j)); }) / count);
  const auto along = static_cast<C>(
      RowSum(n, [&](int64_t j) { return static_cast<double>(g(j)) * static_cast<double>(moments(x[j])); }) / count);
  for (int64_t j = cuda::ThreadInBlock(); j < n; j += cuda::kBlockThreads) {
    dx[j] = static_cast<T>(moments.factor * (g(j) - mean - moments(x[j]) * along));
  }
  if (cuda::ThreadInBlock() == 0) kept[row] = moments;
}

// Sums of a column over the rows of a part, [part][2][column]: for the gradients of scale and of offset.
template <class T>
DF_DEVICE_KERNEL void SumPart(const T* dy, const T* x, const Moments<T>* moments, NormalisedRows rows, int64_t part,
                              double* sums) {
  const int64_t i = cuda::GlobalThreadId();
  const int64_t number = i / rows.size;
  const int64_t column = i - number * rows.size;
  const int64_t first = number * part;
  if (first >= rows.count) return;
  const int64_t end = first + part < rows.count ? first + part : rows.count;
  double scale = 0;
  double offset = 0;
  for (int64_t r = first; r < end; ++r) {
    const auto grad = static_cast<double>(dy[r * rows.size + column]);
    scale += grad * static_cast<double>(moments[r](x[r * rows.size + column]));
    offset += grad;
  }
  sums[2 * number * rows.size + column] = scale;
  sums[(2 * number + 1) * rows.size + column] = offset;
}

template <class T>
DF_DEVICE_KERNEL void AddParts(const double* sums, int64_t parts, int64_t n, T* scale, T* offset) {
  const int64_t j = cuda::GlobalThreadId();
  if (j >= n) return;
  double totals[2] = {};
  for (int64_t p = 0; p < parts; ++p) {
    for (int k = 0; k < 2; ++k) totals[k] += sums[(2 * p + k) * n + j];
  }
  scale[j] = static_cast<T>(static_cast<ComputeType<T>>(totals[0]));
  offset[j] = static_cast<T>(static_cast<ComputeType<T>>(totals[1]));
}

class LayerNormBase : public Kernel {
 public:
  explicit LayerNormBase(KernelSetup& setup)
      : axis_(setup.attr<int64_t>("axis")), epsilon_(static_cast<double>(setup.attr<float>("epsilon"))) {}

 protected:
  const int64_t axis_;
  const double epsilon_;
};

template <class T>
class LayerNormKernel final : public LayerNormBase {
 public:
  using LayerNormBase::LayerNormBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const NormalisedRows rows, RowsOf(x.shape(), axis_, ctx, {1, 2}));
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    return cuda::LaunchWithBarriers(ctx, rows.count, &NormaliseRow<T>, x.data<T>(), ctx.input(1).data<T>(),
                                    ctx.input(2).data<T>(), y->data<T>(), rows.size, epsilon_);
  }
};

template <class T>
class LayerNormGradKernel final : public LayerNormBase {
 public:
  using LayerNormBase::LayerNormBase;
  Status Compute(OpContext& ctx) {
    const T* const dy = ctx.input(0).data<T>();
    const T* const x = ctx.input(1).data<T>();
    DF_ASSIGN(const NormalisedRows rows, RowsOfGradient(axis_, ctx));
    Tensor* outputs[3] = {};
    for (int i = 0; i < 3; ++i) DF_TRY(ctx.AllocateOutput(i, ctx.input(i == 0 ? 1 : 2).shape(), &outputs[i]));
    // Parts of some rows, so many that they keep a GPU busy.
    constexpr int64_t kPartRows = 32;
    constexpr int64_t kMaxParts = 256;
    const int64_t part = std::max(kPartRows, CeilDiv(rows.count, kMaxParts));
    const int64_t parts = CeilDiv(rows.count, part);
    DF_ASSIGN(Tensor sums, ctx.AllocateTemp(DType::kDouble, Shape({parts, 2, rows.size})));
    DF_ASSIGN(Tensor kept, ctx.AllocateTemp(DTypeOf<ComputeType<T>>, Shape({rows.count, 2})));
    auto* const moments = static_cast<Moments<T>*>(kept.raw());
    DF_TRY(cuda::LaunchWithBarriers(ctx, rows.count, &RowGradient<T>, dy, x, ctx.input(2).data<T>(),
                                    outputs[0]->data<T>(), moments, rows.size, epsilon_));
    DF_TRY(cuda::Launch(ctx, parts * rows.size, &SumPart<T>, dy, x, moments, rows, part, sums.data<double>()));
    return cuda::Launch(ctx, rows.size, &AddParts<T>, sums.data<double>(), parts, rows.size, outputs[1]->data<T>(),
                        outputs[2]->data<T>());
  }
};

CUDA_KERNEL("LayerNorm", KernelOf<LayerNormKernel>, DF_FLOATS);
CUDA_KERNEL("LayerNormGrad", KernelOf<LayerNormGradKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
