#include <algorithm>
#include <vector>

#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"
#include "kernels/nn/channel_sums.h"
#include "src/framework/element_types.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

// Up to this many rows are added up one after the other; more take the reduction engine's pairwise order.
constexpr int64_t kFewRows = 64;
constexpr int64_t kStrip = 64;

// sums[j] over a few rows, in strips of columns that stay in registers.
template <class T>
void SumFewRows(const T* x, int64_t rows, int64_t columns, T* sums) {
  using C = typename red::WideOf<ComputeType<T>>::type;
  using A = std::conditional_t<std::is_same_v<C, double>, ComputeType<T>, C>;  // float is exact enough for so few
  for (int64_t begin = 0; begin < columns; begin += kStrip) {
    const int64_t width = std::min(kStrip, columns - begin);
    A strip[kStrip] = {};
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = x + r * columns + begin;
      for (int64_t j = 0; j < width; ++j) strip[j] += static_cast<A>(row[j]);
    }
    for (int64_t j = 0; j < width; ++j) sums[begin + j] = static_cast<T>(strip[j]);
  }
}

template <class T>
class BiasAddGradKernel final : public Kernel {
 public:
  explicit BiasAddGradKernel(KernelSetup& setup) : channels_first_(setup.attr<std::string>("data_format") == "NCHW") {}

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    DF_ASSIGN(const ChannelLayout layout, ChannelLayout::Of(dy.shape(), channels_first_));
    Tensor* sums = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({layout.channels}), &sums));
    if (layout.inner == 1 && layout.outer <= kFewRows) {
      SumFewRows(dy.data<T>(), layout.outer, layout.channels, sums->data<T>());
      return Status();
    }
    if constexpr (std::is_same_v<T, float>) {
      std::vector<double> wide(static_cast<size_t>(layout.channels));
      const float* x = dy.data<float>();
      channels::Sums(
          layout, ctx.pool(), [x](int64_t i, int64_t) { return x[i]; }, wide.data(), channels::FetchAhead<1>{{x}});
      std::transform(wide.begin(), wide.end(), sums->data<float>(), [](double sum) { return static_cast<float>(sum); });
      return Status();
    }
    ReductionPlan plan;
    Shape output;
    DF_TRY(
        PlanReduction(Shape({layout.outer, layout.channels, layout.inner}), {true, false, true}, false, plan, output));
    return RunReduction(LoopsOf<red::Sum, T>(), plan, dy.raw(), sums->raw(), ctx);
  }

 private:
  const bool channels_first_;
};

CPU_KERNEL("BiasAddGrad", KernelOf<BiasAddGradKernel>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
