// Which element of a tensor stands where in its mirrored border.
#ifndef DFRUN_KERNELS_ARRAY_MIRROR_PAD_H_
#define DFRUN_KERNELS_ARRAY_MIRROR_PAD_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/framework/tensor.h"

namespace dfrun {

// The border of a dimension.
struct MirrorBorder {
  int64_t before = 0;
  int64_t after = 0;
  int64_t skipped = 0;  // 1: the first and the last slice are the mirrors and are not repeated (REFLECT)

  // The slice of an input of `size` that stands at `i` of the padded dimension.
  int64_t Source(int64_t i, int64_t size) const {
    if (i < before) return before - 1 - i + skipped;
    const int64_t at = i - before;
    return at < size ? at : 2 * size - 1 - at - skipped;
  }
};

// Reads paddings [rank, 2]; InvalidArgument for another shape or negative ones.
Result<std::vector<MirrorBorder>> MirrorBorders(const Tensor& paddings, int rank, std::string_view mode);

// The size of a dimension with its border; InvalidArgument where there is not enough to mirror.
Result<int64_t> MirrorPaddedSize(int64_t size, const MirrorBorder& border);
// The size of a dimension without its border; InvalidArgument where no dimension has that border.
Result<int64_t> MirrorUnpaddedSize(int64_t size, const MirrorBorder& border);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MIRROR_PAD_H_
