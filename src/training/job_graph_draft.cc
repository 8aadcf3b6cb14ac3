#include "src/training/job_graph_draft.h"

#include <type_traits>

#include "src/graph/location_prefix.h"
#include "src/training/variable_placement.h"

namespace dfrun {

Tensor ScalarOf(DType dtype, double value) {
  Tensor t(dtype, Shape());
  VisitDType<float, double, bfloat16, float16>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double>) {
      *t.data<T>() = value;
    } else {
      *t.data<T>() = static_cast<T>(static_cast<float>(value));
    }
  });
  return t;
}

JobGraphDraft::JobGraphDraft(const LoadedSpec& loaded, const Cluster& on, const NodePlacement& chosen)
    : spec(loaded.job),
      cluster(on),
      placement(chosen),
      model(loaded.graph),
      evaluation(loaded.form(/*for_training=*/false)),
      workers(WorkerDevices(on)) {
  job.graph.TakeLocations(evaluation.graph);  // built after the model's, with its calls
}

std::string JobGraphDraft::LocationText(SourceLocation location) const {
  return LocationPrefix(model, location);
}

Output JobGraphDraft::AddCopy(const std::string& name, Output like, bool scalar) {
  const Node& like_node = job.graph.node(like.node);
  const PartialShape shape = scalar ? PartialShape::Scalar() : like_node.output_shapes[0];
  const AttrMap attrs = {{"shape", shape}, {"dtype", like_node.output_types[0].dtype}};
  return GraphOps(job.graph, "", like_node.device).Add(name, "VariableV2", {}, attrs);
}

Output JobGraphDraft::AddVariable(const std::string& name, Output like, bool scalar, double value) {
  const Output variable = AddCopy(name, like, scalar);
  if (!variable.valid()) return {};
  const Node& node = job.graph.node(variable.node);
  GraphOps ops(job.graph, "", node.device);
  const PartialShape shape = node.output_shapes[0];
  const DType dtype = node.output_types[0].dtype;
  Output initial = ops.Const(name + "/value", ScalarOf(dtype, value));
  if (!scalar) {
    const std::vector<int64_t>& dims = shape.dims();
    const std::vector<int32_t> sizes(dims.begin(), dims.end());
    initial = ops.Add(name + "/initial", "Fill", {ops.Const(name + "/shape", Tensor::Vector<int32_t>(sizes)), initial});
  }
  if (!ops.status().ok()) return {};
  if (!KeepVariable(variable.node).ok()) return {};
  if (!scalar) kept.back().slot_of = job.graph.node(like.node).name;
  initial_values.emplace_back(variable.node, initial);
  return variable;
}

Status JobGraphDraft::KeepVariable(NodeId variable) {
  const Node& node = job.graph.node(variable);
  const Result<Shape> shape = node.output_shapes[0].ToShape();
  if (!shape.ok()) return shape.status().Annotate(job.graph.Describe(variable));
  kept.push_back({.source = variable,
                  .of = node.name,
                  .is_variable = true,
                  .parts = {{node.name, node.output_types[0].dtype, *shape}},
                  .restore_op = "Assign",
                  .restore_inputs = {{variable, 0}}});
  return Status();
}

SubgraphMap JobGraphDraft::SharedWithEvaluation() const {
  SubgraphMap map;
  for (const VariableSpec& variable : evaluation.job.variables) {
    map.nodes[variable.node] = job.graph.Find(evaluation.graph.node(variable.node).name);
  }
  return map;
}

Result<std::vector<NodeId>> JobGraphDraft::BodyOf(const Graph& from, const std::vector<Output>& outputs,
                                                  const SubgraphMap* replaced) const {
  std::vector<bool> stop(static_cast<size_t>(from.num_nodes()), false);
  for (const auto& [of_model, of_job] : shared.nodes) stop[of_model] = true;
  return Ancestors(from, outputs, stop, replaced);
}

}  // namespace dfrun
