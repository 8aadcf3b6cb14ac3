// FusedBatchNorm and its gradient, in their three versions.
#include "kernels/nn/norm/batch_norm.h"
#include "kernels/nn/norm/batch_norm_gradient.h"
#include "kernels/nn/norm/batch_norm_second.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// A product and a sum an element; in training, the mean and the variance beside.
OpCost NormCost(const CostContext& c) {
  return WholeCost(c, (c.attr<bool>("is_training", true) ? 6 : 2) * c.input_elements(0));
}

// Checks that input i is a vector of `channels` elements, and merges the two numbers.
Status MergeChannels(InferenceContext& c, int i, int64_t& channels) {
  DF_ASSIGN(const PartialShape vector, c.WithRank(i, 1));
  const Result<PartialShape> merged = vector.Merge(PartialShape({channels}));
  if (!merged.ok()) {
    return InvalidArgument("input ", i, " must have an element for each of ", channels, " channels, but has shape ",
                           vector);
  }
  channels = merged->dim(0);
  return Status();
}

int ChannelDim(const std::string& data_format) {
  return static_cast<int>(data_format.find('C'));
}

Status ForwardShape(InferenceContext& c) {
  DF_ASSIGN(const std::string data_format, c.attr<std::string>("data_format"));
  DF_ASSIGN(const bool is_training, c.attr<bool>("is_training"));
  DF_ASSIGN(const float factor, c.attr<float>("exponential_avg_factor"));
  DF_ASSIGN(PartialShape x, c.WithRank(0, BatchNormRank(data_format)));
  int64_t channels = x.dim(ChannelDim(data_format));
  const int channel_inputs = is_training && factor == 1 ? 2 : 4;  // else mean and variance are vectors of any size
  for (int i = 1; i <= channel_inputs; ++i) DF_TRY(MergeChannels(c, i, channels));
  for (int i = channel_inputs + 1; i <= 4; ++i) DF_TRY(c.WithRank(i, 1).status());
  x.set_dim(ChannelDim(data_format), channels);
  c.set_output(0, x);
  for (int i = 1; i <= 4; ++i) c.set_output(i, PartialShape({channels}));
  if (c.num_outputs() > 5) c.set_output(5, ReserveShape());
  return Status();
}

Status BackwardShape(InferenceContext& c) {
  DF_ASSIGN(const std::string data_format, c.attr<std::string>("data_format"));
  const int rank = BatchNormRank(data_format);
  DF_ASSIGN(const PartialShape dy, c.WithRank(0, rank));
  DF_ASSIGN(const PartialShape given, c.WithRank(1, rank));
  DF_ASSIGN(PartialShape x, given.Merge(dy));
  int64_t channels = x.dim(ChannelDim(data_format));
  for (int i = 2; i <= 4; ++i) DF_TRY(MergeChannels(c, i, channels));
  x.set_dim(ChannelDim(data_format), channels);
  c.set_output(0, std::move(x));
  for (int i : {1, 2}) c.set_output(i, PartialShape({channels}));
  for (int i : {3, 4}) c.set_output(i, GradReserveShape(rank, c.num_inputs() == 6, c.input_dtype(1)));
  return Status();
}

constexpr const char* kFlatFormats = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
constexpr const char* kAllFormats = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'";
constexpr const char* kImages = "T: {half, bfloat16, float}";

// Declares an output that only the op's own gradient reads.
void ReserveOutput(OpBuilder& op, const std::string& name, const std::string& type) {
  op.Output(name + ": " + type).GradientEnds(GradientFlow::kNone, {}, name);
}
void Statistics(OpBuilder& op, const std::string& type) {
  for (const char* name : {"scale", "offset", "mean", "variance"}) op.Input(std::string(name) + ": " + type);
  op.Output("y: T");
  for (const char* name : {"batch_mean", "batch_variance"}) op.Output(std::string(name) + ": " + type);
  for (const char* name : {"reserve_space_1", "reserve_space_2"}) ReserveOutput(op, name, type);
}
void Attrs(OpBuilder& op, const char* formats) {
  op.Attr("epsilon: float = 0.0001").Attr("exponential_avg_factor: float = 1.0").Attr(formats);
  op.Attr("is_training: bool = true");
}
void GradientAttrs(OpBuilder& op, const char* formats) {
  op.Attr("epsilon: float = 0.0001").Attr(formats).Attr("is_training: bool = true");
}
void GradientOutputs(OpBuilder& op, const std::string& type, const char* first_reserve, const char* second_reserve) {
  op.Output("x_backprop: T");
  for (const char* name : {"scale_backprop", "offset_backprop"}) op.Output(std::string(name) + ": " + type);
  for (const char* name : {first_reserve, second_reserve}) ReserveOutput(op, name, type);
}

void Forward1(OpBuilder& op) {
  Statistics(op.Input("x: T"), "T");
  Attrs(op.Attr("T: {float}"), kFlatFormats);
}
void Forward2(OpBuilder& op) {
  Statistics(op.Input("x: T"), "U");
  Attrs(op.Attr(kImages).Attr("U: {float}"), kFlatFormats);
}
void Forward3(OpBuilder& op) {
  Statistics(op.Input("x: T"), "U");
  ReserveOutput(op, "reserve_space_3", "U");
  Attrs(op.Attr(kImages).Attr("U: {bfloat16, float}"), kAllFormats);
}
void ForwardEx(OpBuilder& op) {
  Statistics(op.Input("x: T"), "U");
  op.Input("side_input: num_side_inputs * T");
  ReserveOutput(op, "reserve_space_3", "U");
  op.Attr(kImages).Attr("U: {float}").Attr("num_side_inputs: int >= 0 = 0");
  Attrs(op.Attr("activation_mode: string = 'Identity'"), kFlatFormats);
}
void Backward1(OpBuilder& op) {
  op.Input("y_backprop: T").Input("x: T").Input("scale: T").Input("reserve_space_1: T").Input("reserve_space_2: T");
  GradientOutputs(op, "T", "reserve_space_3", "reserve_space_4");
  GradientAttrs(op.Attr("T: {float}"), kFlatFormats);
}
void ImageGradientInputs(OpBuilder& op) {
  op.Input("y_backprop: T").Input("x: T").Input("scale: float").Input("reserve_space_1: U").Input("reserve_space_2: U");
}
void Backward2(OpBuilder& op) {
  ImageGradientInputs(op);
  GradientOutputs(op, "U", "reserve_space_3", "reserve_space_4");
  GradientAttrs(op.Attr(kImages).Attr("U: {float}"), kFlatFormats);
}
void Backward3(OpBuilder& op) {
  ImageGradientInputs(op);
  GradientOutputs(op.Input("reserve_space_3: U"), "U", "reserve_space_4", "reserve_space_5");
  GradientAttrs(op.Attr(kImages).Attr("U: {float}"), kAllFormats);
}

constexpr const char* kForwardDoc =
    "Images less their mean, over their standard deviation, times scale plus offset, channel by channel; mean and "
    "variance are the batch's in training, else those given.";
constexpr const char* kBackwardDoc = "The gradient of batch normalisation by x, scale and offset.";

// With the statistics that were learned an output is a function of its own image.
SampleRows RowsOfInference(const RowContext& c, int output) {
  const Result<bool> is_training = c.attrs().Get<bool>("is_training");
  return is_training.ok() && !*is_training && output == 0 ? RowsOfInputs({0})(c, output) : SampleRows::Mixed();
}

}  // namespace

OP("FusedBatchNorm")
    .As(&Forward1)
    .Shape(&ForwardShape)
    .Gradient(BatchNormGradient("FusedBatchNormGrad"))
    .Cost(&NormCost)
    .Rows(&RowsOfInference)
    .Doc(kForwardDoc);
OP("FusedBatchNormV2")
    .As(&Forward2)
    .Shape(&ForwardShape)
    .Gradient(BatchNormGradient("FusedBatchNormGradV2"))
    .Cost(&NormCost)
    .Rows(&RowsOfInference)
    .Doc(kForwardDoc);
OP("FusedBatchNormV3")
    .As(&Forward3)
    .Shape(&ForwardShape)
    .Gradient(BatchNormGradient("FusedBatchNormGradV3"))
    .Cost(&NormCost)
    .Rows(&RowsOfInference)
    .Doc(kForwardDoc);
OP("_FusedBatchNormEx")
    .As(&ForwardEx)
    .Shape(&ForwardShape)
    .Cost(&NormCost)
    .Doc(
        "FusedBatchNormV3, whose y is added to a side input, if there is one, and then put through Relu where "
        "activation_mode says so: made when a graph is optimised.");
OP("FusedBatchNormGrad")
    .As(&Backward1)
    .Shape(&BackwardShape)
    .Gradient(&BatchNormSecondGradient)
    .Cost(ScanCost(1, 8))
    .Doc(kBackwardDoc);
OP("FusedBatchNormGradV2")
    .As(&Backward2)
    .Shape(&BackwardShape)
    .Gradient(&BatchNormSecondGradient)
    .Cost(ScanCost(1, 8))
    .Doc(kBackwardDoc);
OP("FusedBatchNormGradV3")
    .As(&Backward3)
    .Shape(&BackwardShape)
    .Gradient(&BatchNormSecondGradient)
    .Cost(ScanCost(1, 8))
    .Doc(kBackwardDoc);

}  // namespace dfrun
