#include "kernels/image/resize.h"

#include <algorithm>
#include <cmath>

#include "kernels/array/int_values.h"

namespace dfrun {
namespace {

float Scale(const ResizeMode& mode, int64_t source, int64_t resized) {
  if (mode.align_corners && resized > 1) return static_cast<float>(source - 1) / static_cast<float>(resized - 1);
  return static_cast<float>(source) / static_cast<float>(resized);
}

}  // namespace

Result<ResizeMode> ResizeMode::Read(const AttrMap& attrs) {
  ResizeMode mode;
  DF_ASSIGN(mode.align_corners, attrs.Get<bool>("align_corners"));
  DF_ASSIGN(mode.half_pixel_centers, attrs.Get<bool>("half_pixel_centers"));
  return mode;
}

std::vector<Interpolation> Interpolations(const ResizeMode& mode, int64_t source, int64_t resized) {
  const float scale = Scale(mode, source, resized);
  std::vector<Interpolation> positions;
  for (int64_t i = 0; i < resized; ++i) {
    const float at =
        mode.half_pixel_centers ? (static_cast<float>(i) + 0.5F) * scale - 0.5F : static_cast<float>(i) * scale;
    const float floor = std::floor(at);
    positions.push_back({std::clamp<int64_t>(static_cast<int64_t>(floor), 0, source - 1),
                         std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, source - 1), at - floor});
  }
  return positions;
}

std::vector<int64_t> NearestPixels(const ResizeMode& mode, int64_t source, int64_t resized) {
  const float scale = Scale(mode, source, resized);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < resized; ++i) {
    const float at = (mode.half_pixel_centers ? static_cast<float>(i) + 0.5F : static_cast<float>(i)) * scale;
    const float whole = mode.align_corners ? std::round(at) : std::floor(at);
    positions.push_back(std::clamp<int64_t>(static_cast<int64_t>(whole), 0, source - 1));
  }
  return positions;
}

Result<ResizeSizes> ReadResizeSizes(const OpContext& ctx) {
  const Shape& x = ctx.input(0).shape();
  if (x.rank() != 4) return InvalidArgument("images must have rank 4, but have shape ", x);
  DF_ASSIGN(const std::vector<int64_t> size, IntVector(ctx.input(1), "the size"));
  if (size.size() != 2 || size[0] <= 0 || size[1] <= 0)
    return InvalidArgument("the size must be a positive height and width, not ", PartialShape(size));
  const ResizeSizes sizes = {x.dim(0), x.dim(1), x.dim(2), x.dim(3), size[0], size[1]};
  DF_TRY(Shape::Create(std::vector<int64_t>{sizes.batch, size[0], size[1], sizes.channels}).status());
  return sizes;
}

ResizeKernel::ResizeKernel(KernelSetup& setup, bool takes_both) {
  Result<ResizeMode> mode = ResizeMode::Read(setup.attrs());
  if (!mode.ok()) {
    setup.Fail(mode.status());
  } else if (mode->align_corners && mode->half_pixel_centers && !takes_both) {
    setup.Fail(InvalidArgument("half_pixel_centers and align_corners cannot both be set"));
  } else {
    mode_ = *mode;
  }
}

}  // namespace dfrun
