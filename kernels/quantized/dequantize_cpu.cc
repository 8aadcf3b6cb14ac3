// Quantised integers as floats.
#include "kernels/device/cpu_kernel.h"
#include "kernels/quantized/quantization.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using quantized::Limits;
using quantized::Range;

template <class Q>
struct Affine {
  float before;  // added to the integer
  float scale;
  float after;
  float operator()(Q code) const { return (static_cast<float>(code.value) + before) * scale + after; }
};

template <class Q>
Affine<Q> MinCombined(const Range& range) {
  using L = Limits<Q>;
  const float steps = static_cast<float>(L::kHighest) - static_cast<float>(L::kLowest);
  return {L::kHalf, (range.max - range.min) / steps, range.min};
}

template <class Q>
Affine<Q> Scaled(const Range& range, bool narrow) {
  using L = Limits<Q>;
  const float from_max = range.max / static_cast<float>(L::kHighest);
  if (L::kLowest == 0) return {0, from_max, 0};
  return {0, std::max(range.min / static_cast<float>(L::kLowest + (narrow ? 1 : 0)), from_max), 0};
}

struct Dequantize {
  template <class Q>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : axis_(setup.attr<int64_t>("axis")),
          mode_(setup.attr<std::string>("mode")),
          narrow_(setup.attr<bool>("narrow_range")) {
      const bool is_float = setup.attr<DType>("dtype") == DType::kFloat;
      if (!is_float && !(mode_ == "MIN_COMBINED" || (mode_ == "SCALED" && sizeof(Q) == 1 && axis_ == -1))) {
        setup.Fail(
            InvalidArgument("mode ", mode_, " gives float32, not bfloat16", axis_ == -1 ? "" : ", along an axis"));
      }
    }

    Status Compute(OpContext& ctx) {
      const Tensor& codes = ctx.input(0);
      DF_ASSIGN(const quantized::Slices slices, quantized::Slices::Of(codes.shape(), axis_));
      const Shape ends = axis_ == -1 ? Shape() : Shape({slices.count});
      for (int i : {1, 2}) {
        if (ctx.input(i).shape() == ends) continue;
        return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but must have ", ends);
      }
      if (mode_ == "MIN_FIRST" && slices.count != 1) {
        return Unimplemented("mode MIN_FIRST is for one range, not for ranges along axis ", axis_);
      }
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, codes.shape(), &y));
      VisitDType<float, bfloat16>(y->dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        Elements(ctx, slices, codes.data<Q>(), y->data<T>());
      });
      return Status();
    }

   private:
    template <class T>
    void Elements(OpContext& ctx, const quantized::Slices& slices, const Q* codes, T* y) const {
      const auto slice = [&](int64_t s, int64_t begin, int64_t n) {
        const Range range{ctx.input(1).data<float>()[s], ctx.input(2).data<float>()[s]};
        const auto map = [&](const auto& f) {
          for (int64_t i = begin; i < begin + n; ++i) y[i] = static_cast<T>(f(codes[i]));
        };
        if (mode_ == "MIN_FIRST") {
          map(quantized::ToFloat<Q>(range));
        } else {
          map(mode_ == "SCALED" ? Scaled<Q>(range, narrow_) : MinCombined<Q>(range));
        }
      };
      if (slices.count == 1) {
        ctx.pool().ParallelFor(slices.outer * slices.inner, quantized::kBlock,
                               [&](int64_t begin, int64_t end) { slice(0, begin, end - begin); });
      } else {
        slices.ForEach(ctx.pool(), slice);
      }
    }

    const int64_t axis_;
    const std::string mode_;
    const bool narrow_;
  };
};

CPU_KERNEL("Dequantize", Dequantize, DF_QUANTIZED);

}  // namespace
}  // namespace dfrun
