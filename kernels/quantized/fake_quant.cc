#include "kernels/quantized/fake_quant.h"

namespace dfrun::quantized {

Codes Codes::Of(KernelSetup& setup) {
  const auto bits = setup.attr<int64_t>("num_bits");
  if (bits < 2 || bits > 16) {
    setup.Fail(InvalidArgument("num_bits is ", bits, ", but must be between 2 and 16"));
    return {0, 1};
  }
  return {setup.attr<bool>("narrow_range") ? 1.0F : 0.0F, static_cast<float>((1 << bits) - 1)};
}

NudgedRange RangeOfAttrs(KernelSetup& setup) {
  const auto min = setup.attr<float>("min");
  const auto max = setup.attr<float>("max");
  if (!(min < max)) setup.Fail(InvalidArgument("min ", min, " must be below max ", max));
  return NudgedRange(min, max, Codes::Of(setup));
}

Result<int64_t> RangesOfInputs(const OpContext& ctx, int x, bool per_channel) {
  const Shape& shape = ctx.input(x).shape();
  if (per_channel && shape.rank() == 0) return InvalidArgument("a scalar has no channels");
  const Shape ends = per_channel ? Shape({shape[shape.rank() - 1]}) : Shape();
  for (int i : {x + 1, x + 2}) {
    if (ctx.input(i).shape() == ends) continue;
    return InvalidArgument("input ", i, " has shape ", ctx.input(i).shape(), ", but the range's ends have ", ends);
  }
  return ends.num_elements();
}

Status CheckGradients(const OpContext& ctx) {
  if (ctx.input(0).shape() == ctx.input(1).shape()) return Status();
  return InvalidArgument("gradients of shape ", ctx.input(0).shape(), " for inputs of shape ", ctx.input(1).shape());
}

}  // namespace dfrun::quantized
