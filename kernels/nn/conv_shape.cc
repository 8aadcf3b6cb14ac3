#include "kernels/nn/conv_shape.h"

namespace dfrun {

Result<ConvShape> ConvShape::Of(const WindowAttrs& attrs, const Shape& input, const Shape& filter) {
  if (input.rank() != 4 || filter.rank() != 4) {
    return InvalidArgument("a convolution needs input and filter of rank 4, but has ", input, " and ", filter);
  }
  ConvShape shape;
  shape.format = attrs.format();
  shape.images = input[0];
  shape.in_channels = input[shape.format.channels()];
  shape.out_channels = filter[3];
  if (filter[2] != shape.in_channels) {
    if (filter[2] > 0 && shape.in_channels % filter[2] == 0) {
      return Unimplemented("grouped convolution (an input of ", shape.in_channels, " channels, a filter of ", filter[2],
                           ")");
    }
    return InvalidArgument("the input ", input, " has ", shape.in_channels, " channels, the filter ", filter,
                           " is for ", filter[2]);
  }
  DF_ASSIGN(shape.height, attrs.Dim(shape.format.height(), input[shape.format.height()], filter[0]));
  DF_ASSIGN(shape.width, attrs.Dim(shape.format.width(), input[shape.format.width()], filter[1]));
  DF_TRY(Shape::Create(shape.output().dims()).status());
  return shape;
}

}  // namespace dfrun
