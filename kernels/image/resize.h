// Where the pixels of a resized image lie in its source.
// Source: TensorFlow's ResizeBilinear and ResizeNearestNeighbor; positions are computed in float as there.
#ifndef DFRUN_KERNELS_IMAGE_RESIZE_H_
#define DFRUN_KERNELS_IMAGE_RESIZE_H_

#include <cstdint>
#include <vector>

#include "src/framework/kernel.h"

namespace dfrun {

// How coordinates of a resized image map to its source.
struct ResizeMode {
  bool align_corners = false;       // the corner pixels of both coincide
  bool half_pixel_centers = false;  // pixels are areas, and a coordinate is the middle of one

  // From the attrs of those names; InvalidArgument where both are set.
  static Result<ResizeMode> Read(const AttrMap& attrs);
};

// A position between two neighbouring pixels of the source, `lerp` of the way from the lower to the upper.
struct Interpolation {
  int64_t lower;
  int64_t upper;
  float lerp;
};

// For each of `resized` pixels along a dimension of `source` pixels, both positive.
std::vector<Interpolation> Interpolations(const ResizeMode& mode, int64_t source, int64_t resized);
std::vector<int64_t> NearestPixels(const ResizeMode& mode, int64_t source, int64_t resized);

// The sizes of input 0, images in NHWC, and of its resized form.
struct ResizeSizes {
  int64_t batch;
  int64_t height;  // of input 0
  int64_t width;
  int64_t channels;
  int64_t new_height;
  int64_t new_width;

  Shape new_shape() const { return Shape({batch, new_height, new_width, channels}); }
  // Elements of a row of input 0, and of a resized row.
  int64_t row() const { return width * channels; }
  int64_t new_row() const { return new_width * channels; }
};

// With the new height and width from input 1, an int32 vector. InvalidArgument for other ranks, images without pixels
// and sizes that are not positive.
Result<ResizeSizes> ReadResizeSizes(const OpContext& ctx);

// A kernel with a ResizeMode. InvalidArgument for one that is of both kinds, unless it `takes_both`.
class ResizeKernel : public Kernel {
 public:
  explicit ResizeKernel(KernelSetup& setup, bool takes_both = false);

 protected:
  ResizeMode mode_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IMAGE_RESIZE_H_
