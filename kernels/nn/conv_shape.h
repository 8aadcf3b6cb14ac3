// The sizes of one two-dimensional convolution.
#ifndef DFRUN_KERNELS_NN_CONV_SHAPE_H_
#define DFRUN_KERNELS_NN_CONV_SHAPE_H_

#include "kernels/nn/window.h"

namespace dfrun {

// y[n, co, oh, ow] = sum over ci, kh, kw of x[n, ci, ...] * filter[kh, kw, ci, co]. Images in `format`; filters always
// in height, width, in-channels, out-channels.
struct ConvShape {
  int64_t images = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  WindowDim height;
  WindowDim width;
  ImageFormat format;

  // From the shapes of input and filter. InvalidArgument where they do not fit; Unimplemented for grouped convolution.
  static Result<ConvShape> Of(const WindowAttrs& attrs, const Shape& input, const Shape& filter);

  bool operator==(const ConvShape& other) const {
    return images == other.images && in_channels == other.in_channels && out_channels == other.out_channels &&
           height == other.height && width == other.width && format.channels_first == other.format.channels_first;
  }
  Shape input() const { return format.MakeShape(images, in_channels, height.input, width.input); }
  Shape output() const { return format.MakeShape(images, out_channels, height.output, width.output); }
  Shape filter() const { return Shape({height.size, width.size, in_channels, out_channels}); }
  int64_t input_image() const { return in_channels * height.input * width.input; }      // elements
  int64_t output_image() const { return out_channels * height.output * width.output; }  // elements
  // Terms of one element of the output.
  int64_t window() const { return height.size * width.size * in_channels; }
  // Multiplications for one image.
  double image_work() const { return static_cast<double>(output_image()) * static_cast<double>(window()); }
  // The same for some of the images.
  ConvShape WithImages(int64_t count) const {
    ConvShape part = *this;
    part.images = count;
    return part;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_SHAPE_H_
