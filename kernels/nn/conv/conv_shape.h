// The sizes of one convolution in two or three dimensions of space.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_SHAPE_H_
#define DFRUN_KERNELS_NN_CONV_CONV_SHAPE_H_

#include "kernels/nn/pool/window.h"

namespace dfrun {

// y[n, co, od, oh, ow] = sum over ci, kd, kh, kw of x[n, first + ci, ...] * filter[kd, kh, kw, ci, co], where `first`
// is the first input channel of co's group: group g of G takes the g-th part of the input channels to the g-th part of
// the output channels. Images in `format`; flat ones have a depth of 1. Filters are always in depth, height, width,
// in-channels of one group, out-channels.
struct ConvShape {
  int64_t images = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  WindowDim depth;
  WindowDim height;
  WindowDim width;
  ImageFormat format;

  // The shape for an input and a filter; an input with a multiple of the filter's channels is grouped. InvalidArgument
  // where they do not fit or the filter is empty.
  static Result<ConvShape> Of(const WindowAttrs& attrs, const Shape& input, const Shape& filter);
  // The shape for a filter [height, width, in-channels, multiplier], in which each input channel is a group of its own.
  // In memory that filter is [height, width, 1, in-channels * multiplier].
  static Result<ConvShape> OfDepthwise(const WindowAttrs& attrs, const Shape& input, const Shape& filter);

  bool operator==(const ConvShape& other) const {
    return images == other.images && in_channels == other.in_channels && out_channels == other.out_channels &&
           groups == other.groups && depth == other.depth && height == other.height && width == other.width &&
           format == other.format;
  }
  Shape input() const { return format.MakeShape(images, in_channels, depth.input, height.input, width.input); }
  Shape output() const { return format.MakeShape(images, out_channels, depth.output, height.output, width.output); }
  int64_t filter_size() const { return taps() * group_inputs() * out_channels; }  // elements
  int64_t group_inputs() const { return in_channels / groups; }
  int64_t group_outputs() const { return out_channels / groups; }
  int64_t in_pixels() const { return depth.input * height.input * width.input; }
  int64_t out_pixels() const { return depth.output * height.output * width.output; }
  int64_t taps() const { return depth.size * height.size * width.size; }
  int64_t input_image() const { return in_channels * in_pixels(); }     // elements
  int64_t output_image() const { return out_channels * out_pixels(); }  // elements
  // Terms of one element of the output.
  int64_t window() const { return taps() * group_inputs(); }
  bool is_strided() const { return depth.stride > 1 || height.stride > 1 || width.stride > 1; }
  // Multiplications for one image.
  double image_work() const { return static_cast<double>(output_image()) * static_cast<double>(window()); }
  // The shape with `count` images.
  ConvShape WithImages(int64_t count) const {
    ConvShape part = *this;
    part.images = count;
    return part;
  }

 private:
  Status SetSpace(const WindowAttrs& attrs, const Shape& input, const Shape& filter);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_SHAPE_H_
