#include "kernels/array/move/space_copies.h"

#include <algorithm>
#include <utility>

#include "src/base/integers.h"

namespace dfrun {
namespace {

// SpaceToDepth and DepthToSpace are permutations of [batch, height, y, width, x, channels, 4], where y and x are the
// positions in a block and the 4 is that of NCHW_VECT_C.
using Permutation = std::vector<int>;

Permutation ToDepth(bool channels_last) {
  return channels_last ? Permutation{0, 1, 3, 2, 4, 5, 6} : Permutation{0, 3, 5, 1, 2, 4, 6};
}

Permutation Inverse(const Permutation& permutation) {
  Permutation inverse(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d) inverse[permutation[d]] = static_cast<int>(d);
  return inverse;
}

// The sizes of the side of space as 7 dimensions, from the shape of the deep one.
std::vector<int64_t> SpaceSizes(bool channels_last, int64_t block, const Shape& deep, const ImageDims& dims) {
  const int64_t h = deep.dim(dims.height);
  const int64_t w = deep.dim(dims.width);
  const int64_t c = deep.dim(dims.channel) / (block * block);
  if (channels_last) return {deep.dim(0), h, block, w, block, c, 1};
  return {deep.dim(0), c, h, block, w, block, dims.rank == 5 ? 4 : 1};
}

}  // namespace

Result<BlockPermutation> BlockPermutation::Of(std::string_view format, int64_t block, const Shape& x, bool to_depth) {
  const ImageDims dims = ImageDims::Of(format);
  if (x.rank() != dims.rank || (dims.rank == 5 && x.dim(4) != 4))
    return InvalidArgument("images of shape ", x, " are not in the format ", format);
  int64_t depth = x.dim(dims.channel);
  int64_t height = x.dim(dims.height);
  int64_t width = x.dim(dims.width);
  DF_TRY((to_depth ? SpaceToDepthSizes : DepthToSpaceSizes)(block, depth, height, width));
  BlockPermutation blocks;
  blocks.shape = x;
  blocks.shape.set_dim(dims.channel, depth);
  blocks.shape.set_dim(dims.height, height);
  blocks.shape.set_dim(dims.width, width);
  DF_TRY(Shape::Create(blocks.shape.dims()).status());
  if (blocks.shape.num_elements() == 0) return blocks;
  const bool channels_last = format == "NHWC";
  const std::vector<int64_t> space = SpaceSizes(channels_last, block, to_depth ? blocks.shape : x, dims);
  const Permutation permutation = ToDepth(channels_last);
  if (to_depth) {
    blocks.dims = PermutedDims(space, permutation);
    return blocks;
  }
  std::vector<int64_t> deep;
  for (int d : permutation) deep.push_back(space[d]);
  blocks.dims = PermutedDims(deep, Inverse(permutation));
  return blocks;
}

namespace {

// Element q of a batch side's dimension is element q * block + position - before of the space side, where there is such
// an element.
PositionCopy CopyOfPosition(const Shape& space, const Shape& batch, const SpaceBlocks& blocks, int64_t position) {
  const std::vector<int64_t> space_strides = RowMajorStrides(space);
  const std::vector<int64_t> batch_strides = RowMajorStrides(batch);
  PositionCopy copy = {0, position * space.dim(0) * batch_strides[0], {}};
  for (int d = static_cast<int>(blocks.block.size()); d-- > 0;) {
    const int64_t block = blocks.block[d];
    const int64_t offset = position % block - blocks.before[d];
    position /= block;
    const int64_t begin = offset >= 0 ? 0 : CeilDiv(-offset, block);
    const int64_t beyond = space.dim(d + 1) - offset;  // no q * block from here on
    const int64_t end = beyond <= 0 ? 0 : std::min((beyond - 1) / block + 1, batch.dim(d + 1));
    copy.dims.push_back({std::max<int64_t>(0, end - begin), block * space_strides[d + 1], batch_strides[d + 1]});
    copy.space += (begin * block + offset) * space_strides[d + 1];
    copy.batch += begin * batch_strides[d + 1];
  }
  copy.dims.push_back({space.dim(0), space_strides[0], batch_strides[0]});
  std::reverse(copy.dims.begin(), copy.dims.end());
  for (int d = static_cast<int>(blocks.block.size()) + 1; d < space.rank(); ++d)
    copy.dims.push_back({space.dim(d), space_strides[d], batch_strides[d]});
  return copy;
}

}  // namespace

std::vector<PositionCopy> SpaceBatchCopies(const Shape& space, const Shape& batch, const SpaceBlocks& blocks) {
  int64_t positions = 1;
  for (int64_t b : blocks.block) positions *= b;
  std::vector<PositionCopy> copies;
  for (int64_t position = 0; position < positions; ++position) {
    PositionCopy copy = CopyOfPosition(space, batch, blocks, position);
    const bool any = std::all_of(copy.dims.begin(), copy.dims.end(), [](const CopyDim& d) { return d.size > 0; });
    if (any) copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace dfrun
