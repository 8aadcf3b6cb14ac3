// Blocks of space moved into the depth or the batch, and back: permutations, with borders.
#include <algorithm>

#include "kernels/array/int_values.h"
#include "kernels/array/move/space_layout.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// Applies `change` to the sizes of the channel and the two spatial dimensions of an image batch.
Status ImageShape(InferenceContext& c,
                  Status (*change)(int64_t block, int64_t& depth, int64_t& height, int64_t& width)) {
  DF_ASSIGN(const std::string format, c.attr<std::string>("data_format"));
  DF_ASSIGN(const int64_t block, c.attr<int64_t>("block_size"));
  const ImageDims dims = ImageDims::Of(format);
  DF_ASSIGN(PartialShape x, c.WithRank(0, dims.rank));
  if (dims.rank == 5 && x.dim(4) >= 0 && x.dim(4) != 4)
    return InvalidArgument("the last dimension of NCHW_VECT_C images must be 4, but the shape is ", x);
  int64_t depth = x.dim(dims.channel);
  int64_t height = x.dim(dims.height);
  int64_t width = x.dim(dims.width);
  DF_TRY(change(block, depth, height, width));
  x.set_dim(dims.channel, depth);
  x.set_dim(dims.height, height);
  x.set_dim(dims.width, width);
  c.set_output(0, std::move(x));
  return Status();
}

void BlocksOfImages(OpBuilder& op) {
  op.Input("input: T")
      .Output("output: T")
      .Attr("T: type")
      .Attr("block_size: int >= 2")
      .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'");
}

AttrMap BlockAttrs(GradientBuilder& g) {
  return {{"block_size", g.attr<int64_t>("block_size")}, {"data_format", g.attr<std::string>("data_format")}};
}

OP("SpaceToDepth")
    .As(BlocksOfImages)
    .Shape([](InferenceContext& c) { return ImageShape(c, SpaceToDepthSizes); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("DepthToSpace", BlockAttrs(g), g.dy(0)); })
    .Cost(CopyCost())
    .Rows(RowsOfInputs({0}))
    .Doc("Each block_size x block_size block of pixels as the depth of one pixel.");

OP("DepthToSpace")
    .As(BlocksOfImages)
    .Shape([](InferenceContext& c) { return ImageShape(c, DepthToSpaceSizes); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SpaceToDepth", BlockAttrs(g), g.dy(0)); })
    .Cost(CopyCost())
    .Rows(RowsOfInputs({0}))
    .Doc("The depth of each pixel as a block_size x block_size block of pixels.");

// The block sizes: the attr block_size, twice, or the value of input 1 where it is known.
Result<std::optional<std::vector<int64_t>>> KnownBlock(const InferenceContext& c) {
  if (const Result<int64_t> size = c.attr<int64_t>("block_size"); size.ok())
    return std::optional(std::vector<int64_t>{*size, *size});
  return KnownIntVector(c, 1, "block_shape");
}

using BlocksShape = Result<PartialShape> (*)(const PartialShape&, const SpaceBlocks&);

// The shape with its blocks moved. Without the borders (null), the dimensions that they belong to are unknown.
Result<PartialShape> KnownBlocksShape(PartialShape x, const std::vector<int64_t>& block, const Tensor* borders,
                                      BlocksShape shape_of) {
  const auto count = static_cast<int64_t>(block.size());
  if (borders != nullptr) {
    DF_ASSIGN(const SpaceBlocks blocks, SpaceBlocks::Make(block, *borders));
    return shape_of(x, blocks);
  }
  for (int d = 1; d <= count; ++d) x.set_dim(d, PartialShape::kUnknown);
  Tensor none(DType::kInt32, Shape({count, 2}));
  std::fill_n(none.data<int32_t>(), 2 * count, 0);
  DF_ASSIGN(const SpaceBlocks blocks, SpaceBlocks::Make(block, none));
  return shape_of(x, blocks);
}

Status BatchBlockShape(InferenceContext& c, BlocksShape shape_of) {
  const int last = c.num_inputs() - 1;  // the paddings or crops
  DF_ASSIGN(const PartialShape borders, c.WithRank(last, 2));
  DF_ASSIGN(const auto block, KnownBlock(c));
  PartialShape x = c.input(0);
  PartialShape expected({block ? static_cast<int64_t>(block->size()) : PartialShape::kUnknown, 2});
  if (last == 1) {
    DF_ASSIGN(x, c.WithRank(0, 4));
  } else {
    DF_ASSIGN(const PartialShape blocks, c.WithRank(1, 1));
    DF_ASSIGN(expected, expected.Merge(PartialShape({blocks.dim(0), 2})));
  }
  DF_ASSIGN(const PartialShape merged, expected.Merge(borders));
  const int64_t count = merged.dim(0);
  if (!x.known_rank()) return Status();
  if (x.rank() < count + 1)
    return InvalidArgument("an input of shape ", x, " has no batch and ", count, " block dimensions");
  PartialShape y = PartialShape::UnknownOfRank(x.rank());
  if (block) {
    DF_ASSIGN(y, KnownBlocksShape(x, *block, c.input_value(last), shape_of));
  } else if (count >= 0) {
    if (count == 0) y.set_dim(0, x.dim(0));
    for (int d = static_cast<int>(count) + 1; d < x.rank(); ++d) y.set_dim(d, x.dim(d));
  }
  c.set_output(0, std::move(y));
  return Status();
}

OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) { return BatchBlockShape(c, SpaceToBatchShape); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("BatchToSpaceND", g.dy(0), g.x(1), g.x(2)); })
    .Cost(CopyCost())
    .Doc("The padded input with every position in a block as a batch of its own.");

OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tcrops: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) { return BatchBlockShape(c, BatchToSpaceShape); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SpaceToBatchND", g.dy(0), g.x(1), g.x(2)); })
    .Cost(CopyCost())
    .Doc("The batches put together as the positions in blocks, then cropped: undoes SpaceToBatchND.");

AttrMap BlockSize(GradientBuilder& g) {
  return {{"block_size", g.attr<int64_t>("block_size")}};
}

OP("SpaceToBatch")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("block_size: int >= 2")
    .Shape([](InferenceContext& c) { return BatchBlockShape(c, SpaceToBatchShape); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("BatchToSpace", BlockSize(g), g.dy(0), g.x(1)); })
    .Cost(CopyCost())
    .Doc("SpaceToBatchND of images with square blocks.");

OP("BatchToSpace")
    .Input("input: T")
    .Input("crops: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) { return BatchBlockShape(c, BatchToSpaceShape); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SpaceToBatch", BlockSize(g), g.dy(0), g.x(1)); })
    .Cost(CopyCost())
    .Doc("BatchToSpaceND of images with square blocks.");

}  // namespace
}  // namespace dfrun
