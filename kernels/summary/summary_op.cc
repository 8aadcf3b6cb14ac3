// Ops that turn values into serialised Summary messages.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void Summarizes(OpBuilder& op) {
  op.Output("summary: string").NotDifferentiable().Shape(ScalarOutputs());
}

}  // namespace

OP("ScalarSummary")
    .Input("tags: string")
    .Input("values: T")
    .Attr("T: realnumbertype")
    .As(Summarizes)
    .Doc("A summary with a number for each tag; tags and values have one shape.");

OP("HistogramSummary")
    .Input("tag: string")
    .Input("values: T")
    .Attr("T: realnumbertype = DT_FLOAT")
    .As(Summarizes)
    .Cost(ScanCost(1))
    .Doc("A summary with the histogram of all values.");

OP("ImageSummary")
    .Input("tag: string")
    .Input("tensor: T")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half, double} = DT_FLOAT")
    .Attr("bad_color: tensor = uint8[255, 0, 0, 255]")
    .As(Summarizes)
    .Cost(ScanCost(1))
    .Doc(
        "A summary with the first images of a batch [batch, height, width, channels] as PNG. Numbers are scaled to 0 "
        "to "
        "255; a pixel that has NaN or infinity gets bad_color.");

OP("AudioSummary")
    .Input("tag: string")
    .Input("tensor: float")
    .Attr("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .As(Summarizes)
    .Cost(ScanCost(1))
    .Doc("A summary with the first clips of [batch, frames] or [batch, frames, channels], from -1 to 1, as WAV.");

OP("AudioSummaryV2")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .As(Summarizes)
    .Cost(ScanCost(1))
    .Doc("As AudioSummary, with the rate as an input.");

OP("TensorSummary")
    .Input("tensor: T")
    .Attr("T: type")
    .Attr("description: string = ''")
    .Attr("labels: list(string) = []")
    .Attr("display_name: string = ''")
    .As(Summarizes)
    .Cost(ScanCost(0))
    .Doc("A summary with a tensor, under the node's name.");

OP("TensorSummaryV2")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("serialized_summary_metadata: string")
    .Attr("T: type")
    .As(Summarizes)
    .Cost(ScanCost(1))
    .Doc("A summary with a tensor and a SummaryMetadata, which says who shows it.");

OP("MergeSummary")
    .Input("inputs: N * string")
    .Attr("N: int >= 1")
    .As(Summarizes)
    .Doc("One summary with the values of several, whose tags differ.");

}  // namespace dfrun
