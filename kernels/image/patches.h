// Sliding windows of ExtractImagePatches.
#ifndef DFRUN_KERNELS_IMAGE_PATCHES_H_
#define DFRUN_KERNELS_IMAGE_PATCHES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// One spatial dimension: window o has the pixels o * stride - pad_before + i * rate, i in [0, size).
struct PatchDim {
  int64_t input = 0;
  int64_t output = 0;
  int64_t size = 1;
  int64_t stride = 1;
  int64_t rate = 1;
  int64_t pad_before = 0;
};

// The patch windows of images of `depth` channels.
struct PatchWindows {
  PatchDim rows;
  PatchDim cols;
  int64_t depth = 0;

  int64_t patch() const { return rows.size * cols.size * depth; }  // elements
};

// The attrs ksizes, strides, rates and padding.
class PatchAttrs {
 public:
  // InvalidArgument for entries below 1; Unimplemented for windows across images or channels.
  static Result<PatchAttrs> Read(const AttrMap& attrs);

  // Pixels of a window in dimension 1 or 2.
  int64_t size(int dim) const { return sizes_[static_cast<size_t>(dim)]; }
  // The windows of dimension 1 or 2, of `input` pixels; InvalidArgument where there would be fewer than none.
  Result<PatchDim> Dim(int dim, int64_t input) const;

  // The windows of images of shape `images`, and the shape of their patches, which goes to `patches`. InvalidArgument
  // for another rank.
  Result<PatchWindows> WindowsOf(const Shape& images, Shape& patches) const;

 private:
  bool same_ = false;  // padding
  std::vector<int64_t> sizes_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> rates_;
};

// A kernel with PatchAttrs.
class PatchKernel : public Kernel {
 public:
  explicit PatchKernel(KernelSetup& setup);

 protected:
  PatchAttrs attrs_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IMAGE_PATCHES_H_
