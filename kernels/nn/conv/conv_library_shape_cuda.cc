#include "kernels/nn/conv/conv_library_shape_cuda.h"

namespace dfrun::cuda {

LibraryConvShape LibraryShapeOf(const ConvShape& s) {
  LibraryConvShape shape;
  shape.input = {s.images, s.in_channels};
  shape.filter = {s.out_channels, s.group_inputs()};
  shape.output = {s.images, s.out_channels};
  const auto add = [&](const WindowDim& d) {
    shape.input.push_back(d.input);
    shape.filter.push_back(d.size);
    shape.output.push_back(d.output);
    shape.strides.push_back(d.stride);
    shape.dilations.push_back(d.dilation);
    shape.pad_before.push_back(d.pad_before);
    shape.pad_after.push_back(d.pad_after());
  };
  if (s.format.spatial == 3) add(s.depth);
  add(s.height);
  add(s.width);
  shape.channels_first = s.format.channels_first;
  return shape;
}

}  // namespace dfrun::cuda
