#include "src/training/saved_names_check.h"

#include <algorithm>
#include <string_view>

#include "src/checkpoint/savable.h"

namespace dfrun {
namespace {

constexpr std::string_view kSaveOps[] = {"Save", "SaveSlices", "SaveV2"};
constexpr size_t kNames = 1;  // the input that has them

bool Saves(const Node& node) {
  return std::find(std::begin(kSaveOps), std::end(kSaveOps), node.op->name) != std::end(kSaveOps);
}

}  // namespace

Status CheckSavable(const Graph& graph, const std::vector<KeptState>& kept) {
  std::vector<SavedVariable> parts;
  std::vector<const KeptState*> owners;
  for (const KeptState& state : kept) {
    for (const StatePart& part : state.parts) {
      const Result<Shape> shape = part.shape.ToShape();
      parts.push_back({part.name, part.dtype, shape.ok() ? *shape : Shape()});
      owners.push_back(&state);
    }
  }
  const std::optional<Unsavable> unsavable = FindUnsavable(parts);
  if (!unsavable) return Status();
  const NodeId node = graph.Find(owners[unsavable->at]->of);
  return InvalidArgument(node < 0 ? "" : StrCat(graph.Describe(node), ": "), unsavable->why);
}

Status CheckSaveOps(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (!Saves(node)) continue;
    const Node& names = graph.node(node.inputs[kNames].node);
    const AttrValue* const value = names.op->name == "Const" ? names.attrs.Find("value") : nullptr;
    const Tensor* const tensor = value == nullptr ? nullptr : value->get<Tensor>();
    if (tensor == nullptr || tensor->dtype() != DType::kString) continue;
    for (const std::string& name : tensor->values<std::string>()) {
      if (const Status status = CheckTensorName(name); !status.ok()) return status.Annotate(graph.Describe(node.id));
    }
  }
  return Status();
}

}  // namespace dfrun
