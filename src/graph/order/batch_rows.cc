#include "src/graph/order/batch_rows.h"

#include <algorithm>

#include "src/framework/op/row_rules.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/partial_constant.h"

namespace dfrun {
namespace {

using Kind = SampleRows::Kind;

class NodeRows final : public RowContext {
 public:
  NodeRows(const Graph& graph, const Node& node, const std::vector<SampleRows>& inputs, int64_t samples)
      : graph_(graph), node_(node), inputs_(inputs), samples_(samples) {}

  int num_inputs() const override { return node_.num_inputs(); }
  const AttrMap& attrs() const override { return node_.attrs; }
  const PartialShape& input_shape(int i) const override { return graph_.shape(node_.inputs[static_cast<size_t>(i)]); }
  const PartialShape& output_shape(int i) const override { return node_.output_shapes[static_cast<size_t>(i)]; }
  SampleRows rows(int i) const override { return inputs_[static_cast<size_t>(i)]; }
  MaybeConstant value(int i) const override {
    const PartialConstant* const known = graph_.PartialConstantOf(node_.inputs[static_cast<size_t>(i)]);
    if (known == nullptr) return std::nullopt;
    return ConstantInts{known->is_scalar, known->elements};
  }
  int64_t samples() const override { return samples_; }

 private:
  const Graph& graph_;
  const Node& node_;
  const std::vector<SampleRows>& inputs_;
  const int64_t samples_;
};

bool All(const std::vector<SampleRows>& inputs, Kind most) {
  return std::all_of(inputs.begin(), inputs.end(), [&](const SampleRows& rows) { return rows.kind <= most; });
}

SampleRows RowsOfOutput(const NodeRows& context, const Node& node, const std::vector<SampleRows>& inputs, int output) {
  const OpTraits& traits = node.op->traits;
  if (traits.control_flow != ControlFlowKind::kNone) return SampleRows::Mixed();
  if (traits.passthrough == Passthrough::kFirstInput) return inputs[0];
  if (traits.passthrough == Passthrough::kEachInput) return inputs[static_cast<size_t>(output)];
  SampleRows rows;
  if (traits.rows) {
    rows = traits.rows(context, output);
  } else if (traits.elementwise) {
    rows = RowsOfElements()(context, output);
  }
  const PartialShape& shape = context.output_shape(output);
  const bool has_rows = shape.known_rank() && shape.rank() > 0 && shape.dim(0) == rows.per_sample * context.samples();
  if (rows.is_rows() && !has_rows) rows = SampleRows::Mixed();
  if (rows.kind == Kind::kMixed && All(inputs, Kind::kBatchSize)) return SampleRows::BatchSize();
  return rows;
}

}  // namespace

bool ChangesByItself(const Node& node) {
  const OpTraits& traits = node.op->traits;
  return node.op->is_stateful && !traits.is_variable && !traits.only_reads_variables;
}

std::vector<SampleRows> RowsOfNode(const Graph& graph, const Node& node, const std::vector<SampleRows>& inputs,
                                   int64_t samples) {
  const auto outputs = static_cast<size_t>(node.num_outputs());
  if (ChangesByItself(node)) return std::vector<SampleRows>(outputs, SampleRows::Mixed());
  if (All(inputs, Kind::kNone)) return std::vector<SampleRows>(outputs, SampleRows::None());
  const NodeRows context(graph, node, inputs, samples);
  std::vector<SampleRows> rows;
  for (size_t i = 0; i < outputs; ++i) rows.push_back(RowsOfOutput(context, node, inputs, static_cast<int>(i)));
  return rows;
}

Result<BatchRows> BatchRows::Of(const Graph& graph, const std::vector<std::pair<Output, SampleRows>>& sources,
                                int64_t samples) {
  BatchRows found;
  found.rows_.resize(static_cast<size_t>(graph.num_nodes()));
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    std::vector<SampleRows> inputs;
    bool takes_mixed = false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output input = node.inputs[static_cast<size_t>(i)];
      const bool is_open = !input.valid() || graph.IsBackEdge(node, i);
      inputs.push_back(is_open ? SampleRows::Mixed() : found.of(input));
      takes_mixed = takes_mixed || (!is_open && inputs.back().kind == Kind::kMixed);
    }
    std::vector<SampleRows>& rows = found.rows_[static_cast<size_t>(id)];
    rows = RowsOfNode(graph, node, inputs, samples);
    for (const auto& [output, of_batch] : sources) {
      if (output.node == id) rows[static_cast<size_t>(output.port)] = of_batch;
    }
    const bool mixes =
        std::any_of(rows.begin(), rows.end(), [](const SampleRows& r) { return r.kind == Kind::kMixed; });
    if (mixes && !takes_mixed) found.mixers_.push_back(id);
  }
  return found;
}

NodeId BatchRows::FirstMixer(const Graph& graph, Output output) const {
  AncestorWalk walk(graph);
  walk.Add(output.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  const auto first =
      std::find_if(mixers_.begin(), mixers_.end(), [&](NodeId id) { return walk.added()[static_cast<size_t>(id)]; });
  return first == mixers_.end() ? -1 : *first;
}

}  // namespace dfrun
