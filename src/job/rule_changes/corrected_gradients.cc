// Gradients of values that do not show in the result: they are zero, and were not (docs/tensorflow.md).
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "src/graph/order/ancestors.h"
#include "src/job/rule_change.h"

namespace dfrun {
namespace {

bool IsOneOf(const Node& node, std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), node.op->name) != ops.end();
}

bool OverwritesRows(const Node& node) {
  return IsOneOf(node, {"DynamicStitch", "TensorScatterUpdate", "SparseToDense"});
}

bool ClipsCells(const Node& node) {
  const AttrValue* const clip = node.attrs.Find("cell_clip");
  const float* const limit = clip == nullptr ? nullptr : clip->get<float>();
  return limit != nullptr && *limit > 0 && IsOneOf(node, {"LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"});
}

template <bool (*kIsConcerned)(const Node&)>
bool LossReadsOne(const LoadedSpec& spec, const JobGraph&) {
  if (!spec.job.train) return false;
  AncestorWalk walk(spec.graph);
  walk.Add(spec.job.train->loss.node);
  while (const Node* node = walk.Next()) {
    if (kIsConcerned(*node)) return true;
    for (const Output input : node->inputs) walk.Add(input.node);
  }
  return false;
}

RULE_CHANGE("overwritten_rows", {.says = "rows that a later one overwrites in DynamicStitch, TensorScatterUpdate or "
                                         "SparseToDense get no gradient, and got the later one's",
                                 .concerns = &LossReadsOne<&OverwritesRows>});
RULE_CHANGE("clipped_cells", {.says = "a cell of an LSTM that cell_clip holds passes no gradient on, and did",
                              .concerns = &LossReadsOne<&ClipsCells>});

}  // namespace
}  // namespace dfrun
