// The ops by which a job makes the summaries that `summaries` of a spec asks for: values of TensorBoard's plugins. What
// is counted where values are is small, and is put together on one rank.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void SummarizesForJob(OpBuilder& op) {
  op.Attr("tag: string").Output("summary: string").NotDifferentiable().Shape(ScalarOutputs()).Own();
}

// A matrix with so many columns.
ShapeFn Matrix(int64_t rows, int64_t columns) {
  return [=](InferenceContext& c) {
    c.set_output(0, PartialShape({rows, columns}));
    return Status();
  };
}

constexpr int64_t kUnknown = -1;

}  // namespace

OP("_HistogramBins")
    .Input("values: T")
    .Output("bins: double")
    .Attr("T: realnumbertype")
    .Shape(Matrix(kUnknown, 3))
    .NotDifferentiable()
    .Own()
    .Cost(ScanCost())
    .Doc("Left edge, right edge and count of each bin of a histogram; NaN and infinity are left out.");

OP("_HistogramTensorSummary")
    .Input("bins: N * double")
    .Attr("N: int >= 1")
    .As(SummarizesForJob)
    .Doc("A summary with the histogram of all values of which _HistogramBins gave the bins.");

OP("_ImageTensorSummary")
    .Input("images: T")
    .Attr("T: {uint8, bfloat16, half, float, double}")
    .Attr("max_outputs: int >= 1 = 3")
    .As(SummarizesForJob)
    .Cost(ScanCost())
    .Doc("A summary with the first images of a batch as PNG, scaled as by ImageSummary.");

OP("_AudioTensorSummary")
    .Input("audio: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("sample_rate: int >= 1")
    .Attr("max_outputs: int >= 1 = 3")
    .As(SummarizesForJob)
    .Cost(ScanCost())
    .Doc("A summary with the first clips of a batch as WAV, as by AudioSummary.");

OP("_TextTensorSummary")
    .Input("text: string")
    .As(SummarizesForJob)
    .Doc("A summary with strings; a byte that is no UTF-8 becomes U+FFFD.");

OP("_PrCurveCounts")
    .Input("labels: L")
    .Input("predictions: P")
    .Output("counts: double")
    .Attr("L: {bool, float, double, half, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64}")
    .Attr("P: {bfloat16, half, float, double}")
    .Attr("thresholds: int >= 2 = 201")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const auto thresholds, c.attr<int64_t>("thresholds"));
      c.set_output(0, PartialShape({2, thresholds}));
      return Status();
    })
    .NotDifferentiable()
    .Own()
    .Cost(ScanCost(1))
    .Doc("How many predictions of true and of false labels lie between two thresholds; NaN is left out.");

OP("_PrCurveTensorSummary")
    .Input("counts: N * double")
    .Attr("N: int >= 1")
    .As(SummarizesForJob)
    .Doc("A summary with the precision-recall curve of all values that _PrCurveCounts counted.");

}  // namespace dfrun
