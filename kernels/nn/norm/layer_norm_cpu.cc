#include <algorithm>
#include <cmath>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functions/element.h"
#include "kernels/nn/norm/layer_norm.h"
#include "src/base/integers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Elements of a block of rows that one thread takes: some 10 us.
constexpr int64_t kBlock = 16384;
// The gradients of scale and offset are summed in at most this many parts, fixed by the shape.
constexpr int64_t kMaxParts = 16;

// The sum of f(j) over [0, n) in lanes, which the compiler keeps in vectors, in double.
template <class F>
double LaneSum(int64_t n, const F& f) {
  constexpr int64_t kLanes = 16;
  double lanes[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] += f(j + k);
  }
  for (int64_t k = 0; j < n; ++j, ++k) lanes[k] += f(j);
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  return lanes[0];
}

// The mean of a row and the factor that makes its variance 1.
template <class T>
struct Moments {
  using C = ComputeType<T>;
  C mean;
  C factor;

  Moments(const T* x, int64_t n, double epsilon) {
    const double exact = LaneSum(n, [&](int64_t j) { return static_cast<double>(x[j]); }) / static_cast<double>(n);
    const double variance = LaneSum(n,
                                    [&](int64_t j) {
                                      const double d = static_cast<double>(x[j]) - exact;
                                      return d * d;
                                    }) /
                            static_cast<double>(n);
    mean = static_cast<C>(exact);
    factor = static_cast<C>(1 / std::sqrt(variance + epsilon));
  }
  C operator()(T x) const { return (static_cast<C>(x) - mean) * factor; }
};

struct LayerNorm {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    using C = ComputeType<T>;
    explicit Kernel(KernelSetup& setup)
        : axis_(setup.attr<int64_t>("axis")), epsilon_(static_cast<double>(setup.attr<float>("epsilon"))) {}

    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const NormalisedRows rows, RowsOf(x.shape(), axis_, ctx, {1, 2}));
      Tensor* y = nullptr;
      DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
      const T* scale = ctx.input(1).data<T>();
      const T* offset = ctx.input(2).data<T>();
      ctx.pool().ParallelFor(rows.count, kBlock / (rows.size + 1) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          Normalize(x.data<T>() + r * rows.size, scale, offset, rows.size, y->data<T>() + r * rows.size);
        }
      });
      return Status();
    }

   private:
    void Normalize(const T* x, const T* scale, const T* offset, int64_t n, T* y) const {
      const Moments<T> moments(x, n, epsilon_);
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) {
        y[j] = static_cast<T>(moments(x[j]) * static_cast<C>(scale[j]) + static_cast<C>(offset[j]));
      }
    }

    const int64_t axis_;
    const double epsilon_;
  };
};

struct LayerNormGrad {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    using C = ComputeType<T>;
    explicit Kernel(KernelSetup& setup)
        : axis_(setup.attr<int64_t>("axis")), epsilon_(static_cast<double>(setup.attr<float>("epsilon"))) {}

    Status Compute(OpContext& ctx) {
      const Tensor& dy = ctx.input(0);
      const Tensor& x = ctx.input(1);
      DF_ASSIGN(const NormalisedRows rows, RowsOfGradient(axis_, ctx));
      Tensor* outputs[3] = {};
      for (int i = 0; i < 3; ++i) DF_TRY(ctx.AllocateOutput(i, ctx.input(i == 0 ? 1 : 2).shape(), &outputs[i]));
      const int64_t least = kBlock / (rows.size + 1) + 1;
      const int64_t per_part = std::max(least, CeilDiv(rows.count, kMaxParts));
      const int64_t parts = CeilDiv(rows.count, per_part);
      DF_ASSIGN(const Shape sums_shape, Shape::Create(std::array<int64_t, 3>{parts, 2, rows.size}));
      DF_ASSIGN(Tensor sums, ctx.AllocateTemp(DType::kDouble, sums_shape));
      std::fill_n(sums.data<double>(), sums.num_elements(), 0.0);
      ctx.pool().ParallelFor(rows.count, per_part, [&](int64_t begin, int64_t end) {
        double* part = sums.data<double>() + begin / per_part * 2 * rows.size;
        for (int64_t r = begin; r < end; ++r) {
          Row(dy.data<T>() + r * rows.size, x.data<T>() + r * rows.size, ctx.input(2).data<T>(), rows.size,
              outputs[0]->data<T>() + r * rows.size, part);
        }
      });
      for (int k = 0; k < 2; ++k) {
        AddParts(sums.data<double>() + k * rows.size, parts, rows.size, outputs[1 + k]->data<T>());
      }
      return Status();
    }

   private:
    // One row of x's gradient; adds to sums[0..n) of scale's and sums[n..2n) of offset's.
    void Row(const T* dy, const T* x, const T* scale, int64_t n, T* dx, double* sums) const {
      const Moments<T> moments(x, n, epsilon_);
      const auto g = [&](int64_t j) { return static_cast<C>(dy[j]) * static_cast<C>(scale[j]); };
      const double count = static_cast<double>(n);
      const auto mean = static_cast<C>(LaneSum(n, [&](int64_t j) { return static_cast<double>(g(j)); }) / count);
      const auto along = static_cast<C>(
          LaneSum(n, [&](int64_t j) { return static_cast<double>(g(j)) * static_cast<double>(moments(x[j])); }) /
          count);
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) {
        const C normal = moments(x[j]);
        dx[j] = static_cast<T>(moments.factor * (g(j) - mean - normal * along));
        sums[j] += static_cast<double>(dy[j]) * static_cast<double>(normal);
        sums[n + j] += static_cast<double>(dy[j]);
      }
    }

    static void AddParts(const double* sums, int64_t parts, int64_t n, T* total) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < parts; ++p) sum += sums[p * 2 * n + j];
        total[j] = static_cast<T>(static_cast<C>(sum));
      }
    }

    const int64_t axis_;
    const double epsilon_;
  };
};

CPU_KERNEL("LayerNorm", LayerNorm, DF_FLOATS);
CPU_KERNEL("LayerNormGrad", LayerNormGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
