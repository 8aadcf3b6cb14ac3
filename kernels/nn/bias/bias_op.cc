// BiasAdd, its older form without a format, and BiasAddGrad.
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

constexpr const char* kNumericT =
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
    "uint16, complex128, half, uint32, uint64}";

// The value, whose rank must leave room for the channels: NCHW has a dimension behind them.
Result<PartialShape> ValueShape(const InferenceContext& c, const std::string& data_format) {
  return c.WithRankAtLeast(0, data_format == "NCHW" ? 3 : 2);
}

// The dimension of a tensor of this rank that holds channels. Rank is at least 2.
int ChannelDim(const std::string& data_format, int rank) {
  return data_format == "NCHW" ? 1 : rank - 1;
}

Status BiasAddShape(InferenceContext& c) {
  DF_ASSIGN(const std::string data_format, c.attrs().GetOr<std::string>("data_format", "NHWC"));
  DF_ASSIGN(PartialShape value, ValueShape(c, data_format));
  DF_ASSIGN(const PartialShape bias, c.WithRank(1, 1));
  if (value.known_rank()) {
    const int dim = ChannelDim(data_format, value.rank());
    Result<PartialShape> channels = PartialShape({value.dim(dim)}).Merge(bias);
    if (!channels.ok()) {
      return InvalidArgument("a bias of shape ", bias, " does not fit the ", value.dim(dim), " channels of ", value);
    }
    value.set_dim(dim, channels->dim(0));
  }
  c.set_output(0, std::move(value));
  return Status();
}

Status BiasAddGradShape(InferenceContext& c) {
  DF_ASSIGN(const std::string data_format, c.attr<std::string>("data_format"));
  DF_ASSIGN(const PartialShape value, ValueShape(c, data_format));
  c.set_output(0, value.known_rank() ? PartialShape({value.dim(ChannelDim(data_format, value.rank()))})
                                     : PartialShape::UnknownOfRank(1));
  return Status();
}

// The bias repeated over all that BiasAddGrad summed; with NCHW as a column, of sizes [-1, 1, ...].
void BiasAddGradGradient(GradientBuilder& g) {
  Output bias = g.dy(0);
  const Output shape = g.Op("Shape", g.x(0));
  if (g.attr<std::string>("data_format") == "NCHW") {
    const Output behind = g.Op("Slice", shape, g.Const<int32_t>({2}), g.Const<int32_t>({-1}));
    const Output axis = g.Const(Tensor::Scalar<int32_t>(0));
    bias = g.Op("Reshape", bias, g.Op("ConcatV2", g.Const<int32_t>({-1}), g.Op("OnesLike", behind), axis));
  }
  g.dx(0) = g.Op("BroadcastTo", bias, shape);
}

}  // namespace

OP("BiasAdd")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr(kNumericT)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Shape(&BiasAddShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.dy(0);
      g.dx(1) = g.Op("BiasAddGrad", {{"data_format", g.attr<std::string>("data_format")}}, g.dy(0));
    })
    .Total()
    .Rows(RowsOfRank(2))
    .Doc("Adds bias[c] to every element of channel c.");

OP("BiasAddV1")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr(kNumericT)
    .Shape(&BiasAddShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.dy(0);
      g.dx(1) = g.Op("BiasAddGrad", g.dy(0));
    })
    .Total()
    .Rows(RowsOfRank(2))
    .Doc("Adds bias[c] to every element of channel c, the last dimension.");

OP("BiasAddGrad")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr(kNumericT)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Shape(&BiasAddGradShape)
    .Gradient(&BiasAddGradGradient)
    .Cost(ScanCost())
    .Doc("The sum over all dimensions but that of the channels.");

}  // namespace dfrun
