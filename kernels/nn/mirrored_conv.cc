#include "kernels/nn/mirrored_conv.h"

#include <utility>

#include "kernels/nn/onednn_conv.h"

namespace dfrun {
namespace {

bool StepsByOne(const WindowDim& d) {
  return d.stride == 1 && d.pad_before < d.extent() && d.pad_after() < d.extent();
}

WindowDim Mirrored(const WindowDim& d) {
  WindowDim mirrored = d;
  mirrored.input = d.output;
  mirrored.output = d.input;
  mirrored.pad_before = d.extent() - 1 - d.pad_before;
  return mirrored;
}

ConvShape Mirrored(const ConvShape& s) {
  ConvShape mirrored = s;
  std::swap(mirrored.in_channels, mirrored.out_channels);
  mirrored.depth = Mirrored(s.depth);
  mirrored.height = Mirrored(s.height);
  mirrored.width = Mirrored(s.width);
  return mirrored;
}

}  // namespace

std::shared_ptr<const Conv<float>> MakeMirroredConv(const ConvShape& shape) {
  const bool fits = shape.groups == 1 && !shape.format.channels_first && StepsByOne(shape.depth) &&
                    StepsByOne(shape.height) && StepsByOne(shape.width);
  if (!fits) return nullptr;
  constexpr bool kMirrored = true;
  auto forward = MakeOneDnnConv<float>(ConvKind::kForward, Mirrored(shape), kMirrored);
  return forward.ok() ? *std::move(forward) : nullptr;
}

}  // namespace dfrun
