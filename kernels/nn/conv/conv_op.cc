// Convolution in two and three dimensions, by channel too, and the ops that are its gradients: each is linear in two
// inputs, and the gradients of any of the three are the other two.
#include "kernels/nn/pool/window.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The three ops of a kind of convolution, and the attrs that they share.
struct ConvFamily {
  const char* forward;
  const char* backprop_input;
  const char* backprop_filter;
  std::vector<const char*> attrs;
};

const ConvFamily& Flat() {
  static const auto& family =
      *new ConvFamily{"Conv2D",
                      "Conv2DBackpropInput",
                      "Conv2DBackpropFilter",
                      {"strides", "use_cudnn_on_gpu", "padding", "explicit_paddings", "data_format", "dilations"}};
  return family;
}
const ConvFamily& Depthwise() {
  static const auto& family = *new ConvFamily{"DepthwiseConv2dNative",
                                              "DepthwiseConv2dNativeBackpropInput",
                                              "DepthwiseConv2dNativeBackpropFilter",
                                              {"strides", "padding", "explicit_paddings", "data_format", "dilations"}};
  return family;
}
const ConvFamily& Deep() {
  static const auto& family = *new ConvFamily{
      "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", {"strides", "padding", "data_format", "dilations"}};
  return family;
}

// A node that a gradient function adds, with the attrs of the differentiated node.
class ConvGradients {
 public:
  ConvGradients(GradientBuilder& g, const ConvFamily& family) : g_(g), family_(family) {
    for (const char* name : family.attrs) attrs_.Set(name, *g.attrs().Find(name));
  }
  Output Convolve(Output input, Output filter) { return g_.Op(family_.forward, attrs_, input, filter); }
  Output Input(Output like, Output filter, Output dy) {
    return g_.Op(family_.backprop_input, attrs_, g_.Op("Shape", like), filter, dy);
  }
  Output Filter(Output input, Output like, Output dy) {
    return g_.Op(family_.backprop_filter, attrs_, input, g_.Op("Shape", like), dy);
  }

 private:
  GradientBuilder& g_;
  const ConvFamily& family_;
  AttrMap attrs_;
};

using FamilyFn = const ConvFamily& (*)();

template <FamilyFn kFamily>
void ForwardGradient(GradientBuilder& g) {
  ConvGradients conv(g, kFamily());
  g.dx(0) = conv.Input(g.x(0), g.x(1), g.dy(0));
  g.dx(1) = conv.Filter(g.x(0), g.x(1), g.dy(0));
}
template <FamilyFn kFamily>
void BackpropInputGradient(GradientBuilder& g) {
  ConvGradients conv(g, kFamily());
  g.dx(1) = conv.Filter(g.dy(0), g.x(1), g.x(2));
  g.dx(2) = conv.Convolve(g.dy(0), g.x(1));
}
template <FamilyFn kFamily>
void BackpropFilterGradient(GradientBuilder& g) {
  ConvGradients conv(g, kFamily());
  g.dx(0) = conv.Input(g.x(0), g.dy(0), g.x(2));
  g.dx(2) = conv.Convolve(g.x(0), g.dy(0));
}

Status ChannelsDoNotFit(const PartialShape& input, const PartialShape& filter) {
  return InvalidArgument("an input ", input, " does not have the channels of a filter ", filter);
}

// The channels of the output of a filter [..., in, out] or, by channel, [..., in, multiplier].
Result<int64_t> OutputChannels(const PartialShape& input, const PartialShape& filter, int64_t channels,
                               bool depthwise) {
  const int64_t in = filter.dim(filter.rank() - 2);
  const int64_t out = filter.dim(filter.rank() - 1);
  if (in == 0) return InvalidArgument("a filter ", filter, " has no input channels");
  if (depthwise) {
    if (channels >= 0 && in >= 0 && channels != in) return ChannelsDoNotFit(input, filter);
    const int64_t known = in >= 0 ? in : channels;
    return known < 0 || out < 0 ? PartialShape::kUnknown : PartialShape({known, out}).num_elements();
  }
  if (channels < 0 || in < 0) return out;
  const bool is_deep = filter.rank() == 5;
  if (channels % in != 0 || (is_deep && channels != in)) return ChannelsDoNotFit(input, filter);
  if (channels > 0 && out >= 0 && out % (channels / in) != 0) {
    return InvalidArgument("the output channels of a filter ", filter, " do not split into the ", channels / in,
                           " groups of an input ", input);
  }
  return out;
}

// The output of a convolution; both shapes have the format's rank.
template <bool kDepthwise>
Result<PartialShape> OutputOf(const WindowAttrs& window, const PartialShape& input, const PartialShape& filter) {
  const ImageFormat& format = window.format();
  PartialShape output = PartialShape::UnknownOfRank(format.rank());
  output.set_dim(0, input.dim(0));
  DF_ASSIGN(const int64_t channels, OutputChannels(input, filter, input.dim(format.channels()), kDepthwise));
  output.set_dim(format.channels(), channels);
  for (int i = 0; i < format.spatial; ++i) {
    const int dim = format.space(i);
    DF_ASSIGN(const WindowDim d, window.Dim(dim, input.dim(dim), filter.dim(i)));
    output.set_dim(dim, d.output);
  }
  return output;
}
template <bool kDepthwise>
Result<PartialShape> ConvOutput(const InferenceContext& c) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  DF_TRY(window.RefuseChannelWindows());
  DF_ASSIGN(const PartialShape input, c.WithRank(0, window.format().rank()));
  DF_ASSIGN(const PartialShape filter, c.WithRank(1, window.format().rank()));
  return OutputOf<kDepthwise>(window, input, filter);
}
template <bool kDepthwise>
Status ConvOpShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape output, ConvOutput<kDepthwise>(c));
  c.set_output(0, std::move(output));
  return Status();
}
// Outputs: the result, or the argmax of each window, of the second output's shape; the pooled result.
template <bool kWithArgmax>
Status ConvAndPoolShapes(InferenceContext& c) {
  DF_ASSIGN(const PartialShape output, ConvOutput<false>(c));
  DF_ASSIGN(const WindowAttrs pool, PoolWindowsOf(c.attrs()));
  PartialShape pooled = output;
  for (int dim : {pool.format().height(), pool.format().width()}) {
    DF_ASSIGN(const WindowDim d, pool.Dim(dim, output.dim(dim), pool.ksize(dim)));
    pooled.set_dim(dim, d.output);
  }
  c.set_output(0, kWithArgmax ? pooled : output);
  c.set_output(1, pooled);
  return Status();
}

// The shape that the integer vector input `sizes` gives; the other two inputs are tensors of that rank.
template <int kRank>
Result<PartialShape> ShapeOfSizes(InferenceContext& c, int sizes, int other) {
  DF_TRY(c.WithRank(other, kRank).status());
  DF_TRY(c.WithRank(2, kRank).status());
  DF_TRY(c.WithRank(sizes, 1).status());
  const PartialShape shape = c.input_as_shape(sizes);
  const bool is_plane = kRank == 4 && sizes == 0 && shape.rank() == 2;  // height and width alone
  if (shape.known_rank() && shape.rank() != kRank && !is_plane) {
    return InvalidArgument("input ", sizes, " must hold the ", kRank, " sizes of a shape, but is ", shape);
  }
  return shape.rank() == kRank ? shape : PartialShape::UnknownOfRank(kRank);
}

// InvalidArgument where out_backprop, input 2, cannot be of the shape that the convolution gives.
template <bool kDepthwise>
Status CheckBackprop(const InferenceContext& c, const PartialShape& input, const PartialShape& filter) {
  DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
  DF_TRY(window.RefuseChannelWindows());
  DF_ASSIGN(const PartialShape output, OutputOf<kDepthwise>(window, input, filter));
  if (output.Merge(c.input(2)).ok()) return Status();
  return InvalidArgument("out_backprop has shape ", c.input(2), ", but the convolution of ", input, " with a filter ",
                         filter, " has ", output);
}

template <int kRank, bool kDepthwise>
Status BackpropInputShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape input, ShapeOfSizes<kRank>(c, 0, 1));
  DF_ASSIGN(const PartialShape dy, c.WithRank(2, kRank));
  DF_ASSIGN(const PartialShape filter, c.WithRank(1, kRank));
  PartialShape images = PartialShape::UnknownOfRank(kRank);
  images.set_dim(0, dy.dim(0));
  if (const PartialShape plane = c.input_as_shape(0); kRank == 4 && plane.rank() == 2) {
    DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(c.attrs()));
    images.set_dim(window.format().channels(), filter.dim(2));
    images.set_dim(window.format().height(), plane.dim(0));
    images.set_dim(window.format().width(), plane.dim(1));
  }
  DF_ASSIGN(input, input.Merge(images));
  DF_TRY(CheckBackprop<kDepthwise>(c, input, filter));
  c.set_output(0, std::move(input));
  return Status();
}
template <int kRank, bool kDepthwise>
Status BackpropFilterShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape filter, ShapeOfSizes<kRank>(c, 1, 0));
  DF_ASSIGN(const PartialShape input, c.WithRank(0, kRank));
  DF_TRY(CheckBackprop<kDepthwise>(c, input, filter));
  c.set_output(0, std::move(filter));
  return Status();
}

constexpr const char* kWithInteger = "T: {half, bfloat16, float, double, int32}";
constexpr const char* kFloats = "T: {half, bfloat16, float, double}";
constexpr const char* kFloat = "T: {float}";

template <const char* const* kTypes>
void FlatWindows(OpBuilder& op) {
  op.Attr(*kTypes).Attr("strides: list(int)").Attr("use_cudnn_on_gpu: bool = true");
  op.Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").Attr("explicit_paddings: list(int) = []");
  op.Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").Attr("dilations: list(int) = [1, 1, 1, 1]");
}
template <const char* const* kTypes>
void FlatAttrs(OpBuilder& op) {
  op.Output("output: T").As(&FlatWindows<kTypes>);
}
void DepthwiseAttrs(OpBuilder& op) {
  op.Output("output: T").Attr(kFloats).Attr("strides: list(int)");
  op.Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").Attr("explicit_paddings: list(int) = []");
  op.Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").Attr("dilations: list(int) = [1, 1, 1, 1]");
}
void DeepAttrs(OpBuilder& op) {
  op.Output("output: T").Attr(kFloats).Attr("strides: list(int) >= 5").Attr("padding: {'SAME', 'VALID'}");
  op.Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").Attr("dilations: list(int) = [1, 1, 1, 1, 1]");
}

// Declares the attrs of the pooling that an op does after its convolution.
void PoolAttrs(OpBuilder& op) {
  op.Attr("pool_ksize: list(int) >= 4").Attr("pool_strides: list(int) >= 4");
  op.Attr("pool_padding: {'SAME', 'VALID', 'EXPLICIT'}").Attr("pool_explicit_paddings: list(int) = []");
}

void ForwardInputs(OpBuilder& op) {
  op.Input("input: T").Input("filter: T");
}
void BackpropInputInputs(OpBuilder& op) {
  op.Input("input_sizes: int32").Input("filter: T").Input("out_backprop: T");
}
void BackpropFilterInputs(OpBuilder& op) {
  op.Input("input: T").Input("filter_sizes: int32").Input("out_backprop: T");
}

// A product and a sum for each element of `images`, the convolution's output or its gradient, and each element of the
// window: the filter's, of all channels of a group or of the one.
template <bool kDepthwise>
double ConvFlops(const PartialShape& filter, double images) {
  PartialShape window = filter;
  if (!filter.known_rank() || filter.rank() < 2) return kUnknownCount;
  for (int i = 0; i < (kDepthwise ? 2 : 1); ++i) window.set_dim(window.rank() - 1 - i, 1);
  return 2 * images * ElementCount(window);
}
double FusedFlops(const CostContext& c, double images) {
  return static_cast<double>(c.attr<std::vector<std::string>>("fused_ops", {}).size()) * images;
}
template <bool kDepthwise>
OpCost ForwardCost(const CostContext& c) {
  const double images = c.output_elements(0);
  return WholeCost(c, ConvFlops<kDepthwise>(c.input(1), images) + FusedFlops(c, images));
}
template <bool kDepthwise>
OpCost BackpropInputCost(const CostContext& c) {
  return WholeCost(c, ConvFlops<kDepthwise>(c.input(1), c.input_elements(2)));
}
template <bool kDepthwise>
OpCost BackpropFilterCost(const CostContext& c) {
  return WholeCost(c, ConvFlops<kDepthwise>(c.output(0), c.input_elements(2)));
}
// The cost of a convolution with pooling. Where only the argmax is kept, the convolution's size is the pooled one times
// the windows' strides.
template <bool kWithArgmax>
OpCost ConvAndPoolCost(const CostContext& c) {
  const double pooled = c.output_elements(1);
  const double images = kWithArgmax ? pooled * c.ProductOfAttr("pool_strides") : c.output_elements(0);
  const double pooling = c.ProductOfAttr("pool_ksize") * pooled;
  return WholeCost(c, ConvFlops<false>(c.input(1), images) + FusedFlops(c, images) + pooling);
}

}  // namespace

OP("Conv2D")
    .As(&ForwardInputs)
    .As(&FlatAttrs<&kWithInteger>)
    .Alias("Convolution2D")
    .Shape(&ConvOpShape<false>)
    .Gradient(&ForwardGradient<&Flat>)
    .Cost(&ForwardCost<false>)
    .Rows(RowsOfInputs({0}))
    .Doc("Images convolved with a filter [height, width, in_channels, out_channels].");
OP("_FusedConv2D")
    .As(&ForwardInputs)
    .Input("args: num_args * T")
    .Attr("num_args: int >= 0")
    .As(&FlatAttrs<&kFloats>)
    .Attr("fused_ops: list(string) = []")
    .Shape(&ConvOpShape<false>)
    .Cost(&ForwardCost<false>)
    .Doc("Conv2D followed by the ops that fused_ops names, on args: made when a graph is optimised.");
OP("_FusedConv2DMaxPool")
    .As(&ForwardInputs)
    .Input("args: num_args * T")
    .Attr("num_args: int >= 0")
    .As(&FlatAttrs<&kFloat>)
    .Output("pooled: T")
    .Attr("fused_ops: list(string) = []")
    .As(&PoolAttrs)
    .Shape(&ConvAndPoolShapes<false>)
    .Own()
    .Cost(&ConvAndPoolCost<false>)
    .Doc("_FusedConv2D, and MaxPool of it: made when a graph is optimised.");
OP("_FusedConv2DMaxPoolWithArgmax")
    .As(&ForwardInputs)
    .Input("args: num_args * T")
    .Attr("num_args: int >= 0")
    .Output("places: uint8")
    .Output("pooled: T")
    .As(&FlatWindows<&kFloat>)
    .Attr("fused_ops: list(string) = []")
    .As(&PoolAttrs)
    .Shape(&ConvAndPoolShapes<true>)
    .Own()
    .Cost(&ConvAndPoolCost<true>)
    .Doc(
        "_FusedConv2DMaxPool, but of its result only where the windows' largest elements were: made when a graph is "
        "optimised.");
OP("Conv2DBackpropInput")
    .As(&BackpropInputInputs)
    .As(&FlatAttrs<&kWithInteger>)
    .Shape(&BackpropInputShape<4, false>)
    .Gradient(&BackpropInputGradient<&Flat>)
    .Cost(&BackpropInputCost<false>)
    .Doc("The gradient of Conv2D by its input, whose shape input_sizes gives.");
OP("Conv2DBackpropFilter")
    .As(&BackpropFilterInputs)
    .As(&FlatAttrs<&kFloats>)
    .Shape(&BackpropFilterShape<4, false>)
    .Gradient(&BackpropFilterGradient<&Flat>)
    .Cost(&BackpropFilterCost<false>)
    .Doc("The gradient of Conv2D by its filter, whose shape filter_sizes gives.");

OP("DepthwiseConv2dNative")
    .As(&ForwardInputs)
    .As(&DepthwiseAttrs)
    .Shape(&ConvOpShape<true>)
    .Gradient(&ForwardGradient<&Depthwise>)
    .Cost(&ForwardCost<true>)
    .Rows(RowsOfInputs({0}))
    .Doc("Each channel of images convolved with its own part of a filter [height, width, in_channels, multiplier].");
OP("DepthwiseConv2dNativeBackpropInput")
    .As(&BackpropInputInputs)
    .As(&DepthwiseAttrs)
    .Shape(&BackpropInputShape<4, true>)
    .Gradient(&BackpropInputGradient<&Depthwise>)
    .Cost(&BackpropInputCost<true>)
    .Doc("The gradient of DepthwiseConv2dNative by its input, whose shape input_sizes gives.");
OP("DepthwiseConv2dNativeBackpropFilter")
    .As(&BackpropFilterInputs)
    .As(&DepthwiseAttrs)
    .Shape(&BackpropFilterShape<4, true>)
    .Gradient(&BackpropFilterGradient<&Depthwise>)
    .Cost(&BackpropFilterCost<true>)
    .Doc("The gradient of DepthwiseConv2dNative by its filter, whose shape filter_sizes gives.");

OP("Conv3D")
    .As(&ForwardInputs)
    .As(&DeepAttrs)
    .Shape(&ConvOpShape<false>)
    .Gradient(&ForwardGradient<&Deep>)
    .Cost(&ForwardCost<false>)
    .Rows(RowsOfInputs({0}))
    .Doc("Volumes convolved with a filter [depth, height, width, in_channels, out_channels].");
OP("Conv3DBackpropInputV2")
    .Input("input_sizes: Tshape")
    .Input("filter: T")
    .Input("out_backprop: T")
    .As(&DeepAttrs)
    .Attr("Tshape: {int32, int64} = int32")
    .Shape(&BackpropInputShape<5, false>)
    .Gradient(&BackpropInputGradient<&Deep>)
    .Cost(&BackpropInputCost<false>)
    .Doc("The gradient of Conv3D by its input, whose shape input_sizes gives.");
OP("Conv3DBackpropFilterV2")
    .As(&BackpropFilterInputs)
    .As(&DeepAttrs)
    .Shape(&BackpropFilterShape<5, false>)
    .Gradient(&BackpropFilterGradient<&Deep>)
    .Cost(&BackpropFilterCost<false>)
    .Doc("The gradient of Conv3D by its filter, whose shape filter_sizes gives.");

}  // namespace dfrun
