// Blocks of space that move into the depth or the batch, and back, on any device: Movement is the device's
// (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_SPACE_H_
#define DFRUN_KERNELS_ARRAY_MOVE_SPACE_H_

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/array/move/space_copies.h"

namespace dfrun {

template <class Movement, bool kToDepth>
class BlocksOfImagesKernel : public Kernel {
 public:
  explicit BlocksOfImagesKernel(KernelSetup& setup)
      : block_(setup.attr<int64_t>("block_size")), format_(setup.attr<std::string>("data_format")) {
    if (block_ > std::numeric_limits<int32_t>::max())
      setup.Fail(InvalidArgument("block_size ", block_, " is too large"));
  }
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(BlockPermutation blocks, BlockPermutation::Of(format_, block_, x.shape(), kToDepth));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, blocks.shape, &y));
    if (y->num_elements() == 0) return Status();
    return Movement::Copy(ctx, x.dtype(), x.raw(), y->raw(), std::move(blocks.dims));
  }

 private:
  const int64_t block_;
  const std::string format_;
};

template <class Movement>
using SpaceToDepthKernel = BlocksOfImagesKernel<Movement, true>;
template <class Movement>
using DepthToSpaceKernel = BlocksOfImagesKernel<Movement, false>;

// Inputs: the tensor, the block shape where it is no attr, the borders.
class SpaceBatchBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"block_shape", "paddings", "crops"};
  explicit SpaceBatchBase(KernelSetup& setup) {
    if (setup.node().inputs.size() == 2) size_ = setup.attr<int64_t>("block_size");
  }

 protected:
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

 private:
  int64_t size_ = 0;
};

template <class Movement>
class SpaceToBatchKernel : public SpaceBatchBase {
 public:
  using SpaceBatchBase::SpaceBatchBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const SpaceBlocks blocks, ReadBlocks(ctx));
    DF_ASSIGN(const PartialShape sizes, SpaceToBatchShape(x.shape(), blocks));
    DF_ASSIGN(const Shape shape, sizes.ToShape());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    if (y->num_elements() != x.num_elements()) DF_TRY(Movement::Fill(ctx, *y, nullptr));
    for (PositionCopy& copy : SpaceBatchCopies(x.shape(), shape, blocks)) {
      DF_TRY(Movement::Copy(ctx, x.dtype(), ElementAt(x.raw(), x.dtype(), copy.space),
                            ElementAt(y->raw(), x.dtype(), copy.batch), std::move(copy.dims)));
    }
    return Status();
  }
};

template <class Movement>
class BatchToSpaceKernel : public SpaceBatchBase {
 public:
  using SpaceBatchBase::SpaceBatchBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const SpaceBlocks blocks, ReadBlocks(ctx));
    DF_ASSIGN(const PartialShape sizes, BatchToSpaceShape(x.shape(), blocks));
    DF_ASSIGN(const Shape shape, sizes.ToShape());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    for (PositionCopy& copy : SpaceBatchCopies(shape, x.shape(), blocks)) {
      for (CopyDim& dim : copy.dims) std::swap(dim.from_stride, dim.to_stride);
      DF_TRY(Movement::Copy(ctx, x.dtype(), ElementAt(x.raw(), x.dtype(), copy.batch),
                            ElementAt(y->raw(), x.dtype(), copy.space), std::move(copy.dims)));
    }
    return Status();
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_SPACE_H_
