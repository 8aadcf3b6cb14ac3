#include "src/training/updates.h"

#include <algorithm>
#include <memory>
#include <set>

#include "src/training/learning_rate.h"
#include "src/training/mean_gradients.h"
#include "src/training/narrow_values.h"
#include "src/training/optimizer.h"
#include "src/training/optimizer_constants.h"
#include "src/training/rank_devices.h"

namespace dfrun {
namespace {

bool HasInput(const Node& node, NodeId producer) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return o.node == producer; });
}

// Returns true where the constraints alone say that the two cannot be on one device.
bool IsOnAnotherDevice(const Node& a, const Node& b) {
  const Result<DeviceName> first = DeviceName::Parse(a.device);
  const Result<DeviceName> second = DeviceName::Parse(b.device);
  return first.ok() && second.ok() && a.colocate_with.empty() && !first->Merge(*second).ok();
}

// Variables that updates add, by their names: those of all sites.
struct AddedState {
  AddedVariables& variables;
  std::vector<std::pair<std::string, NodeId>> copies;  // each with the name of its original
  std::vector<Output> norms;                           // norms of the gradients by site, or at the first site
};

// The updates of one site.
class Updates {
 public:
  Updates(JobGraphDraft& draft, const Replicas& replicas, const TrainingSite& site, Output learning_rate,
          AddedState& state);
  Updates(const Updates&) = delete;
  Updates& operator=(const Updates&) = delete;

  // Whether each row of a sparse gradient must come once.
  bool NeedsRowsSummed() const { return train_.clip_norm.has_value() || !optimizer_->TakesEqualRows(); }
  Status Add(MeanGradients gradients);

 private:
  // Whether this is the first site. All find the same values, but for those of replicas with variables of their own.
  bool is_first() const { return draft_.checked.empty(); }
  // The variable of the job whose copy at this site it is; itself where it is none.
  NodeId OriginalOf(NodeId variable) const;
  OptimizerContext MakeContext();
  Output AddState(const std::string& name, Output like, bool scalar, double value);
  DType NormDType() const;
  template <class Visit>
  void ForEachGradient(Visit&& visit);
  Output HalfSquare(GraphOps& ops, Output gradient) const;
  static Output NormOf(GraphOps& ops, const std::vector<Output>& half_squares);
  Status Clip(double norm);
  Status AddNorm();
  void Check(const std::string& name, Output value, NodeId at);
  Status NarrowAndCheckGradients();
  Result<Output> LearningRate(DType dtype, const std::string& device);
  Status AddUpdate(const Replicas::Trained& trained);
  Status AddTargets();

  JobGraphDraft& draft_;
  Graph& graph_;
  const Replicas& replicas_;
  const TrainingSite& site_;
  const TrainSpec& train_;
  const Output learning_rate_;
  AddedState& state_;
  CheckedValues checked_;
  const OptimizerContext context_;
  const OptimizerDef& def_;
  const std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, Output> rates_;  // learning_rate_ by the CPUs that have it
  std::set<NodeId> copies_;              // the site's copies
  MeanGradients gradients_;
  std::vector<NodeId> updates_;
};

Updates::Updates(JobGraphDraft& draft, const Replicas& replicas, const TrainingSite& site, Output learning_rate,
                 AddedState& state)
    : draft_(draft),
      graph_(draft.job.graph),
      replicas_(replicas),
      site_(site),
      train_(*draft.spec.train),
      learning_rate_(learning_rate),
      state_(state),
      checked_{.device = site.device, .values = {}},
      context_(MakeContext()),
      def_(FindOptimizer(train_.optimizer.name())),
      optimizer_(def_.make(train_.optimizer, context_)) {
  for (const auto& [variable, copy] : site.copies) copies_.insert(copy);
}

OptimizerContext Updates::MakeContext() {
  return {.graph = graph_,
          .add_scalar_variable = [this](const std::string& name, Output like,
                                        double value) { return AddState(name, like, true, value); },
          .scalar =
              [this](const std::string& name, Output like, double value) {
                const Node& node = graph_.node(like.node);
                return GraphOps(graph_, "train", node.device).Const(name, ScalarOf(node.output_types[0].dtype, value));
              }};
}

Status Updates::Add(MeanGradients gradients) {
  gradients_ = std::move(gradients);
  Output loss = draft_.loss;
  if (site_.is_replica()) {
    DF_ASSIGN(loss, replicas_.LossOf(site_.replica, draft_));
  }
  Check("the loss", loss, loss.node);
  if (train_.clip_norm) DF_TRY(Clip(*train_.clip_norm));
  if (!train_.clip_norm && draft_.spec.summaries.gradient_norm) DF_TRY(AddNorm());
  DF_TRY(NarrowAndCheckGradients());
  if (is_first()) ForEachGradient([&](NodeId variable, Output gradient) { draft_.applied[variable] = gradient; });
  draft_.checked.push_back(std::move(checked_));
  for (const Replicas::Trained& trained : replicas_.trained()) DF_TRY(AddUpdate(trained));
  for (NodeId last : optimizer_->Finish(updates_)) updates_.push_back(last);
  return AddTargets();
}

Status Updates::AddTargets() {
  for (NodeId node : updates_) {
    if (node < 0) return Internal("an update of the optimiser was not built");
    std::vector<NodeId>& writers = draft_.writers[graph_.node(node).inputs[0].node];
    for (NodeId assignment : writers) graph_.AddControlEdge(assignment, node);  // waits for the model's own assignments
    writers.push_back(node);
  }
  std::vector<NodeId>& targets = draft_.job.step.signature.targets;
  targets.insert(targets.end(), updates_.begin(), updates_.end());
  return Status();
}

NodeId Updates::OriginalOf(NodeId variable) const {
  for (const auto& [original, copy] : site_.copies) {
    if (copy == variable) return original;
  }
  return variable;
}

// Adds state beside `like`: a variable, or a copy where `like` is a copy itself. The state of the first replica that
// has variables of its own is the variable, that of the others begins as it does.
Output Updates::AddState(const std::string& name, Output like, bool scalar, double value) {
  const std::string of = graph_.node(OriginalOf(like.node)).name;
  if (!copies_.contains(like.node) || (site_.is_replica() && !state_.variables.contains(name))) {
    const auto there = state_.variables.find(name);
    if (!site_.is_replica() && there != state_.variables.end()) return {there->second, 0};
    const Output variable = draft_.AddVariable(name, like, scalar, value);
    state_.variables[name] = variable.node;
    if (site_.is_replica()) draft_.replica_of[variable.node] = site_.replica;
    if (!scalar && variable.valid()) draft_.kept.back().slot_of = of;
    return variable;
  }
  const Output copy = draft_.AddCopy(site_.prefix + name, like, scalar);
  state_.copies.emplace_back(name, copy.node);
  if (!site_.is_replica()) return copy;
  draft_.replica_of[copy.node] = site_.replica;
  if (!copy.valid() || !draft_.KeepVariable(copy.node).ok()) return {};
  Kept& kept = draft_.kept.back();
  kept.of_strategy = true;
  kept.copy_of = name;
  if (!scalar) kept.slot_of = of;
  return copy;
}

// Adds a value to be checked. A value that is not finite at one site is so at all, so names come from the first site;
// replicas with variables of their own find values of their own, of which the losses come first.
void Updates::Check(const std::string& name, Output value, NodeId at) {
  const auto number = static_cast<int64_t>(checked_.values.size()) + 1;
  checked_.values.push_back({value, at, number});
  if (is_first()) draft_.job.checked_names.push_back(name);
}

// Casts the gradients to the variables' dtypes, in which the optimizer takes them, and checks them so. Where gradients
// are clipped, their norm is not finite if one of them is not, so only those are checked that a cast may make infinite.
Status Updates::NarrowAndCheckGradients() {
  for (const auto& [variable, gradient] : replicas_.trained()) {
    const std::string& name = graph_.node(variable).name;
    const Node& here = graph_.node(site_.Of(variable));
    Output& value = gradient.is_sparse ? gradients_.sparse.at(variable).values : gradients_.dense.at(variable);
    const DType dtype = here.output_types[0].dtype;
    const DType computed = graph_.dtype(value);
    const std::string what = StrCat("the gradient of variable '", name, "'");
    GraphOps ops(graph_, StrCat("train/", site_.prefix, name), here.device);
    value = CastTo(ops, "narrow", value, computed, dtype);
    DF_TRY(ops.status());
    if (computed != dtype || !train_.clip_norm) Check(what, value, site_.Of(variable));
  }
  return Status();
}

DType Updates::NormDType() const {
  const auto is_double = [&](const Replicas::Trained& t) { return graph_.dtype({t.variable, 0}) == DType::kDouble; };
  const std::vector<Replicas::Trained>& trained = replicas_.trained();
  return std::any_of(trained.begin(), trained.end(), is_double) ? DType::kDouble : DType::kFloat;
}

// `visit` takes the variable and, of a sparse gradient, the values of its rows.
template <class Visit>
void Updates::ForEachGradient(Visit&& visit) {
  for (auto& [variable, gradient] : gradients_.dense) visit(variable, gradient);
  for (auto& [variable, rows] : gradients_.sparse) visit(variable, rows.values);
}

// Half of the sum of squares, in float64 where a gradient is, else in float32.
Output Updates::HalfSquare(GraphOps& ops, Output gradient) const {
  const DType dtype = graph_.dtype(gradient);
  return CastTo(ops, "cast", ops.Add("half_square", "L2Loss", {gradient}), dtype, NormDType());
}

Output Updates::NormOf(GraphOps& ops, const std::vector<Output>& half_squares) {
  const Output sum = ops.Add("half_norm_squared", "AddN", half_squares);
  return ops.Add("norm", "Sqrt", {ops.Add("norm_squared", "AddV2", {sum, sum})});
}

// Computes the norm for the report alone. The updates may take a row of a sparse gradient several times; here equal
// rows are summed.
Status Updates::AddNorm() {
  if (!is_first() && !site_.is_replica()) return Status();
  GraphOps ops(graph_, StrCat("train/", site_.prefix, "gradient_norm"), site_.device);
  std::vector<Output> halves;
  const auto add = [&](Output gradient) {
    const DType dtype = graph_.dtype(gradient);
    halves.push_back(HalfSquare(ops, CastTo(ops, "wide", gradient, dtype, SumDType(dtype))));
  };
  for (const auto& [variable, gradient] : gradients_.dense) {
    ops.set_device(graph_.node(site_.Of(variable)).device);
    add(gradient);
  }
  for (const auto& [variable, rows] : gradients_.sparse) {
    ops.set_device(graph_.node(site_.Of(variable)).device);
    add(SumEqualRows(ops, rows).values);
  }
  ops.set_device(site_.device);
  state_.norms.push_back(NormOf(ops, halves));
  return ops.status();
}

// Scales the gradients so that their common norm is at most `limit`: in float64 where a gradient is, else in float32.
Status Updates::Clip(double limit) {
  GraphOps ops(graph_, StrCat("train/", site_.prefix, "clip"), site_.device);
  const DType norm_dtype = NormDType();
  std::vector<Output> halves;
  ForEachGradient([&](NodeId variable, Output& gradient) {
    ops.set_device(graph_.node(site_.Of(variable)).device);
    const DType dtype = SumDType(graph_.dtype(gradient));
    gradient = CastTo(ops, "wide", gradient, graph_.dtype(gradient), dtype);
    halves.push_back(HalfSquare(ops, gradient));
  });
  ops.set_device(site_.device);
  const Output norm = NormOf(ops, halves);
  const Output at_most = ops.Const("limit", ScalarOf(norm_dtype, limit));
  DF_TRY(ops.status());
  Check("the norm of the gradients", norm, norm.node);
  state_.norms.push_back(norm);
  const Output scale = ops.Add("scale", "RealDiv", {at_most, ops.Add("larger", "Maximum", {norm, at_most})});
  ForEachGradient([&](NodeId variable, Output& gradient) {
    ops.set_device(graph_.node(site_.Of(variable)).device);
    const Output factor = CastTo(ops, "scale_cast", scale, norm_dtype, graph_.dtype(gradient));
    gradient = ops.Add("clipped", "Mul", {gradient, factor});
  });
  return ops.status();
}

Result<Output> Updates::LearningRate(DType dtype, const std::string& device) {
  GraphOps ops(graph_, "train", device);
  if (!learning_rate_.valid()) {
    return ops.Const("learning_rate", ScalarOf(dtype, LearningRateAt(train_.learning_rate, 0)));
  }
  DF_ASSIGN(const std::string host, HostOf(draft_.cluster, device));
  Output& rate = rates_[host];
  if (!rate.valid()) {
    rate = learning_rate_;
    if (graph_.node(rate.node).device != host) {
      DF_ASSIGN(rate, AddLearningRateOn(host, learning_rate_, graph_));
    }
  }
  return CastTo(ops, "learning_rate_cast", rate, graph_.dtype(rate), dtype);
}

Status Updates::AddUpdate(const Replicas::Trained& trained) {
  const std::string name = graph_.node(trained.variable).name;
  const Node variable = graph_.node(site_.Of(trained.variable));
  GraphOps ops(graph_, "train/" + variable.name, variable.device);
  UpdatedVariable updated{.variable = {variable.id, 0}, .slots = {}, .learning_rate = {}};
  for (const SlotDef& slot : def_.slots)
    updated.slots.push_back(AddState(StrCat(name, "/", slot.name), updated.variable, false, slot.initial));
  DF_ASSIGN(updated.learning_rate, LearningRate(variable.output_types[0].dtype, variable.device));
  std::vector<NodeId> writers;
  if (trained.gradient.is_sparse) {
    const auto& [indices, values] = gradients_.sparse.at(trained.variable);
    writers = optimizer_->UpdateRows(ops, updated, indices, values);
  } else {
    writers = optimizer_->Update(ops, updated, gradients_.dense.at(trained.variable));
  }
  updates_.insert(updates_.end(), writers.begin(), writers.end());
  DF_TRY(ops.status());
  if (updates_.back() < 0) return Internal("the update of variable '", variable.name, "' was not built");
  return Status();
}

// Adds the norm to what logged steps report, unless a summary of the spec has its name: of replicas that update
// variables of their own the mean.
Status ReportNorm(JobGraphDraft& draft, const Replicas& replicas, std::vector<Output> norms) {
  constexpr const char* kName = "grad_norm";
  JobStep& step = draft.job.step;
  if (norms.empty() || std::find(step.names.begin(), step.names.end(), kName) != step.names.end()) return Status();
  if (!replicas.have_own_variables()) norms.resize(1);
  const DType dtype = draft.job.graph.dtype(norms[0]);
  GraphOps ops(draft.job.graph, "train", draft.workers[0]);
  step.names.emplace_back(kName);
  step.signature.fetches.push_back(Replicas::MeanOf(ops, kName, std::move(norms), dtype));
  return ops.status();
}

// Numbers the checked values of replicas that are gated by their own: the losses of all first, which a step that is run
// again is asked for.
void NumberByReplica(JobGraphDraft& draft) {
  const std::vector<std::string> names = std::move(draft.job.checked_names);
  draft.job.checked_names.clear();
  draft.job.checked_losses = draft.checked.size();
  const auto add = [&](size_t replica, size_t value) {
    draft.job.checked_names.push_back(StrCat(names[value], " in replica ", replica));
    draft.checked[replica].values[value].number = static_cast<int64_t>(draft.job.checked_names.size());
  };
  for (size_t r = 0; r < draft.checked.size(); ++r) add(r, 0);
  for (size_t r = 0; r < draft.checked.size(); ++r) {
    for (size_t i = 1; i < names.size(); ++i) add(r, i);
  }
}

Status AddAdvance(const InputSpec& input, NodeId position, JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  GraphOps ops(graph, input.name, graph.node(position).device);
  const Output batch = ops.Const("batch", Tensor::Scalar<int64_t>(input.batch));
  const Output advance = ops.Add("advance", "AssignAdd", {{position, 0}, batch});
  DF_TRY(ops.status());
  draft.writers[position].push_back(advance.node);
  draft.job.step.signature.targets.push_back(advance.node);
  return Status();
}

}  // namespace

Status AddUpdates(JobGraphDraft& draft, const Replicas& replicas, Output learning_rate) {
  AddedVariables slots;
  return AddUpdates(draft, replicas, learning_rate, slots);
}

Status AddUpdates(JobGraphDraft& draft, const Replicas& replicas, Output learning_rate, AddedVariables& slots) {
  DF_TRY(CheckOptimizerConstants(draft, replicas));
  AddedState state{slots, {}, {}};
  std::vector<std::unique_ptr<Updates>> sites;
  for (const TrainingSite& site : replicas.sites())
    sites.push_back(std::make_unique<Updates>(draft, replicas, site, learning_rate, state));
  DF_ASSIGN(std::vector<MeanGradients> means, AddMeanGradients(draft, replicas, sites[0]->NeedsRowsSummed()));
  for (size_t i = 0; i < sites.size(); ++i) DF_TRY(sites[i]->Add(std::move(means[i])));
  for (const auto& [name, copy] : state.copies) draft.copies[state.variables.at(name)].push_back(copy);
  if (replicas.have_own_variables()) NumberByReplica(draft);
  return ReportNorm(draft, replicas, std::move(state.norms));
}

Status AddInputAdvance(JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  for (size_t i = 0; i < draft.spec.inputs.size(); ++i) {
    const InputSpec& input = draft.spec.inputs[i];
    const NodeId position = draft.shared.nodes.at(input.position);
    const bool is_read = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                     [&](const Node& node) { return HasInput(node, position); });
    if (!is_read || input.all) continue;
    draft.job.advancing.push_back(i);
    if (input.follows()) continue;
    DF_TRY(AddAdvance(input, position, draft));
    const auto copies = draft.copies.find(position);
    if (copies == draft.copies.end()) continue;
    for (const NodeId copy : copies->second) DF_TRY(AddAdvance(input, copy, draft));
  }
  return Status();
}

// Readers on other devices read through a Send: the attr `_after_reads` has the partitioner order the writer after it,
// which spares a message back.
void OrderWritersAfterReaders(JobGraphDraft& draft) {
  Graph& graph = draft.job.graph;
  std::vector<std::pair<NodeId, NodeId>> edges;
  std::set<NodeId> apart;  // reads of other steps
  for (const ReplicaApart& replica : draft.apart) apart.insert(replica.snapshots.begin(), replica.snapshots.end());
  for (const Node& node : graph.nodes()) {
    if (apart.contains(node.id)) continue;
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
