#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/functors.h"
#include "kernels/nn/bias/bias.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
T Plus(T a, T b) {
  using C = ComputeType<T>;
  return static_cast<T>(fn::Add()(static_cast<C>(a), static_cast<C>(b)));
}

// y[o, c] = x[o, c] + bias[c].
template <class T>
void AddRow(const T* x, const T* bias, T* y, int64_t n) {
  DF_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) y[i] = Plus(x[i], bias[i]);
}

// One channel of NCHW.
template <class T>
void AddOne(const T* x, T bias, T* y, int64_t n) {
  DF_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) y[i] = Plus(x[i], bias);
}

template <class T>
class BiasAddKernel final : public Kernel {
 public:
  explicit BiasAddKernel(KernelSetup& setup) : channels_first_(IsBiasOfChannelsFirst(setup)) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& bias = ctx.input(1);
    DF_ASSIGN(const ChannelLayout layout, LayoutOfBias(x.shape(), bias.shape(), channels_first_));
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    if (y->num_elements() == 0) return Status();
    const bool streams = !y->SharesBufferWith(x) && IsStreamed(y->num_elements(), sizeof(T));
    MakeElements(ctx.pool(), y->raw(), sizeof(T), y->num_elements(), streams, [&](int64_t at, int64_t n, void* to) {
      Run(layout, x.data<T>(), bias.data<T>(), at, n, static_cast<T*>(to));
    });
    return Status();
  }

 private:
  // Elements [begin, begin + n), which are put at `to`. Rows are of all channels where they are innermost, else of one.
  static void Run(const ChannelLayout& layout, const T* x, const T* bias, int64_t begin, int64_t n, T* to) {
    const int64_t width = layout.inner == 1 ? layout.channels : layout.inner;
    int64_t row = begin / width;
    int64_t in_row = begin % width;
    for (int64_t at = 0; at < n; ++row, in_row = 0) {
      const int64_t count = std::min(width - in_row, n - at);
      if (layout.inner == 1) {
        AddRow(x + begin + at, bias + in_row, to + at, count);
      } else {
        AddOne(x + begin + at, bias[row % layout.channels], to + at, count);
      }
      at += count;
    }
  }

  const bool channels_first_;
};

CPU_KERNEL("BiasAdd", KernelOf<BiasAddKernel>, DF_NUMBERS);
CPU_KERNEL("BiasAddV1", KernelOf<BiasAddKernel>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
