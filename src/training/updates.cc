#include "src/training/updates.h"

#include <algorithm>

#include "src/graph/wire_compression.h"
#include "src/training/optimizer.h"

namespace dfrun {
namespace {

bool HasInput(const Node& node, NodeId producer) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return o.node == producer; });
}

// True where the constraints alone say that the two cannot be on one device.
bool IsOnAnotherDevice(const Node& a, const Node& b) {
  const Result<DeviceName> first = DeviceName::Parse(a.device);
  const Result<DeviceName> second = DeviceName::Parse(b.device);
  return first.ok() && second.ok() && a.colocate_with.empty() && !first->Merge(*second).ok();
}

class Updates {
 public:
  Updates(JobGraphDraft& draft, const Replicas& replicas, Output learning_rate)
      : draft_(draft),
        graph_(draft.job.graph),
        replicas_(replicas),
        train_(*draft.spec.train),
        learning_rate_(learning_rate) {}

  Status Add();

 private:
  // A sparse gradient in the job's graph.
  struct Rows {
    Output indices;
    Output values;
  };

  void CompressGradients();
  Status AddMeans(bool sum_equal_rows);
  Status Clip(double norm);
  Output LearningRate(DType dtype, const std::string& device);
  Rows MeanRows(GraphOps& ops, const GradientValue& gradient) const;
  static Rows SumEqualRows(GraphOps& ops, const Rows& rows);
  std::vector<Output> AddSlots(const OptimizerDef& def, const Node& variable);
  Status AddUpdate(const OptimizerDef& def, Optimizer& optimizer, const Replicas::Trained& trained);

  JobGraphDraft& draft_;
  Graph& graph_;
  const Replicas& replicas_;
  const TrainSpec& train_;
  const Output learning_rate_;
  std::map<NodeId, Output> dense_;  // by variable: its gradient, unless that is sparse
  std::map<NodeId, Rows> sparse_;   // by variable: its gradient, if that is sparse
  std::vector<NodeId> updates_;
};

Status Updates::Add() {
  const OptimizerContext context{
      .graph = graph_,
      .add_scalar_variable = [this](const std::string& name, Output like,
                                    double value) { return draft_.AddVariable(name, like, true, value); },
      .scalar =
          [this](const std::string& name, Output like, double value) {
            const Node& node = graph_.node(like.node);
            return GraphOps(graph_, "train", node.device).Const(name, ScalarOf(node.output_types[0].dtype, value));
          }};
  const OptimizerDef& def = FindOptimizer(train_.optimizer.name());
  const std::unique_ptr<Optimizer> optimizer = def.make(train_.optimizer, context);
  DF_TRY(AddMeans(train_.clip_norm.has_value() || !optimizer->TakesEqualRows()));
  if (train_.clip_norm) DF_TRY(Clip(*train_.clip_norm));
  for (const Replicas::Trained& trained : replicas_.trained()) DF_TRY(AddUpdate(def, *optimizer, trained));
  for (NodeId last : optimizer->Finish(updates_)) updates_.push_back(last);
  for (NodeId node : updates_) {
    if (node < 0) return Internal("an update of the optimiser was not built");
    std::vector<NodeId>& writers = draft_.writers[graph_.node(node).inputs[0].node];
    for (NodeId assignment : writers) graph_.AddControlEdge(assignment, node);  // of what the model assigned
    writers.push_back(node);
  }
  std::vector<NodeId>& targets = draft_.job.step.signature.targets;
  targets.insert(targets.end(), updates_.begin(), updates_.end());
  return Status();
}

// Where they go to another rank.
void Updates::CompressGradients() {
  const auto mark = [&](Output of_replica) {
    for (const Output gradient : replicas_.Over(of_replica)) MarkCompressed(graph_.mutable_node(gradient.node));
  };
  for (const auto& [variable, gradient] : replicas_.trained())
    mark(gradient.is_sparse ? gradient.values : gradient.dense);
}

Status Updates::AddMeans(bool sum_equal_rows) {
  if (train_.strategy.flag("compress_gradients")) CompressGradients();
  for (const auto& [variable, gradient] : replicas_.trained()) {
    const std::string name = graph_.node(variable).name;
    const std::string device = graph_.node(variable).device;
    if (gradient.is_sparse) {
      GraphOps ops(graph_, "train/" + name, device);
      const Rows rows = MeanRows(ops, gradient);
      sparse_[variable] = sum_equal_rows ? SumEqualRows(ops, rows) : rows;
      DF_TRY(ops.status());
      continue;
    }
    const bool together = train_.strategy.flag("allreduce");
    GraphOps ops(graph_, "train", together ? "" : device);
    dense_[variable] = together ? replicas_.AllReducedMean(ops, name + "_gradient", gradient.dense, device)
                                : replicas_.Mean(ops, name + "_gradient", gradient.dense);
    DF_TRY(ops.status());
  }
  return Status();
}

// Scales the gradients so that their common norm is at most `limit`.
Status Updates::Clip(double limit) {
  const std::string& first_worker = draft_.workers[0];
  GraphOps ops(graph_, "train/clip", first_worker);
  std::vector<Output> halves;
  const auto add_half = [&](NodeId variable, Output gradient) {
    ops.set_device(graph_.node(variable).device);
    halves.push_back(ops.Add("half_square", "L2Loss", {gradient}));
    if (graph_.dtype(gradient) != DType::kFloat)
      halves.back() = ops.Add("cast", "Cast", {halves.back()}, {{"DstT", DType::kFloat}});
  };
  for (const auto& [variable, gradient] : dense_) add_half(variable, gradient);
  for (const auto& [variable, rows] : sparse_) add_half(variable, rows.values);
  ops.set_device(first_worker);
  const Output sum = ops.Add("half_norm_squared", "AddN", halves);
  const Output norm = ops.Add("norm", "Sqrt", {ops.Add("norm_squared", "AddV2", {sum, sum})});
  const Output at_most = ops.Const("limit", ScalarOf(DType::kFloat, limit));
  draft_.checked.push_back(norm);
  const Output scale = ops.Add("scale", "RealDiv", {at_most, ops.Add("larger", "Maximum", {norm, at_most})});
  const auto clip = [&](NodeId variable, Output& gradient) {
    ops.set_device(graph_.node(variable).device);
    Output factor = scale;
    if (graph_.dtype(gradient) != DType::kFloat) {
      factor = ops.Add("scale_cast", "Cast", {scale}, {{"DstT", graph_.dtype(gradient)}});
    }
    gradient = ops.Add("clipped", "Mul", {gradient, factor});
  };
  for (auto& [variable, gradient] : dense_) clip(variable, gradient);
  for (auto& [variable, rows] : sparse_) clip(variable, rows.values);
  return ops.status();
}

Output Updates::LearningRate(DType dtype, const std::string& device) {
  GraphOps ops(graph_, "train", device);
  if (!learning_rate_.valid()) {
    return ops.Const("learning_rate", ScalarOf(dtype, LearningRateAt(train_.learning_rate, 0)));
  }
  return dtype == DType::kFloat ? learning_rate_
                                : ops.Add("learning_rate_cast", "Cast", {learning_rate_}, {{"DstT", dtype}});
}

// The rows of all replicas one after the other, their values divided by the number of replicas.
Updates::Rows Updates::MeanRows(GraphOps& ops, const GradientValue& gradient) const {
  std::vector<Output> indices = replicas_.Over(gradient.indices);
  std::vector<Output> values = replicas_.Over(gradient.values);
  if (replicas_.count() == 1) return {indices[0], values[0]};
  const Output axis = ops.Const("axis", Tensor::Scalar<int32_t>(0));
  const Output count = ops.Const("replicas", ScalarOf(graph_.dtype(values[0]), replicas_.count()));
  indices.push_back(axis);
  values.push_back(axis);
  const Output all_indices = ops.Add("indices", "ConcatV2", std::move(indices));
  return {all_indices, ops.Add("values", "RealDiv", {ops.Add("values_sum", "ConcatV2", std::move(values)), count})};
}

// Each row once, with the sum of its values in the order in which they come. Source: TensorFlow's Optimizer.
Updates::Rows Updates::SumEqualRows(GraphOps& ops, const Rows& rows) {
  const Output unique = ops.Add("unique", "Unique", {rows.indices});
  const auto vector = [&](const char* name, int32_t value) {
    return ops.Const(name, Tensor::Vector<int32_t>({value}));
  };
  const Output count =
      ops.Add("count", "StridedSlice",
              {ops.Add("unique_shape", "Shape", {unique}), vector("begin", 0), vector("end", 1), vector("stride", 1)},
              {{"shrink_axis_mask", int64_t{1}}});
  const Output index{unique.node, 1};
  return {unique, ops.Add("sums", "UnsortedSegmentSum", {rows.values, index, count})};
}

std::vector<Output> Updates::AddSlots(const OptimizerDef& def, const Node& variable) {
  std::vector<Output> slots;
  for (const SlotDef& slot : def.slots) {
    slots.push_back(draft_.AddVariable(StrCat(variable.name, "/", slot.name), {variable.id, 0}, false, slot.initial));
  }
  return slots;
}

Status Updates::AddUpdate(const OptimizerDef& def, Optimizer& optimizer, const Replicas::Trained& trained) {
  const Node variable = graph_.node(trained.variable);
  GraphOps ops(graph_, "train/" + variable.name, variable.device);
  const UpdatedVariable updated{.variable = {variable.id, 0},
                                .slots = AddSlots(def, variable),
                                .learning_rate = LearningRate(variable.output_types[0].dtype, variable.device)};
  std::vector<NodeId> writers;
  if (trained.gradient.is_sparse) {
    const auto& [indices, values] = sparse_.at(variable.id);
    writers = optimizer.UpdateRows(ops, updated, indices, values);
  } else {
    writers = optimizer.Update(ops, updated, dense_.at(variable.id));
  }
  updates_.insert(updates_.end(), writers.begin(), writers.end());
  DF_TRY(ops.status());
  if (updates_.back() < 0) return Internal("the update of variable '", variable.name, "' was not built");
  return Status();
}

}  // namespace

Status AddUpdates(JobGraphDraft& draft, const Replicas& replicas, Output learning_rate) {
  return Updates(draft, replicas, learning_rate).Add();
}

Status AddInputAdvance(JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  for (size_t i = 0; i < draft.spec.inputs.size(); ++i) {
    const InputSpec& input = draft.spec.inputs[i];
    const NodeId position = draft.shared.nodes.at(input.position);
    const bool is_read = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                     [&](const Node& node) { return HasInput(node, position); });
    if (!is_read || input.all) continue;
    GraphOps ops(graph, input.name, graph.node(position).device);
    const Output batch = ops.Const("batch", Tensor::Scalar<int64_t>(input.batch));
    const Output advance = ops.Add("advance", "AssignAdd", {{position, 0}, batch});
    DF_TRY(ops.status());
    draft.writers[position].push_back(advance.node);
    draft.job.step.signature.targets.push_back(advance.node);
    draft.job.advancing.push_back(i);
  }
  return Status();
}

// Readers on other devices read through a Send: the attr `_after_reads` has the partitioner order the writer after it,
// which spares a message back.
void OrderWritersAfterReaders(JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  std::vector<std::pair<NodeId, NodeId>> edges;
  for (const Node& node : graph.nodes()) {
    for (Output input : node.inputs) {
      const auto it = draft.writers.find(input.node);
      if (it == draft.writers.end()) continue;
      const std::vector<NodeId>& writers = it->second;
      if (std::find(writers.begin(), writers.end(), node.id) != writers.end()) continue;
      if (IsOnAnotherDevice(node, graph.node(input.node))) continue;
      for (NodeId writer : writers) edges.emplace_back(node.id, writer);
    }
  }
  for (const auto& [reader, writer] : edges) {
    if (!HasInput(graph.node(writer), reader)) graph.AddControlEdge(reader, writer);
  }
  for (const auto& [variable, writers] : draft.writers) {
    for (NodeId writer : writers) graph.mutable_node(writer).attrs.Set("_after_reads", true);
  }
}

}  // namespace dfrun
