// Floats as quantised integers.
#include "kernels/device/cpu_kernel.h"
#include "kernels/quantized/quantization.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using quantized::FromRounded;
using quantized::Limits;
using quantized::Range;

enum class Mode { kMinCombined, kMinFirst, kScaled };

Mode ModeOf(const std::string& name) {
  return name == "SCALED" ? Mode::kScaled : name == "MIN_FIRST" ? Mode::kMinFirst : Mode::kMinCombined;
}

struct Form {
  Mode mode;
  bool half_to_even;
  bool narrow;
  float least_width;  // in relation to the range's ends
};

// The range that is used: it holds 0, and is not too narrow.
Result<Range> Widened(const Range& given, const Form& form) {
  if (given.max < given.min) {
    return InvalidArgument("the range's maximum ", given.max, " is below its minimum ", given.min);
  }
  const float least = std::max(1.0F, std::max(std::abs(given.min), std::abs(given.max))) * form.least_width;
  const float min = std::min(0.0F, given.min);
  return Range{min, std::max(0.0F, std::max(given.max, min + least))};
}

float Clamp(float x, const Range& range) {
  x = x > range.max ? range.max : x;
  return x < range.min ? range.min : x;
}

// Quantises from the lowest integer at the range's minimum to the highest at its maximum.
template <class Q>
void MinCombined(const float* x, int64_t n, const Range& range, Q* y) {
  using L = Limits<Q>;
  const auto scale =
      static_cast<float>(static_cast<double>(L::kHighest - L::kLowest) / static_cast<double>(range.max - range.min));
  for (int64_t i = 0; i < n; ++i) {
    const float steps = (Clamp(x[i], range) - range.min) * scale;
    y[i] = FromRounded<Q>(L::kSigned ? std::round(steps - L::kHalf) : std::trunc(steps + 0.5F));
  }
}

// 0 is 0. Gives the range that the integers then stand for.
template <class Q>
Range Scaled(const float* x, int64_t n, Range range, const Form& form, Q* y) {
  const int64_t lowest = Limits<Q>::kLowest + (form.narrow ? 1 : 0);
  const auto factor = [](int64_t limit, float end) {
    const auto code = static_cast<float>(limit);
    return code * end > 0 ? code / end : std::numeric_limits<float>::max();
  };
  const float scale = std::min(factor(lowest, range.min), factor(Limits<Q>::kHighest, range.max));
  range = {static_cast<float>(lowest) / scale, static_cast<float>(Limits<Q>::kHighest) / scale};
  if (form.half_to_even) {
    for (int64_t i = 0; i < n; ++i) y[i] = FromRounded<Q>(std::nearbyint(Clamp(x[i], range) * scale));
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = FromRounded<Q>(std::round(Clamp(x[i], range) * scale));
  }
  return range;
}

// The elements of one slice; gives the range that the integers stand for.
template <class Q>
Range Quantize(const float* x, int64_t n, const Range& range, const Form& form, Q* y) {
  switch (form.mode) {
    case Mode::kMinCombined:
      MinCombined(x, n, range, y);
      return range;
    case Mode::kMinFirst:
      std::transform(x, x + n, y, quantized::ToCode<Q>(range));
      return range;
    case Mode::kScaled:
      return Scaled(x, n, range, form, y);
  }
  return range;
}

struct QuantizeV2 {
  template <class Q>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : axis_(setup.attr<int64_t>("axis")),
          form_{ModeOf(setup.attr<std::string>("mode")), setup.attr<std::string>("round_mode") == "HALF_TO_EVEN",
                setup.attr<bool>("narrow_range"), setup.attr<float>("ensure_minimum_range")} {
      if (form_.half_to_even && form_.mode != Mode::kScaled) {
        setup.Fail(InvalidArgument("round_mode HALF_TO_EVEN goes with mode SCALED only"));
      }
    }

    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const quantized::Slices slices, quantized::Slices::Of(x.shape(), axis_));
      const Shape ends = axis_ == -1 ? Shape() : Shape({slices.count});
      for (int i : {1, 2}) {
        if (!(ctx.input(i).shape() == ends)) {
          return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but the range's ends have ",
                                 ends);
        }
      }
      if (form_.mode == Mode::kMinFirst && slices.count != 1) {
        return Unimplemented("mode MIN_FIRST is for one range, not for ranges along axis ", axis_);
      }
      Tensor* codes = nullptr;
      Tensor* min = nullptr;
      Tensor* max = nullptr;
      DF_TRY(ctx.AllocateOutput(0, x.shape(), &codes));
      DF_TRY(ctx.AllocateOutput(1, ends, &min));
      DF_TRY(ctx.AllocateOutput(2, ends, &max));
      // The ranges first, of no elements: the elements' blocks may be many or none.
      DF_ASSIGN(Tensor widened, ctx.AllocateTemp(DType::kFloat, Shape({slices.count, 2})));
      auto* used = static_cast<Range*>(widened.raw());
      for (int64_t s = 0; s < slices.count; ++s) {
        DF_ASSIGN(used[s], Widened({ctx.input(1).data<float>()[s], ctx.input(2).data<float>()[s]}, form_));
        const Range result = Quantize<Q>(nullptr, 0, used[s], form_, nullptr);
        min->data<float>()[s] = result.min;
        max->data<float>()[s] = result.max;
      }
      Elements(ctx.pool(), slices, x.data<float>(), used, codes->data<Q>());
      return Status();
    }

   private:
    void Elements(ThreadPool& pool, const quantized::Slices& slices, const float* x, const Range* used,
                  Q* codes) const {
      if (slices.count == 1) {
        pool.ParallelFor(slices.outer * slices.inner, quantized::kBlock, [&](int64_t begin, int64_t end) {
          Quantize(x + begin, end - begin, used[0], form_, codes + begin);
        });
        return;
      }
      slices.ForEach(pool, [&](int64_t slice, int64_t begin, int64_t n) {
        Quantize(x + begin, n, used[slice], form_, codes + begin);
      });
    }

    const int64_t axis_;
    const Form form_;
  };
};

CPU_KERNEL("QuantizeV2", QuantizeV2, DF_QUANTIZED);

}  // namespace
}  // namespace dfrun
