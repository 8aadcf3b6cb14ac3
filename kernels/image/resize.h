// The positions of a resized image's pixels in its source. Source: TensorFlow's ResizeBilinear and
// ResizeNearestNeighbor; positions are computed in float as there.
#ifndef DFRUN_KERNELS_IMAGE_RESIZE_H_
#define DFRUN_KERNELS_IMAGE_RESIZE_H_

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The mapping from coordinates of a resized image to its source.
struct ResizeMode {
  bool align_corners = false;       // the corner pixels of both coincide
  bool half_pixel_centers = false;  // pixels are areas, and a coordinate is the middle of one

  // Reads the attrs of those names; InvalidArgument where both are set.
  static Result<ResizeMode> Read(const AttrMap& attrs);
};

// A position between two neighbouring pixels of the source, `lerp` of the way from the lower to the upper.
struct Interpolation {
  int64_t lower;
  int64_t upper;
  float lerp;
};

// A dimension of `source` pixels that becomes one of `resized`, both positive, for host and device.
struct ResizeDim {
  ResizeMode mode;
  int64_t source;
  int64_t resized;
  float scale;

  static ResizeDim Of(const ResizeMode& mode, int64_t source, int64_t resized);

  // The position of pixel `i` of the resized dimension.
  DF_HOST_DEVICE Interpolation Between(int64_t i) const {
    const float at =
        mode.half_pixel_centers ? (static_cast<float>(i) + 0.5F) * scale - 0.5F : static_cast<float>(i) * scale;
    const float floor = std::floor(at);
    return {Inside(static_cast<int64_t>(floor)), Inside(static_cast<int64_t>(std::ceil(at))), at - floor};
  }
  DF_HOST_DEVICE int64_t Nearest(int64_t i) const {
    const float at = (mode.half_pixel_centers ? static_cast<float>(i) + 0.5F : static_cast<float>(i)) * scale;
    return Inside(static_cast<int64_t>(mode.align_corners ? std::round(at) : std::floor(at)));
  }

  // The bounds of a range that contains all resized pixels which lie beside pixel `at` of the source, and perhaps
  // others.
  DF_HOST_DEVICE int64_t FirstBeside(int64_t at) const {
    if (at == 0) return 0;
    const double first = std::floor((static_cast<double>(at) - 1.5) / static_cast<double>(scale)) - 2;
    return first > 0 ? static_cast<int64_t>(first) : 0;
  }
  DF_HOST_DEVICE int64_t EndBeside(int64_t at) const {
    if (at == source - 1) return resized;
    const double end = std::ceil((static_cast<double>(at) + 2) / static_cast<double>(scale)) + 2;
    return end < static_cast<double>(resized) ? static_cast<int64_t>(end) : resized;
  }

 private:
  DF_HOST_DEVICE int64_t Inside(int64_t at) const { return at < 0 ? 0 : at < source ? at : source - 1; }
};

// The source positions of each pixel of a resized dimension.
std::vector<Interpolation> Interpolations(const ResizeMode& mode, int64_t source, int64_t resized);
std::vector<int64_t> NearestPixels(const ResizeMode& mode, int64_t source, int64_t resized);

// The sizes of input 0, images in NHWC, and of its resized form.
struct ResizeSizes {
  int64_t batch;
  int64_t height;  // sizes of input 0
  int64_t width;
  int64_t channels;
  int64_t new_height;
  int64_t new_width;

  Shape new_shape() const { return Shape({batch, new_height, new_width, channels}); }
  // Elements of a row of input 0, and of a resized row.
  int64_t row() const { return width * channels; }
  int64_t new_row() const { return new_width * channels; }
};

// Reads the sizes, with the new height and width from input 1, an int32 vector. InvalidArgument for other ranks and
// sizes that are not positive.
Result<ResizeSizes> ReadResizeSizes(const OpContext& ctx);
// InvalidArgument for images without pixels, which have `nothing`.
Status CheckHasPixels(const ResizeSizes& sizes, const Shape& images, std::string_view nothing);

// The sizes of a gradient of a bilinear form, input 0, and of the images, input 1: "new" is the gradient's. It returns
// the errors of ReadResizeSizes(), and one for images without pixels.
Result<ResizeSizes> ReadGradientSizes(const OpContext& ctx);

// A kernel with a ResizeMode. InvalidArgument for one that is of both kinds, unless it `takes_both`.
class ResizeKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"size"};
  explicit ResizeKernel(KernelSetup& setup, bool takes_both = false);

 protected:
  ResizeMode mode_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IMAGE_RESIZE_H_
