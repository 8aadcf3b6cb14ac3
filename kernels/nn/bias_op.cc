// BiasAdd, its older form without a format, and BiasAddGrad.
#include "src/framework/op.h"

namespace dfrun {
namespace {

constexpr const char* kNumericT =
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
    "uint16, complex128, half, uint32, uint64}";

// The dimension of a tensor of this rank that holds channels. Rank is at least 2.
int ChannelDim(const std::string& data_format, int rank) {
  return data_format == "NCHW" ? 1 : rank - 1;
}

Status BiasAddShape(InferenceContext& c) {
  DF_ASSIGN(const std::string data_format, c.attrs().GetOr<std::string>("data_format", "NHWC"));
  DF_ASSIGN(PartialShape value, c.WithRankAtLeast(0, 2));
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
  DF_ASSIGN(const PartialShape value, c.WithRankAtLeast(0, 2));
  c.set_output(0, value.known_rank() ? PartialShape({value.dim(ChannelDim(data_format, value.rank()))})
                                     : PartialShape::UnknownOfRank(1));
  return Status();
}

// The bias repeated over all that BiasAddGrad summed.
void BiasAddGradGradient(GradientBuilder& g) {
  Output bias = g.dy(0);
  if (g.attr<std::string>("data_format") == "NCHW") {
    const PartialShape shape = g.shape(g.x(0));
    if (!shape.known_rank()) {
      g.Fail(Unimplemented("the gradient of BiasAddGrad with NCHW needs an input of known rank"));
      return;
    }
    std::vector<int32_t> column(static_cast<size_t>(shape.rank() - 1), 1);
    column[0] = -1;
    bias = g.Op("Reshape", bias, g.Const(Tensor::Vector<int32_t>(column)));
  }
  g.dx(0) = g.Op("BroadcastTo", bias, g.Op("Shape", g.x(0)));
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
    .Doc("Adds bias[c] to every element of channel c, the last dimension.");

OP("BiasAddGrad")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr(kNumericT)
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Shape(&BiasAddGradShape)
    .Gradient(&BiasAddGradGradient)
    .Doc("The sum over all dimensions but that of the channels.");

}  // namespace dfrun
