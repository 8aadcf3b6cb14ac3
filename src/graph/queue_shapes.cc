#include "src/graph/queue_shapes.h"

#include <algorithm>
#include <array>

#include "src/graph/passthrough.h"

namespace dfrun {
namespace {

// A list attr of the queue's maker, an entry a component; empty where the maker is not known. `priority` is the entry
// of the component that a priority queue has before the others.
template <class T>
std::vector<T> OfComponents(const Graph& graph, Output handle, std::string_view attr, T priority) {
  const Output made = PassthroughSource(graph, handle);
  if (!made.valid()) return {};
  const Node& maker = graph.node(made.node);
  const QueueKind kind = maker.op->traits.queue;
  if (kind == QueueKind::kNone) return {};
  Result<std::vector<T>> entries = maker.attrs.Get<std::vector<T>>(attr);
  if (!entries.ok()) return {};
  if (kind == QueueKind::kPriority) entries->insert(entries->begin(), std::move(priority));
  return *std::move(entries);
}

}  // namespace

std::vector<PartialShape> QueueShapes(const Graph& graph, Output handle) {
  return OfComponents(graph, handle, "shapes", PartialShape::Scalar());
}

bool MakesQueue(const Node& node) {
  return node.op->traits.queue != QueueKind::kNone;
}

bool MakeQueuesOfOneType(const Node& a, const Node& b) {
  constexpr std::array<std::string_view, 4> kTypeAttrs = {"component_types", "shapes", "capacity", "min_after_dequeue"};
  return a.op->traits.queue == b.op->traits.queue &&
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
