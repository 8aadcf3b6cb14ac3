#include <bit>
#include <cmath>

#include "kernels/comm/wire_statistics.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"

namespace dfrun {
namespace {

constexpr uint32_t kKept = 0xffff0000U;

// A NaN may have all that makes it one in the bits that are dropped.
uint16_t UpperBits(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t quiet = x != x ? 0x00400000U : 0U;
  return static_cast<uint16_t>((bits | quiet) >> 16);
}

// Sums of elements that are finite, in float over few and in double over all.
void CompressPart(const float* x, uint16_t* y, int64_t n, WireStatistics& part) {
  constexpr int64_t kFew = 256;
  for (int64_t begin = 0; begin < n; begin += kFew) {
    const int64_t end = std::min(begin + kFew, n);
    float dropped = 0;
    float total = 0;
    for (int64_t i = begin; i < end; ++i) {
      y[i] = UpperBits(x[i]);
      const float kept = std::bit_cast<float>(std::bit_cast<uint32_t>(x[i]) & kKept);
      dropped += std::fabs(x[i] - kept);
      total += std::fabs(x[i]);
    }
    if (!std::isfinite(total) || !std::isfinite(dropped)) continue;
    part.dropped += static_cast<double>(dropped);
    part.total += static_cast<double>(total);
  }
}

RefPtr<WireCounters> CountersOf(KernelSetup& setup) {
  Result<RefPtr<WireCounters>> counters = WireCounters::Of(setup.device());
  if (counters.ok()) return *std::move(counters);
  setup.Fail(counters.status());
  return {};
}

class CompressKernel : public Kernel {
 public:
  explicit CompressKernel(KernelSetup& setup)
      : count_(setup.input_shape(0).num_elements()), counters_(CountersOf(setup)) {}
  bool IsExpensive() const override { return count_ >= kExpensiveCount; }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    const auto* const from = x.data<float>();
    auto* const to = static_cast<uint16_t*>(y->raw());
    const int64_t n = x.num_elements();
    ctx.pool().ParallelForEvenly(n, kElementBlock, kElementStep, [&](int64_t begin, int64_t end) {
      const auto count = static_cast<double>(end - begin);
      WireStatistics part{.bytes = count * sizeof(float), .wire_bytes = count * sizeof(uint16_t)};
      CompressPart(from + begin, to + begin, end - begin, part);
      counters_->Add(part);
    });
    return Status();
  }

 private:
  const int64_t count_;
  const RefPtr<WireCounters> counters_;
};

class WireStatisticsKernel : public Kernel {
 public:
  explicit WireStatisticsKernel(KernelSetup& setup) : counters_(CountersOf(setup)) {}

  Status Compute(OpContext& ctx) {
    const WireStatistics taken = counters_->Take();
    const double values[] = {taken.bytes, taken.wire_bytes, taken.dropped, taken.total};
    for (int i = 0; i < 4; ++i) {
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(i, Shape(), &output));
      *output->data<double>() = values[i];
    }
    return Status();
  }

 private:
  const RefPtr<WireCounters> counters_;
};

CPU_KERNEL_ANY("_Compress", CompressKernel);
CPU_KERNEL_ANY("_WireStatistics", WireStatisticsKernel);

}  // namespace
}  // namespace dfrun
