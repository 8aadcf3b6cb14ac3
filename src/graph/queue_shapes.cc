#include "src/graph/queue_shapes.h"

#include <algorithm>
#include <array>

#include "src/graph/handed_on.h"

namespace dfrun {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue",
                                                    "PriorityQueue"};

// Returns "FIFOQueue" for "FIFOQueue" and "FIFOQueueV2"; empty if the op makes no queue.
std::string_view QueueKind(std::string_view op) {
  if (op.ends_with("V2")) op.remove_suffix(2);
  for (std::string_view kind : kKinds) {
    if (op == kind) return kind;
  }
  return "";
}

// A list attr of the queue's maker with one entry a component; empty if the maker is not known. `priority` is the entry
// of the first component of a priority queue, which its attr leaves out.
template <class T>
std::vector<T> OfComponents(const Graph& graph, Output handle, std::string_view attr, T priority) {
  const Output made = HandedOnFrom(graph, handle);
  if (!made.valid()) return {};
  const Node& maker = graph.node(made.node);
  const std::string_view kind = QueueKind(maker.op->name);
  if (kind.empty()) return {};
  Result<std::vector<T>> entries = maker.attrs.Get<std::vector<T>>(attr);
  if (!entries.ok()) return {};
  if (kind == "PriorityQueue") entries->insert(entries->begin(), std::move(priority));
  return *std::move(entries);
}

}  // namespace

std::vector<PartialShape> QueueShapes(const Graph& graph, Output handle) {
  return OfComponents(graph, handle, "shapes", PartialShape::Scalar());
}

bool MakesQueue(const Node& node) {
  return !QueueKind(node.op->name).empty();
}

bool MakeQueuesOfOneType(const Node& a, const Node& b) {
  constexpr std::array<std::string_view, 4> kTypeAttrs = {"component_types", "shapes", "capacity", "min_after_dequeue"};
  return QueueKind(a.op->name) == QueueKind(b.op->name) &&
         std::all_of(kTypeAttrs.begin(), kTypeAttrs.end(), [&](std::string_view name) {
           const AttrValue* of_a = a.attrs.Find(name);
           const AttrValue* of_b = b.attrs.Find(name);
           return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
         });
}

std::vector<DType> QueueDTypes(const Graph& graph, Output handle) {
  return OfComponents(graph, handle, "component_types", DType::kInt64);
}

}  // namespace dfrun
