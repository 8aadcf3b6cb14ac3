#include "kernels/nn/conv/conv_shape.h"

namespace dfrun {
namespace {

Status CheckRanks(const WindowAttrs& attrs, const Shape& input, const Shape& filter) {
  const int rank = attrs.format().rank();
  if (input.rank() != rank || filter.rank() != rank) {
    return InvalidArgument("a convolution needs input and filter of rank ", rank, ", but has ", input, " and ", filter);
  }
  if (filter.num_elements() == 0) return InvalidArgument("the filter of a convolution is empty: ", filter);
  return attrs.RefuseChannelWindows();
}

Status DoesNotFit(const Shape& input, int64_t channels, const Shape& filter) {
  return InvalidArgument("the input ", input, " of ", channels, " channels does not fit the filter ", filter);
}

}  // namespace

Status ConvShape::SetSpace(const WindowAttrs& attrs, const Shape& input, const Shape& filter) {
  format = attrs.format();
  images = input[0];
  in_channels = input[format.channels()];
  const int first = format.spatial - 2;  // the filter's dimension of height
  if (format.spatial == 3) {
    DF_ASSIGN(depth, attrs.Dim(format.depth(), input[format.depth()], filter[0]));
  } else {
    depth.input = depth.output = 1;
  }
  DF_ASSIGN(height, attrs.Dim(format.height(), input[format.height()], filter[first]));
  DF_ASSIGN(width, attrs.Dim(format.width(), input[format.width()], filter[first + 1]));
  return Status();
}

Result<ConvShape> ConvShape::Of(const WindowAttrs& attrs, const Shape& input, const Shape& filter) {
  DF_TRY(CheckRanks(attrs, input, filter));
  ConvShape shape;
  DF_TRY(shape.SetSpace(attrs, input, filter));
  const int64_t filter_inputs = filter[filter.rank() - 2];
  shape.out_channels = filter[filter.rank() - 1];
  const bool may_be_grouped = shape.format.spatial == 2;  // TensorFlow allows groups in two dimensions only
  if (shape.in_channels == 0 || shape.in_channels % filter_inputs != 0 ||
      (shape.in_channels != filter_inputs && !may_be_grouped)) {
    return DoesNotFit(input, shape.in_channels, filter);
  }
  shape.groups = shape.in_channels / filter_inputs;
  if (shape.out_channels % shape.groups != 0) {
    return InvalidArgument("the ", shape.out_channels, " output channels of the filter ", filter,
                           " do not split into the ", shape.groups, " groups that the input ", input, " has");
  }
  DF_TRY(Shape::Create(shape.output().dims()).status());
  return shape;
}

Result<ConvShape> ConvShape::OfDepthwise(const WindowAttrs& attrs, const Shape& input, const Shape& filter) {
  DF_TRY(CheckRanks(attrs, input, filter));
  ConvShape shape;
  DF_TRY(shape.SetSpace(attrs, input, filter));
  if (shape.in_channels != filter[2]) return DoesNotFit(input, shape.in_channels, filter);
  shape.groups = shape.in_channels;
  shape.out_channels = filter[2] * filter[3];
  DF_TRY(Shape::Create(shape.output().dims()).status());
  return shape;
}

}  // namespace dfrun
