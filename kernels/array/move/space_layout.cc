#include "kernels/array/move/space_layout.h"

#include "kernels/array/int_values.h"

namespace dfrun {
namespace {

Status Multiply(int64_t factor, int64_t& size) {
  if (size < 0 || !__builtin_mul_overflow(size, factor, &size)) return Status();
  return InvalidArgument("a size times ", factor, " is beyond int64");
}

Status Divide(int64_t divisor, std::string_view what, int64_t& size) {
  if (size < 0) return Status();
  if (size % divisor != 0) return InvalidArgument(what, ", ", size, ", is not a multiple of ", divisor);
  size /= divisor;
  return Status();
}

Status CheckRank(const PartialShape& shape, const SpaceBlocks& blocks) {
  if (shape.rank() > static_cast<int>(blocks.block.size())) return Status();
  return InvalidArgument("an input of shape ", shape, " has no batch and ", blocks.block.size(), " block dimensions");
}

}  // namespace

Status SpaceToDepthSizes(int64_t block, int64_t& depth, int64_t& height, int64_t& width) {
  DF_TRY(Divide(block, "the height", height));
  DF_TRY(Divide(block, "the width", width));
  DF_TRY(Multiply(block, depth));
  return Multiply(block, depth);
}

Status DepthToSpaceSizes(int64_t block, int64_t& depth, int64_t& height, int64_t& width) {
  int64_t square = block;
  DF_TRY(Multiply(block, square));
  DF_TRY(Divide(square, "the depth", depth));
  DF_TRY(Multiply(block, height));
  return Multiply(block, width);
}

Result<SpaceBlocks> SpaceBlocks::Make(std::vector<int64_t> block, const Tensor& borders) {
  const auto count = static_cast<int64_t>(block.size());
  if (!(borders.shape() == Shape({count, 2})))
    return InvalidArgument("the borders have shape ", borders.shape(), ", but must be [", count, ",2]");
  const std::vector<int64_t> values = IntValues(borders);
  SpaceBlocks blocks;
  blocks.block = std::move(block);
  for (int64_t d = 0; d < count; ++d) {
    blocks.before.push_back(values[2 * d]);
    blocks.after.push_back(values[2 * d + 1]);
    if (blocks.block[d] < 1 || blocks.before[d] < 0 || blocks.after[d] < 0)
      return InvalidArgument("dimension ", d + 1, " has blocks of ", blocks.block[d], " and borders of ",
                             blocks.before[d], " and ", blocks.after[d],
                             "; a block must be positive and a border not negative");
  }
  return blocks;
}

Result<PartialShape> SpaceToBatchShape(const PartialShape& space, const SpaceBlocks& blocks) {
  DF_TRY(CheckRank(space, blocks));
  PartialShape batch = space;
  int64_t batches = space.dim(0);
  for (int d = 0; d < static_cast<int>(blocks.block.size()); ++d) {
    DF_TRY(Multiply(blocks.block[d], batches));
    int64_t size = space.dim(d + 1);
    if (size >= 0 &&
        (__builtin_add_overflow(size, blocks.before[d], &size) || __builtin_add_overflow(size, blocks.after[d], &size)))
      return InvalidArgument("dimension ", d + 1, " of ", space, " with its paddings is beyond int64");
    DF_TRY(Divide(blocks.block[d], "a padded dimension", size));
    batch.set_dim(d + 1, size);
  }
  batch.set_dim(0, batches);
  return batch;
}

Result<PartialShape> BatchToSpaceShape(const PartialShape& batch, const SpaceBlocks& blocks) {
  DF_TRY(CheckRank(batch, blocks));
  PartialShape space = batch;
  int64_t batches = batch.dim(0);
  for (int d = 0; d < static_cast<int>(blocks.block.size()); ++d) {
    DF_TRY(Divide(blocks.block[d], "the batch", batches));
    int64_t size = batch.dim(d + 1);
    DF_TRY(Multiply(blocks.block[d], size));
    if (size < 0) continue;
    if (blocks.before[d] > size || blocks.after[d] > size - blocks.before[d])
      return InvalidArgument("the crops ", blocks.before[d], " and ", blocks.after[d], " take more than the ", size,
                             " of dimension ", d + 1);
    space.set_dim(d + 1, size - blocks.before[d] - blocks.after[d]);
  }
  space.set_dim(0, batches);
  return space;
}

}  // namespace dfrun
