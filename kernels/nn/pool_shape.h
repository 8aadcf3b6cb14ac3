// The sizes of a two-dimensional pooling, as its loops see them: with channels last a pixel is a run of channels, with
// channels first every channel is an image of its own.
#ifndef DFRUN_KERNELS_NN_POOL_SHAPE_H_
#define DFRUN_KERNELS_NN_POOL_SHAPE_H_

#include <algorithm>

#include "kernels/nn/window.h"

namespace dfrun {

struct PoolShape {
  int64_t images = 0;
  int64_t channels = 0;
  WindowDim height;
  WindowDim width;
  Shape output;

  // Of an op with these attrs on this input. InvalidArgument where they do not fit.
  static Result<PoolShape> Of(const WindowAttrs& attrs, const Shape& input) {
    if (input.rank() != 4) return InvalidArgument("pooling needs an input of rank 4, but has ", input);
    const ImageFormat& format = attrs.format();
    PoolShape shape;
    const int h = format.height();
    const int w = format.width();
    DF_ASSIGN(shape.height, attrs.Dim(h, input[h], attrs.ksize(h)));
    DF_ASSIGN(shape.width, attrs.Dim(w, input[w], attrs.ksize(w)));
    const int64_t all_channels = input[format.channels()];
    shape.output = format.MakeShape(input[0], all_channels, shape.height.output, shape.width.output);
    shape.images = format.channels_first ? input[0] * all_channels : input[0];
    shape.channels = format.channels_first ? 1 : all_channels;
    return shape;
  }

  int64_t input_image() const { return height.input * width.input * channels; }     // elements
  int64_t output_image() const { return height.output * width.output * channels; }  // elements
};

// The part of a window that lies inside the image: [begin, end) of one dimension.
struct WindowRange {
  int64_t begin;
  int64_t end;
  WindowRange(const WindowDim& d, int64_t at)
      : begin(std::max<int64_t>(0, at * d.stride - d.pad_before)),
        end(std::min(d.input, at * d.stride - d.pad_before + d.size)) {}
  int64_t size() const { return end > begin ? end - begin : 0; }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_SHAPE_H_
