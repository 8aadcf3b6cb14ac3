// Blocks of space that move into the depth or the batch, and back, as copies between strided layouts.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_SPACE_COPIES_H_
#define DFRUN_KERNELS_ARRAY_MOVE_SPACE_COPIES_H_

#include <string_view>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/move/space_layout.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// SpaceToDepth, or DepthToSpace, of images: the shape of the result and the copy that makes it. InvalidArgument where
// format, block and shape do not fit.
struct BlockPermutation {
  Shape shape;
  std::vector<CopyDim> dims;

  static Result<BlockPermutation> Of(std::string_view format, int64_t block, const Shape& x, bool to_depth);
};

// The elements at one position of all blocks: where they begin on the side of space and on that of the batch, and their
// layouts, from space to batch.
struct PositionCopy {
  int64_t space;
  int64_t batch;
  std::vector<CopyDim> dims;
};
// One for each position that has elements; borders have none.
std::vector<PositionCopy> SpaceBatchCopies(const Shape& space, const Shape& batch, const SpaceBlocks& blocks);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_SPACE_COPIES_H_
