#include "src/training/checks/queue_type_check.h"

#include <array>
#include <map>

#include "src/graph/passthrough.h"
#include "src/graph/queue_shapes.h"

namespace dfrun {
namespace {

bool TakesMany(const Node& node) {
  return node.op->name.starts_with("QueueDequeueMany") || node.op->name.starts_with("QueueDequeueUpTo");
}
bool EnqueuesMany(const Node& node) {
  return node.op->name.starts_with("QueueEnqueueMany");
}
bool Enqueues(const Node& node) {
  return node.op->name.starts_with("QueueEnqueue");
}
bool Dequeues(const Node& node) {
  return node.op->name.starts_with("QueueDequeue");
}

// The shape of an element of `shape`'s rows; unknown where the rank is.
PartialShape ShapeOfRow(const PartialShape& shape) {
  if (!shape.known_rank() || shape.rank() == 0) return PartialShape();
  return PartialShape({shape.dims().begin() + 1, shape.dims().end()});
}

// Checks the dtypes of the components that the node gives or takes; `first` is the port of component 0.
Status CheckDTypes(const std::vector<DType>& held, const std::vector<TypedArg>& ports, size_t first) {
  if (ports.size() - first != held.size()) {
    return InvalidArgument("an element of its queue has ", held.size(), " components, not ", ports.size() - first);
  }
  for (size_t i = 0; i < held.size(); ++i) {
    if (ports[first + i].dtype == held[i]) continue;
    return InvalidArgument("component ", i, " of its queue is ", held[i], ", not ", ports[first + i].dtype);
  }
  return Status();
}

Status CheckShapes(const Graph& graph, const Node& node, const std::vector<PartialShape>& held) {
  for (size_t i = 0; i < held.size(); ++i) {
    const PartialShape& given = graph.shape(node.inputs[i + 1]);
    if (held[i].IsCompatibleWith(EnqueuesMany(node) ? ShapeOfRow(given) : given)) continue;
    return InvalidArgument("component ", i, " of its queue has the shape ", held[i], ", but is given ", given,
                           EnqueuesMany(node) ? ", whose rows are the elements" : "");
  }
  return Status();
}

// Whether the node gives an accumulator gradients, or takes their mean.
bool IsOfGradients(const Node& node) {
  return node.op->name.ends_with("AccumulatorApplyGradient") || node.op->name.ends_with("AccumulatorTakeGradient");
}

Status CheckAccumulated(const Graph& graph, const Node& node) {
  const Output made = PassthroughSource(graph, node.inputs[0]);
  if (!made.valid() || !graph.node(made.node).op->name.ends_with("ConditionalAccumulator")) return Status();
  DF_ASSIGN(const DType held, graph.node(made.node).attrs.Get<DType>("dtype"));
  DF_ASSIGN(const DType asked, node.attrs.Get<DType>("dtype"));
  return held == asked ? Status() : InvalidArgument("its accumulator is of ", held, ", not of ", asked);
}

Status CheckNode(const Graph& graph, const Node& node) {
  if (IsOfGradients(node)) return CheckAccumulated(graph, node);
  const std::vector<DType> dtypes = QueueDTypes(graph, node.inputs[0]);
  if (dtypes.empty()) return Status();
  DF_TRY(CheckDTypes(dtypes, Enqueues(node) ? node.input_types : node.output_types, Enqueues(node) ? 1 : 0));
  const std::vector<PartialShape> shapes = QueueShapes(graph, node.inputs[0]);
  if (Enqueues(node)) return CheckShapes(graph, node, shapes);
  if (!TakesMany(node) || !shapes.empty()) return Status();
  return InvalidArgument("a batch is made of components whose shapes are known; give its queue the attr 'shapes'");
}

// Queues by their key in a container of a device.
using SharedQueues = std::map<std::array<std::string, 3>, const Node*>;

Status CheckShared(const Node& node, SharedQueues& queues) {
  DF_ASSIGN(const std::string name, node.attrs.GetOr<std::string>("shared_name", ""));
  DF_ASSIGN(std::string container, node.attrs.GetOr<std::string>("container", ""));
  if (name.empty()) return Status();
  const auto [other, is_first] = queues.insert({{node.device, std::move(container), name}, &node});
  if (is_first || MakeQueuesOfOneType(node, *other->second)) return Status();
  return InvalidArgument("the node '", other->second->name, "' shares the queue '", name,
                         "' with it, but has another kind, other components, shapes or another capacity");
}

}  // namespace

Status CheckQueueElements(const Graph& graph) {
  SharedQueues queues;
  for (const Node& node : graph.nodes()) {
    if (MakesQueue(node)) {
      const Status status = CheckShared(node, queues);
      if (!status.ok()) return status.Annotate(graph.Describe(node.id));
    }
    if (!Enqueues(node) && !Dequeues(node) && !IsOfGradients(node)) continue;
    const Status status = CheckNode(graph, node);
    if (!status.ok()) return status.Annotate(graph.Describe(node.id));
  }
  return Status();
}

}  // namespace dfrun
