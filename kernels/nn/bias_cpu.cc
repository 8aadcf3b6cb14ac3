#include <algorithm>

#include "kernels/math/elementwise.h"
#include "kernels/math/functors.h"
#include "kernels/nn/channel_layout.h"

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
  explicit BiasAddKernel(KernelSetup& setup) {
    const Result<std::string> format = setup.attrs().GetOr<std::string>("data_format", "NHWC");  // BiasAddV1 has none
    channels_first_ = format.ok() && *format == "NCHW";
  }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& bias = ctx.input(1);
    DF_ASSIGN(const ChannelLayout layout, ChannelLayout::Of(x.shape(), channels_first_));
    if (bias.shape().rank() != 1 || bias.shape()[0] != layout.channels) {
      return InvalidArgument("BiasAdd: a bias of shape ", bias.shape(), " does not fit the ", layout.channels,
                             " channels of ", x.shape());
    }
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    if (y->num_elements() == 0) return Status();
    Run(layout, x.data<T>(), bias.data<T>(), y->data<T>(), ctx.pool());
    return Status();
  }

 private:
  static void Run(const ChannelLayout& layout, const T* x, const T* bias, T* y, ThreadPool& pool) {
    // Rows: of all channels where they are innermost, else of one.
    const int64_t width = layout.inner == 1 ? layout.channels : layout.inner;
    const int64_t rows = layout.outer * (layout.inner == 1 ? 1 : layout.channels);
    pool.ParallelFor(rows, std::max<int64_t>(1, kElementBlock / width), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        if (layout.inner == 1) {
          AddRow(x + r * width, bias, y + r * width, width);
        } else {
          AddOne(x + r * width, bias[r % layout.channels], y + r * width, width);
        }
      }
    });
  }

  bool channels_first_ = false;
};

struct BiasAdd {
  template <class T>
  using Kernel = BiasAddKernel<T>;
};

#define DF_NUMERIC_TYPES                                                                                      \
  bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, \
      std::complex<float>, std::complex<double>
CPU_KERNEL("BiasAdd", BiasAdd, DF_NUMERIC_TYPES);
CPU_KERNEL("BiasAddV1", BiasAdd, DF_NUMERIC_TYPES);
#undef DF_NUMERIC_TYPES

}  // namespace
}  // namespace dfrun
