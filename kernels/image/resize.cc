#include "kernels/image/resize.h"

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

ResizeDim ResizeDim::Of(const ResizeMode& mode, int64_t source, int64_t resized) {
  return {mode, source, resized, Scale(mode, source, resized)};
}

std::vector<Interpolation> Interpolations(const ResizeMode& mode, int64_t source, int64_t resized) {
  const ResizeDim dim = ResizeDim::Of(mode, source, resized);
  std::vector<Interpolation> positions;
  for (int64_t i = 0; i < resized; ++i) positions.push_back(dim.Between(i));
  return positions;
}

std::vector<int64_t> NearestPixels(const ResizeMode& mode, int64_t source, int64_t resized) {
  const ResizeDim dim = ResizeDim::Of(mode, source, resized);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < resized; ++i) positions.push_back(dim.Nearest(i));
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

Status CheckHasPixels(const ResizeSizes& sizes, const Shape& images, std::string_view nothing) {
  if (sizes.row() != 0 && sizes.height != 0) return Status();
  return InvalidArgument("images of shape ", images, " have ", nothing);
}

Result<ResizeSizes> ReadGradientSizes(const OpContext& ctx) {
  const Shape& dy = ctx.input(0).shape();
  const Shape& x = ctx.input(1).shape();
  if (dy.rank() != 4 || x.rank() != 4)
    return InvalidArgument("the gradient and the images must have rank 4, but have shapes ", dy, " and ", x);
  const ResizeSizes sizes = {dy.dim(0), x.dim(1), x.dim(2), dy.dim(3), dy.dim(1), dy.dim(2)};
  DF_TRY(Shape::Create(std::vector<int64_t>{sizes.batch, sizes.height, sizes.width, sizes.channels}).status());
  if (dy.dim(1) == 0 || dy.dim(2) == 0 || x.dim(1) == 0 || x.dim(2) == 0)
    return InvalidArgument("the gradient ", dy, " or the images ", x, " have no pixels");
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
