// The sizes of a pooling, as its loops see them: pixels in three dimensions, each a run of channels.
//
// Whatever the format, it comes down to images [depth, height, width, channels]: flat images have a depth of 1; with
// channels first every channel is an image of its own; windows across channels (max pooling of one pixel) make the
// channels a dimension of space.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_SHAPE_H_
#define DFRUN_KERNELS_NN_POOL_POOL_SHAPE_H_

#include <algorithm>

#include "kernels/nn/pool/window.h"

namespace dfrun {

struct PoolShape {
  int64_t images = 0;
  int64_t channels = 1;
  WindowDim depth;
  WindowDim height;
  WindowDim width;
  Shape output;

  // The shape of an op with these attrs on this input. InvalidArgument where they do not fit.
  static Result<PoolShape> Of(const WindowAttrs& attrs, const Shape& input);

  // True where no pixel is in two windows.
  bool windows_are_disjoint() const { return depth.is_disjoint() && height.is_disjoint() && width.is_disjoint(); }
  // True where besides every pixel is in one.
  bool windows_tile_image() const { return depth.tiles() && height.tiles() && width.tiles(); }
  int64_t in_pixels() const { return depth.input * height.input * width.input; }
  int64_t out_pixels() const { return depth.output * height.output * width.output; }
  int64_t input_image() const { return in_pixels() * channels; }    // elements
  int64_t output_image() const { return out_pixels() * channels; }  // elements
};

// InvalidArgument unless windows across channels take one pixel each and do not overlap.
Status CheckChannelWindows(const WindowAttrs& attrs);

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

#endif  // DFRUN_KERNELS_NN_POOL_POOL_SHAPE_H_
