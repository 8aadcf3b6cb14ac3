#include "kernels/nn/conv/conv_by_flipped_filter.h"

#include <utility>

#include "kernels/nn/conv/onednn_conv.h"

namespace dfrun {
namespace {

bool StepsByOne(const WindowDim& d) {
  return d.stride == 1 && d.pad_before < d.extent() && d.pad_after() < d.extent();
}

WindowDim Flipped(const WindowDim& d) {
  WindowDim flipped = d;
  flipped.input = d.output;
  flipped.output = d.input;
  flipped.pad_before = d.extent() - 1 - d.pad_before;
  return flipped;
}

ConvShape Flipped(const ConvShape& s) {
  ConvShape flipped = s;
  std::swap(flipped.in_channels, flipped.out_channels);
  flipped.depth = Flipped(s.depth);
  flipped.height = Flipped(s.height);
  flipped.width = Flipped(s.width);
  return flipped;
}

}  // namespace

std::shared_ptr<const Conv<float>> MakeConvByFlippedFilter(const ConvShape& shape) {
  const bool fits = shape.groups == 1 && !shape.format.channels_first && StepsByOne(shape.depth) &&
                    StepsByOne(shape.height) && StepsByOne(shape.width);
  if (!fits) return nullptr;
  constexpr bool kFlipped = true;
  auto forward = MakeOneDnnConv<float>(ConvKind::kForward, Flipped(shape), kFlipped);
  return forward.ok() ? *std::move(forward) : nullptr;
}

}  // namespace dfrun
