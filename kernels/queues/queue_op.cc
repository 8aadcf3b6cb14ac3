// Queues. The ops without V2 take the handle as a reference to a string, those with it as a resource.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/component_inference.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void Fifo(OpBuilder& op) {
  op.Attr("component_types: list(type) >= 1").Attr("shapes: list(shape) >= 0 = []").Attr("capacity: int = -1");
  op.As(DeviceResource)
      .MakesQueue(QueueKind::kFirstInFirstOut)
      .Doc("A queue of tuples of tensors: first in, first out.");
}

void PaddingFifo(OpBuilder& op) {
  op.Attr("component_types: list(type) >= 1").Attr("shapes: list(shape) >= 0 = []").Attr("capacity: int = -1");
  op.As(DeviceResource)
      .MakesQueue(QueueKind::kPadding)
      .Doc("A first-in first-out queue whose batches are padded with zeros to their largest element.");
}

void Shuffling(OpBuilder& op) {
  op.Attr("component_types: list(type) >= 1").Attr("shapes: list(shape) >= 0 = []").Attr("capacity: int = -1");
  op.Attr("min_after_dequeue: int = 0").Attr("seed: int = 0").Attr("seed2: int = 0");
  op.As(DeviceResource)
      .MakesQueue(QueueKind::kShuffling)
      .Doc("A queue that gives its elements in random order, keeping min_after_dequeue while it is open.");
}

void Priority(OpBuilder& op) {
  op.Attr("component_types: list(type) >= 0 = []").Attr("shapes: list(shape) >= 0").Attr("capacity: int = -1");
  op.As(DeviceResource)
      .MakesQueue(QueueKind::kPriority)
      .Doc("A queue that gives the element of the least priority, an int64 before the other components.");
}

void TakesComponents(OpBuilder& op) {
  op.Input("components: Tcomponents").Attr("Tcomponents: list(type) >= 1").Attr("timeout_ms: int = -1");
  op.Waits(WaitKind::kPut).GradientEnds(GradientFlow::kState);
}

void GivesComponents(OpBuilder& op) {
  op.Output("components: component_types").Attr("component_types: list(type) >= 1").Attr("timeout_ms: int = -1");
  op.Waits(WaitKind::kTake).GradientEnds(GradientFlow::kState);
}

// Each output has the shape of its component, after the sizes that a batch adds.
Status SetComponentShapes(InferenceContext& c, const std::vector<int64_t>& batch) {
  const std::vector<PartialShape> components = ComponentShapes(c, 0);
  if (components.size() != static_cast<size_t>(c.num_outputs())) return Status();
  for (int i = 0; i < c.num_outputs(); ++i) {
    const PartialShape& component = components[static_cast<size_t>(i)];
    if (!component.known_rank()) continue;
    PartialShape shape(batch);
    for (int64_t size : component.dims()) shape.Append(size);
    c.set_output(i, std::move(shape));
  }
  return Status();
}

Status ShapesOfElement(InferenceContext& c) {
  return SetComponentShapes(c, {});
}

// n: a number, which may stand in a vector.
Status CheckNumberShape(const InferenceContext& c) {
  const PartialShape& shape = c.input(1);
  if (shape.num_elements() < 0 || shape.num_elements() == 1) return Status();
  return InvalidArgument("input 'n' must be one number, but has shape ", shape);
}

Status ShapesOfBatch(InferenceContext& c) {
  DF_TRY(CheckNumberShape(c));
  const Tensor* const n = c.input_value(1);
  const int64_t size = n == nullptr ? PartialShape::kUnknown : n->scalar<int32_t>();
  if (n != nullptr && size < 0) return InvalidArgument("input 'n' must be at least 0, but is ", size);
  return SetComponentShapes(c, {size});
}

Status ShapesOfSomeBatch(InferenceContext& c) {
  DF_TRY(CheckNumberShape(c));
  return SetComponentShapes(c, {PartialShape::kUnknown});
}

void Enqueues(OpBuilder& op) {
  op.As(TakesComponents)
      .Cost(NoCost())
      .Doc("Adds an element, when there is room; Cancelled where the queue is closed.");
}

void EnqueuesMany(OpBuilder& op) {
  op.As(TakesComponents).Cost(BehindHandleCost()).Doc("Adds the rows of its components one by one, as there is room.");
}

void Dequeues(OpBuilder& op) {
  op.As(GivesComponents).Shape(ShapesOfElement).Cost(NoCost());
  op.Doc("Takes an element, when there is one; OutOfRange where the queue is closed and empty.");
}

void DequeuesMany(OpBuilder& op) {
  op.Input("n: int32").As(GivesComponents).Shape(ShapesOfBatch).Cost(BehindHandleCost());
  op.Doc("Takes n elements as one batch; OutOfRange where the queue is closed with fewer.");
}

void DequeuesUpTo(OpBuilder& op) {
  op.Input("n: int32").As(GivesComponents).Shape(ShapesOfSomeBatch).Cost(BehindHandleCost());
  op.Doc("Takes n elements as one batch, or what is left of a closed queue; OutOfRange where that is nothing.");
}

void Closes(OpBuilder& op) {
  op.Attr("cancel_pending_enqueues: bool = false").Waits(WaitKind::kClose).NotDifferentiable();
  op.Doc("Lets no more elements in. Enqueues that wait are served first, or cancelled.");
}

void GivesSize(OpBuilder& op) {
  op.Output("size: int32").Shape(ScalarOutputs()).NotDifferentiable().Cost(NoCost());
  op.Doc("The number of elements in the queue.");
}

void TellsClosed(OpBuilder& op) {
  op.Output("is_closed: bool").Shape(ScalarOutputs()).NotDifferentiable().Cost(NoCost());
  op.Doc("Whether the queue is closed.");
}

OP("FIFOQueue").Output("handle: Ref(string)").Shape(ReferenceHandleShape).As(Fifo);
OP("FIFOQueueV2").Output("handle: resource").Shape(ScalarOutputs()).As(Fifo);
OP("PaddingFIFOQueue").Output("handle: Ref(string)").Shape(ReferenceHandleShape).As(PaddingFifo);
OP("PaddingFIFOQueueV2").Output("handle: resource").Shape(ScalarOutputs()).As(PaddingFifo);
OP("RandomShuffleQueue").Output("handle: Ref(string)").Shape(ReferenceHandleShape).As(Shuffling);
OP("RandomShuffleQueueV2").Output("handle: resource").Shape(ScalarOutputs()).As(Shuffling);
OP("PriorityQueue").Output("handle: Ref(string)").Shape(ReferenceHandleShape).As(Priority);
OP("PriorityQueueV2").Output("handle: resource").Shape(ScalarOutputs()).As(Priority);

OP("QueueEnqueue").Input("handle: Ref(string)").As(Enqueues);
OP("QueueEnqueueV2").Input("handle: resource").As(Enqueues).Stateful();
OP("QueueEnqueueMany").Input("handle: Ref(string)").As(EnqueuesMany);
OP("QueueEnqueueManyV2").Input("handle: resource").As(EnqueuesMany).Stateful();
OP("QueueDequeue").Input("handle: Ref(string)").As(Dequeues);
OP("QueueDequeueV2").Input("handle: resource").As(Dequeues).Stateful();
OP("QueueDequeueMany").Input("handle: Ref(string)").As(DequeuesMany);
OP("QueueDequeueManyV2").Input("handle: resource").As(DequeuesMany).Stateful();
OP("QueueDequeueUpTo").Input("handle: Ref(string)").As(DequeuesUpTo);
OP("QueueDequeueUpToV2").Input("handle: resource").As(DequeuesUpTo).Stateful();
OP("QueueClose").Input("handle: Ref(string)").As(Closes);
OP("QueueCloseV2").Input("handle: resource").As(Closes).Stateful();
OP("QueueSize").Input("handle: Ref(string)").As(GivesSize);
OP("QueueSizeV2").Input("handle: resource").As(GivesSize).Stateful();
OP("QueueIsClosed").Input("handle: Ref(string)").As(TellsClosed);
OP("QueueIsClosedV2").Input("handle: resource").As(TellsClosed).Stateful();

}  // namespace
}  // namespace dfrun
