#include "src/graph/queue_shapes.h"

#include <array>

#include "src/graph/handed_on.h"

namespace dfrun {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue",
                                                    "PriorityQueue"};

// "FIFOQueue" of "FIFOQueue" and "FIFOQueueV2"; empty where the op makes no queue.
std::string_view QueueKind(std::string_view op) {
  if (op.ends_with("V2")) op.remove_suffix(2);
  for (std::string_view kind : kKinds) {
    if (op == kind) return kind;
  }
  return "";
}

}  // namespace

std::vector<PartialShape> QueueShapes(const Graph& graph, Output handle) {
  const Output made = HandedOnFrom(graph, handle);
  if (!made.valid()) return {};
  const Node& maker = graph.node(made.node);
  const std::string_view kind = QueueKind(maker.op->name);
  if (kind.empty()) return {};
  Result<std::vector<PartialShape>> shapes = maker.attrs.Get<std::vector<PartialShape>>("shapes");
  if (!shapes.ok()) return {};
  if (kind == "PriorityQueue") shapes->insert(shapes->begin(), PartialShape::Scalar());
  return *std::move(shapes);
}

}  // namespace dfrun
