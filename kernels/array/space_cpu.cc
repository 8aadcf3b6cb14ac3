#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/array/space_layout.h"
#include "kernels/array/strided_copy.h"
#include "kernels/device/cpu_kernel.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

// SpaceToDepth and DepthToSpace are permutations of [batch, height, y, width, x, channels, 4], where y and x are the
// places in a block and the 4 is that of NCHW_VECT_C.
class BlocksOfImagesBase : public Kernel {
 public:
  explicit BlocksOfImagesBase(KernelSetup& setup)
      : block_(setup.attr<int64_t>("block_size")), format_(setup.attr<std::string>("data_format")) {
    if (block_ > std::numeric_limits<int32_t>::max())
      setup.Fail(InvalidArgument("block_size ", block_, " is too large"));
  }

 protected:
  Status Permute(OpContext& ctx, bool to_depth) const {
    const Tensor& x = ctx.input(0);
    const ImageDims dims = ImageDims::Of(format_);
    if (x.shape().rank() != dims.rank || (dims.rank == 5 && x.shape().dim(4) != 4))
      return InvalidArgument("images of shape ", x.shape(), " are not in the format ", format_);
    Shape shape = x.shape();
    int64_t depth = shape.dim(dims.channel);
    int64_t height = shape.dim(dims.height);
    int64_t width = shape.dim(dims.width);
    DF_TRY((to_depth ? SpaceToDepthSizes : DepthToSpaceSizes)(block_, depth, height, width));
    shape.set_dim(dims.channel, depth);
    shape.set_dim(dims.height, height);
    shape.set_dim(dims.width, width);
    DF_TRY(Shape::Create(shape.dims()).status());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    const Shape& deep = to_depth ? shape : x.shape();
    StridedCopy(
        ctx.pool(), x.dtype(), x.raw(), y->raw(),
        to_depth ? PermutedDims(SpaceSizes(deep, dims), ToDepth()) : PermutedDims(DepthSizes(deep, dims), ToSpace()));
    return Status();
  }

 private:
  bool ChannelsLast() const { return format_ == "NHWC"; }
  // The sizes of both sides as 7 dimensions, from the shape of the deep one.
  std::vector<int64_t> SpaceSizes(const Shape& deep, const ImageDims& dims) const {
    const int64_t h = deep.dim(dims.height);
    const int64_t w = deep.dim(dims.width);
    const int64_t c = deep.dim(dims.channel) / (block_ * block_);
    if (ChannelsLast()) return {deep.dim(0), h, block_, w, block_, c, 1};
    return {deep.dim(0), c, h, block_, w, block_, dims.rank == 5 ? 4 : 1};
  }
  std::vector<int64_t> DepthSizes(const Shape& deep, const ImageDims& dims) const {
    const std::vector<int64_t> space = SpaceSizes(deep, dims);
    std::vector<int64_t> sizes;
    for (int d : ToDepth()) sizes.push_back(space[d]);
    return sizes;
  }
  std::vector<int> ToDepth() const {
    return ChannelsLast() ? std::vector<int>{0, 1, 3, 2, 4, 5, 6} : std::vector<int>{0, 3, 5, 1, 2, 4, 6};
  }
  std::vector<int> ToSpace() const {
    const std::vector<int> to_depth = ToDepth();
    std::vector<int> inverse(to_depth.size());
    for (size_t d = 0; d < to_depth.size(); ++d) inverse[to_depth[d]] = static_cast<int>(d);
    return inverse;
  }

  const int64_t block_;
  const std::string format_;
};

class SpaceToDepthKernel : public BlocksOfImagesBase {
 public:
  using BlocksOfImagesBase::BlocksOfImagesBase;
  Status Compute(OpContext& ctx) { return Permute(ctx, true); }
};

class DepthToSpaceKernel : public BlocksOfImagesBase {
 public:
  using BlocksOfImagesBase::BlocksOfImagesBase;
  Status Compute(OpContext& ctx) { return Permute(ctx, false); }
};

// A copy for each place of the blocks: element q of a dimension of the batch side is element q * block + place - before
// of the space side, where there is such an element.
class BlockMover {
 public:
  BlockMover(const Shape& space, const Shape& batch, const SpaceBlocks& blocks)
      : space_(space),
        batch_(batch),
        blocks_(blocks),
        space_strides_(RowMajorStrides(space)),
        batch_strides_(RowMajorStrides(batch)) {}

  // Calls move(first element of the space side, of the batch side, dims) for each place that has elements; the dims go
  // from space to batch.
  template <class F>
  void ForEachPosition(const F& move) const {
    int64_t positions = 1;
    for (int64_t b : blocks_.block) positions *= b;
    for (int64_t position = 0; position < positions; ++position) {
      std::vector<CopyDim> dims;
      int64_t first_space = 0;
      int64_t first_batch = position * space_.dim(0) * batch_strides_[0];
      int64_t rest = position;
      for (int d = static_cast<int>(blocks_.block.size()); d-- > 0;) {
        const int64_t block = blocks_.block[d];
        const int64_t offset = rest % block - blocks_.before[d];
        rest /= block;
        const int64_t begin = offset >= 0 ? 0 : CeilDiv(-offset, block);
        const int64_t beyond = space_.dim(d + 1) - offset;  // no q * block from here on
        const int64_t end = beyond <= 0 ? 0 : std::min((beyond - 1) / block + 1, batch_.dim(d + 1));
        dims.push_back({std::max<int64_t>(0, end - begin), block * space_strides_[d + 1], batch_strides_[d + 1]});
        first_space += (begin * block + offset) * space_strides_[d + 1];
        first_batch += begin * batch_strides_[d + 1];
      }
      dims.push_back({space_.dim(0), space_strides_[0], batch_strides_[0]});
      std::reverse(dims.begin(), dims.end());
      for (int d = static_cast<int>(blocks_.block.size()) + 1; d < space_.rank(); ++d)
        dims.push_back({space_.dim(d), space_strides_[d], batch_strides_[d]});
      const bool any = std::all_of(dims.begin(), dims.end(), [](const CopyDim& d) { return d.size > 0; });
      if (any) move(first_space, first_batch, std::move(dims));
    }
  }

 private:
  const Shape& space_;
  const Shape& batch_;
  const SpaceBlocks& blocks_;
  const std::vector<int64_t> space_strides_;
  const std::vector<int64_t> batch_strides_;
};

// Inputs: the tensor, the block shape where it is no attr, the borders.
class SpaceBatchBase : public Kernel {
 public:
  explicit SpaceBatchBase(KernelSetup& setup) {
    if (setup.node().inputs.size() == 2) size_ = setup.attr<int64_t>("block_size");
  }

 protected:
  using MakeShape = Result<PartialShape> (*)(const PartialShape& input, const SpaceBlocks& blocks);

  // Makes output 0 of the shape that `make_shape` says. Calls move(blocks, output) unless it is empty.
  template <class Move>
  Status Rearrange(OpContext& ctx, MakeShape make_shape, Move move) const {
    DF_ASSIGN(const SpaceBlocks blocks, ReadBlocks(ctx));
    DF_ASSIGN(const PartialShape sizes, make_shape(ctx.input(0).shape(), blocks));
    DF_ASSIGN(const Shape shape, sizes.ToShape());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() > 0) move(blocks, *y);
    return Status();
  }

 private:
  Result<SpaceBlocks> ReadBlocks(const OpContext& ctx) const {
    const int last = ctx.num_inputs() - 1;
    if (last == 1) {
      if (ctx.input(0).shape().rank() != 4)
        return InvalidArgument("images must have rank 4, but have shape ", ctx.input(0).shape());
      return SpaceBlocks::Make({size_, size_}, ctx.input(1));
    }
    DF_ASSIGN(std::vector<int64_t> block, IntVector(ctx.input(1), "block_shape"));
    return SpaceBlocks::Make(std::move(block), ctx.input(last));
  }

  int64_t size_ = 0;
};

class SpaceToBatchKernel : public SpaceBatchBase {
 public:
  using SpaceBatchBase::SpaceBatchBase;
  Status Compute(OpContext& ctx) {
    return Rearrange(ctx, &SpaceToBatchShape, [&](const SpaceBlocks& blocks, Tensor& y) {
      const Tensor& x = ctx.input(0);
      if (y.num_elements() != x.num_elements()) FillWithZeros(ctx, y);
      BlockMover(x.shape(), y.shape(), blocks)
          .ForEachPosition([&](int64_t first_space, int64_t first_batch, std::vector<CopyDim> dims) {
            StridedCopy(ctx.pool(), x.dtype(), ElementAt(x.raw(), x.dtype(), first_space),
                        ElementAt(y.raw(), x.dtype(), first_batch), std::move(dims));
          });
    });
  }

 private:
  static void FillWithZeros(OpContext& ctx, Tensor& y) {
    VisitElement(y.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      E* to = static_cast<E*>(y.raw());
      ctx.pool().ParallelFor(y.num_elements(), kCopyBlock,
                             [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, E()); });
    });
  }
};

class BatchToSpaceKernel : public SpaceBatchBase {
 public:
  using SpaceBatchBase::SpaceBatchBase;
  Status Compute(OpContext& ctx) {
    return Rearrange(ctx, &BatchToSpaceShape, [&](const SpaceBlocks& blocks, Tensor& y) {
      const Tensor& x = ctx.input(0);
      BlockMover(y.shape(), x.shape(), blocks)
          .ForEachPosition([&](int64_t first_space, int64_t first_batch, std::vector<CopyDim> dims) {
            for (CopyDim& d : dims) std::swap(d.from_stride, d.to_stride);
            StridedCopy(ctx.pool(), x.dtype(), ElementAt(x.raw(), x.dtype(), first_batch),
                        ElementAt(y.raw(), x.dtype(), first_space), std::move(dims));
          });
    });
  }
};

CPU_KERNEL_ANY("SpaceToDepth", SpaceToDepthKernel);
CPU_KERNEL_ANY("DepthToSpace", DepthToSpaceKernel);
CPU_KERNEL_ANY("SpaceToBatchND", SpaceToBatchKernel);
CPU_KERNEL_ANY("SpaceToBatch", SpaceToBatchKernel);
CPU_KERNEL_ANY("BatchToSpaceND", BatchToSpaceKernel);
CPU_KERNEL_ANY("BatchToSpace", BatchToSpaceKernel);

}  // namespace
}  // namespace dfrun
