#include "kernels/image/patches.h"

#include <algorithm>

#include "src/base/integers.h"

namespace dfrun {
namespace {

// Entries beyond this cannot belong to an image in memory, and products of two stay clear of overflow.
constexpr int64_t kMaxEntry = int64_t{1} << 31;

Result<std::vector<int64_t>> ReadList(const AttrMap& attrs, const char* name) {
  DF_ASSIGN(std::vector<int64_t> list, attrs.Get<std::vector<int64_t>>(name));
  if (list.size() != 4) return InvalidArgument("attr '", name, "' must have 4 entries, but has ", list.size());
  if (list[0] != 1 || list[3] != 1)
    return Unimplemented("attr '", name, "' must be 1 for images and channels: patches lie in the plane");
  for (int64_t value : list) {
    if (value < 1 || value > kMaxEntry) return InvalidArgument("attr '", name, "' has the entry ", value);
  }
  return list;
}

}  // namespace

Result<PatchAttrs> PatchAttrs::Read(const AttrMap& attrs) {
  PatchAttrs patches;
  DF_ASSIGN(patches.sizes_, ReadList(attrs, "ksizes"));
  DF_ASSIGN(patches.strides_, ReadList(attrs, "strides"));
  DF_ASSIGN(patches.rates_, ReadList(attrs, "rates"));
  DF_ASSIGN(const std::string padding, attrs.Get<std::string>("padding"));
  patches.same_ = padding == "SAME";
  return patches;
}

Result<PatchDim> PatchAttrs::Dim(int dim, int64_t input) const {
  const auto at = static_cast<size_t>(dim);
  PatchDim d;
  d.input = input;
  d.size = sizes_[at];
  d.stride = strides_[at];
  d.rate = rates_[at];
  const int64_t extent = (d.size - 1) * d.rate + 1;
  if (same_) {
    d.output = CeilDiv(input, d.stride);
    d.pad_before = std::max<int64_t>(0, (d.output - 1) * d.stride + extent - input) / 2;
  } else {
    d.output = (input - extent + d.stride) / d.stride;
  }
  if (d.output < 0)
    return InvalidArgument("windows of ", d.size, " pixels, ", d.rate, " apart, do not fit a dimension of ", input);
  return d;
}

Result<PatchWindows> PatchAttrs::WindowsOf(const Shape& images, Shape& patches) const {
  if (images.rank() != 4) return InvalidArgument("images must have rank 4, but have shape ", images);
  PatchWindows windows;
  DF_ASSIGN(windows.rows, Dim(1, images.dim(1)));
  DF_ASSIGN(windows.cols, Dim(2, images.dim(2)));
  windows.depth = images.dim(3);
  int64_t patch = 0;
  if (__builtin_mul_overflow(windows.rows.size * windows.cols.size, windows.depth, &patch))
    return InvalidArgument("the depth of patches of ", images, " is beyond int64");
  DF_ASSIGN(patches,
            Shape::Create(std::vector<int64_t>{images.dim(0), windows.rows.output, windows.cols.output, patch}));
  return windows;
}

PatchKernel::PatchKernel(KernelSetup& setup) {
  Result<PatchAttrs> attrs = PatchAttrs::Read(setup.attrs());
  if (attrs.ok()) {
    attrs_ = *std::move(attrs);
  } else {
    setup.Fail(attrs.status());
  }
}

}  // namespace dfrun
