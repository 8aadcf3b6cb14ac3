// Sizes of tensors whose blocks of space move into the depth or the batch, and back. Unknown sizes stay unknown.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_SPACE_LAYOUT_H_
#define DFRUN_KERNELS_ARRAY_MOVE_SPACE_LAYOUT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/framework/values/tensor.h"

namespace dfrun {

// The dimensions of a data_format ("NHWC", "NCHW" or "NCHW_VECT_C").
struct ImageDims {
  int rank;
  int channel;
  int height;
  int width;
  static ImageDims Of(std::string_view format) {
    return format == "NHWC" ? ImageDims{4, 3, 1, 2} : ImageDims{format == "NCHW" ? 4 : 5, 1, 2, 3};
  }
};

// Changes the sizes in place; InvalidArgument where the block does not divide a size.
Status SpaceToDepthSizes(int64_t block, int64_t& depth, int64_t& height, int64_t& width);
Status DepthToSpaceSizes(int64_t block, int64_t& depth, int64_t& height, int64_t& width);

// The block sizes of dimensions 1, 2, ... and the padding or cropping before and after each.
struct SpaceBlocks {
  std::vector<int64_t> block;
  std::vector<int64_t> before;
  std::vector<int64_t> after;

  // `borders` is [blocks, 2]. InvalidArgument for another shape, blocks below 1 or negative borders.
  static Result<SpaceBlocks> Make(std::vector<int64_t> block, const Tensor& borders);
};

// The shape of the other side; InvalidArgument where blocks or borders do not fit.
Result<PartialShape> SpaceToBatchShape(const PartialShape& space, const SpaceBlocks& blocks);
Result<PartialShape> BatchToSpaceShape(const PartialShape& batch, const SpaceBlocks& blocks);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_SPACE_LAYOUT_H_
