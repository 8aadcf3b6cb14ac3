// Ops that write summaries into event files, which TensorFlow 2 puts into graphs.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

Status OneWriter(InferenceContext& c) {
  return c.WithRank(0, 0).status();
}

void UsesWriter(OpBuilder& op) {
  op.Input("writer: resource").Stateful().Shape(&OneWriter).GradientEnds(GradientFlow::kZero);
}

void WritesAtStep(OpBuilder& op) {
  op.As(UsesWriter).Input("step: int64").Cost(BehindHandleCost());
}

}  // namespace

OP("SummaryWriter")
    .Output("writer: resource")
    .As(DeviceResource)
    .Shape(ScalarOutputs())
    .Doc("A summary writer, closed until CreateSummaryFileWriter opens it.");

OP("CreateSummaryFileWriter")
    .As(UsesWriter)
    .Input("logdir: string")
    .Input("max_queue: int32")
    .Input("flush_millis: int32")
    .Input("filename_suffix: string")
    .Cost(BehindHandleCost())
    .Doc("Begins an event file in logdir or, where the job has a run directory, below its events/graph.");

OP("FlushSummaryWriter").As(UsesWriter).Cost(NoCost()).Doc("Gives the events that a writer holds to the system.");
OP("CloseSummaryWriter").As(UsesWriter).Cost(NoCost()).Doc("Ends the event file of a writer.");

OP("WriteSummary")
    .As(WritesAtStep)
    .Input("tensor: T")
    .Input("tag: string")
    .Input("summary_metadata: string")
    .Attr("T: type")
    .Doc("Writes what TensorSummaryV2 gives.");

OP("WriteRawProtoSummary").As(WritesAtStep).Input("tensor: string").Doc("Writes a serialised Summary.");

OP("WriteScalarSummary")
    .As(WritesAtStep)
    .Input("tag: string")
    .Input("value: T")
    .Attr("T: realnumbertype")
    .Doc("Writes what ScalarSummary gives.");

OP("WriteHistogramSummary")
    .As(WritesAtStep)
    .Input("tag: string")
    .Input("values: T")
    .Attr("T: realnumbertype = DT_FLOAT")
    .Doc("Writes what HistogramSummary gives.");

OP("WriteImageSummary")
    .As(WritesAtStep)
    .Input("tag: string")
    .Input("tensor: T")
    .Input("bad_color: uint8")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half} = DT_FLOAT")
    .Doc("Writes what ImageSummary gives.");

OP("WriteAudioSummary")
    .As(WritesAtStep)
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .Doc("Writes what AudioSummaryV2 gives.");

OP("WriteGraphSummary").As(WritesAtStep).Input("tensor: string").Doc("Writes a serialised GraphDef.");
OP("ImportEvent").As(UsesWriter).Input("event: string").Cost(BehindHandleCost()).Doc("Writes a serialised Event.");

}  // namespace dfrun
