#include "kernels/device/cpu_kernel.h"
#include "kernels/quantized/fake_quant.h"

#include <algorithm>
#include <vector>

#include "kernels/quantized/quantization.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

using quantized::Codes;
using quantized::kBlock;
using quantized::NudgedRange;

class ArgsKernel final : public Kernel {
 public:
  explicit ArgsKernel(KernelSetup& setup) : range_(quantized::RangeOfAttrs(setup)) {}
  Status Compute(OpContext& ctx) const {
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, ctx.input(0).shape(), &y));
    quantized::Map(ctx.pool(), ctx.input(0).data<float>(), y->data<float>(), y->num_elements(),
                   [&](float x) { return range_.ByProduct(x); });
    return Status();
  }

 private:
  const NudgedRange range_;
};

class ArgsGradientKernel final : public Kernel {
 public:
  explicit ArgsGradientKernel(KernelSetup& setup) : range_(quantized::RangeOfAttrs(setup)) {}
  Status Compute(OpContext& ctx) const {
    DF_TRY(quantized::CheckGradients(ctx));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(1).shape(), &dx));
    const float* dy = ctx.input(0).data<float>();
    const float* x = ctx.input(1).data<float>();
    ctx.pool().ParallelFor(dx->num_elements(), kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) dx->data<float>()[i] = dy[i] * range_.Within(x[i]);
    });
    return Status();
  }

 private:
  const NudgedRange range_;
};

// The ranges of inputs x + 1 and x + 2.
Result<std::vector<NudgedRange>> RangesOf(const OpContext& ctx, int x, bool per_channel, const Codes& codes) {
  DF_ASSIGN(const int64_t count, quantized::RangesOfInputs(ctx, x, per_channel));
  std::vector<NudgedRange> ranges;
  ranges.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    ranges.emplace_back(ctx.input(x + 1).data<float>()[i], ctx.input(x + 2).data<float>()[i], codes);
  }
  return ranges;
}

template <bool kPerChannel>
class VarsKernel final : public Kernel {
 public:
  explicit VarsKernel(KernelSetup& setup) : codes_(Codes::Of(setup)) {}
  Status Compute(OpContext& ctx) const {
    DF_ASSIGN(const std::vector<NudgedRange> ranges, RangesOf(ctx, 0, kPerChannel, codes_));
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, ctx.input(0).shape(), &y));
    const float* x = ctx.input(0).data<float>();
    if (kPerChannel) {
      Rows(ctx.pool(), ranges, x, y->data<float>(), y->num_elements());
    } else if (ranges[0].is_nothing) {
      std::fill_n(y->data<float>(), y->num_elements(), 0.0F);
    } else {
      const NudgedRange& range = ranges[0];
      quantized::Map(ctx.pool(), x, y->data<float>(), y->num_elements(), [&](float v) { return range.ByDivision(v); });
    }
    return Status();
  }

 private:
  static void Rows(ThreadPool& pool, const std::vector<NudgedRange>& ranges, const float* x, float* y, int64_t n) {
    const auto channels = static_cast<int64_t>(ranges.size());
    const int64_t rows = channels == 0 ? 0 : n / channels;
    pool.ParallelFor(rows, kBlock / (channels + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * channels; i < end * channels; i += channels) {
        for (int64_t c = 0; c < channels; ++c) {
          const NudgedRange& range = ranges[static_cast<size_t>(c)];
          y[i + c] = range.is_nothing ? 0.0F : range.ByProduct(x[i + c]);
        }
      }
    });
  }

  const Codes codes_;
};

template <bool kPerChannel>
class VarsGradientKernel final : public Kernel {
 public:
  explicit VarsGradientKernel(KernelSetup& setup) : codes_(Codes::Of(setup)) {}
  Status Compute(OpContext& ctx) const {
    DF_TRY(quantized::CheckGradients(ctx));
    DF_ASSIGN(const std::vector<NudgedRange> ranges, RangesOf(ctx, 1, kPerChannel, codes_));
    Tensor* dx = nullptr;
    Tensor* d_min = nullptr;
    Tensor* d_max = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(1).shape(), &dx));
    DF_TRY(ctx.AllocateOutput(1, ctx.input(2).shape(), &d_min));
    DF_TRY(ctx.AllocateOutput(2, ctx.input(2).shape(), &d_max));
    const auto channels = static_cast<int64_t>(ranges.size());
    const int64_t rows = channels == 0 ? 0 : dx->num_elements() / channels;
    // Parts of the sums, a block of rows each; their bounds depend on the shape alone.
    const int64_t block = kBlock / (channels + 1) + 1 + rows / 64;
    const int64_t parts = CeilDiv(rows, block);
    std::vector<double> sums(static_cast<size_t>(2 * channels * parts), 0.0);
    ctx.pool().ParallelFor(rows, block, [&](int64_t begin, int64_t end) {
      double* part = sums.data() + begin / block * 2 * channels;
      for (int64_t r = begin; r < end; ++r) Row(ctx, ranges, r * channels, dx->data<float>(), part);
    });
    for (int64_t c = 0; c < channels; ++c) {
      double min = 0;
      double max = 0;
      for (int64_t p = 0; p < parts; ++p) {
        min += sums[static_cast<size_t>(2 * (p * channels + c))];
        max += sums[static_cast<size_t>(2 * (p * channels + c) + 1)];
      }
      d_min->data<float>()[c] = static_cast<float>(min);
      d_max->data<float>()[c] = static_cast<float>(max);
    }
    return Status();
  }

 private:
  // Computes dx[at], dx[at + 1], ..., one a channel; `dx` begins with the output's first element. Adds to `sums`, two a
  // channel: of min and of max. No other thread writes to these.
  static void Row(const OpContext& ctx, const std::vector<NudgedRange>& ranges, int64_t at, float* dx, double* sums) {
    const float* dy = ctx.input(0).data<float>() + at;
    const float* x = ctx.input(1).data<float>() + at;
    for (size_t c = 0; c < ranges.size(); ++c) {
      const NudgedRange& range = ranges[c];
      dx[at + static_cast<int64_t>(c)] = range.is_nothing ? dy[c] : dy[c] * range.Within(x[c]);
      if (range.is_nothing) continue;
      sums[2 * c] += static_cast<double>(dy[c] * range.Below(x[c]));
      sums[2 * c + 1] += static_cast<double>(dy[c] * range.Above(x[c]));
    }
  }

  const Codes codes_;
};

CPU_KERNEL_ANY("FakeQuantWithMinMaxArgs", ArgsKernel);
CPU_KERNEL_ANY("FakeQuantWithMinMaxArgsGradient", ArgsGradientKernel);
CPU_KERNEL_ANY("FakeQuantWithMinMaxVars", VarsKernel<false>);
CPU_KERNEL_ANY("FakeQuantWithMinMaxVarsGradient", VarsGradientKernel<false>);
CPU_KERNEL_ANY("FakeQuantWithMinMaxVarsPerChannel", VarsKernel<true>);
CPU_KERNEL_ANY("FakeQuantWithMinMaxVarsPerChannelGradient", VarsGradientKernel<true>);

}  // namespace
}  // namespace dfrun
