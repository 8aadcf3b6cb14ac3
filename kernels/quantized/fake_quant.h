// A range whose ends are moved so that 0 is one of the values that it is divided into.
// Source: TensorFlow's fake_quant_ops_functor, to the same bits.
#ifndef DFRUN_KERNELS_QUANTIZED_FAKE_QUANT_H_
#define DFRUN_KERNELS_QUANTIZED_FAKE_QUANT_H_

#include <cmath>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::quantized {

// The integers that the ends of a range stand for.
struct Codes {
  float lowest;
  float highest;

  // Reads attrs num_bits and narrow_range. The setup fails for bits beyond 2 to 16.
  static Codes Of(KernelSetup& setup);
};

struct NudgedRange {
  float min;
  float max;
  float scale;
  float inverse;    // inverse of the scale, not rounded twice
  float zero;       // steps from min to 0
  bool is_nothing;  // both ends are 0: everything is 0

  DF_HOST_DEVICE NudgedRange(float given_min, float given_max, const Codes& codes) {
    is_nothing = given_min == 0 && given_max == 0;
    const float steps = codes.highest - codes.lowest;
    scale = (given_max - given_min) / steps;
    inverse = steps / (given_max - given_min);
    const float at = codes.lowest - given_min / scale;
    const float nudged = at < codes.lowest ? codes.lowest : at > codes.highest ? codes.highest : std::round(at);
    min = (codes.lowest - nudged) * scale;
    max = (codes.highest - nudged) * scale;
    zero = std::floor(-min * inverse + 0.5F);
  }

  DF_HOST_DEVICE float StepsTo(float x) const {
    x = x > max ? max : x;
    return (x < min ? min : x) - min;
  }
  // Nearest value; the steps by a product or by a division, which round differently.
  DF_HOST_DEVICE float ByProduct(float x) const { return std::floor(StepsTo(x) * inverse - zero + 0.5F) * scale; }
  DF_HOST_DEVICE float ByDivision(float x) const { return std::floor(StepsTo(x) / scale - zero + 0.5F) * scale; }
  // 1 where x is within, below or above the range.
  DF_HOST_DEVICE float Within(float x) const { return x >= min && x <= max ? 1.0F : 0.0F; }
  DF_HOST_DEVICE float Below(float x) const { return x < min ? 1.0F : 0.0F; }
  DF_HOST_DEVICE float Above(float x) const { return x > max ? 1.0F : 0.0F; }
};

// The range of attrs min and max; refuses one that is empty.
NudgedRange RangeOfAttrs(KernelSetup& setup);

// The number of ranges that inputs x + 1 and x + 2 are the ends of: one for all elements of input x, or one for each
// index of its last dimension. InvalidArgument where they have other shapes.
Result<int64_t> RangesOfInputs(const OpContext& ctx, int x, bool per_channel);

// InvalidArgument unless gradients, input 0, have the shape of input 1.
Status CheckGradients(const OpContext& ctx);

}  // namespace dfrun::quantized

#endif  // DFRUN_KERNELS_QUANTIZED_FAKE_QUANT_H_
