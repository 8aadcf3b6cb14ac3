#include "src/training/replicas.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/collectives/reduce_groups.h"
#include "src/graph/order/has_refs.h"
#include "src/placement/device_choice.h"
#include "src/training/checks/strategy_checks.h"
#include "src/training/narrow_values.h"
#include "src/training/recomputation.h"
#include "src/training/variable_placement.h"

namespace dfrun {
namespace {

// Sets the attrs that differ in a replica: the slice that its nodes read, and for stream > 0 a stream of random numbers
// of its own.
void SetReplicaAttrs(int stream, int slice, const Node& node, AttrMap& attrs) {
  if (node.op->FindAttr("slices") != nullptr && *attrs.Get<int64_t>("slices") > 1) attrs.Set("slice", slice);
  if (stream > 0 && node.op->is_stateful && attrs.Has("seed") && attrs.Has("seed2")) {
    attrs.Set("seed2", *attrs.Get<int64_t>("seed2") + stream);
  }
}

bool HasEffect(const Node& node) {
  return node.op->is_stateful || HasRefInput(node);
}

}  // namespace

Result<Replicas> Replicas::Add(JobGraphDraft& draft, int count, Variables variables) {
  Replicas replicas(draft.model, count, variables);
  if (draft.made_replicas > 0) {
    replicas.made_ = draft.made_replicas;
    replicas.on_task_ = std::max(1, count / static_cast<int>(draft.workers.size()));
  }
  DF_TRY(replicas.AddModels(draft));
  DF_TRY(replicas.CopyAll(draft, [&](int replica, const std::string&) -> Result<SubgraphMap> {
    return replicas.VariablesOf(replica, draft);
  }));
  DF_TRY(replicas.AddEffects(draft));
  return replicas;
}

Result<Replicas> Replicas::AddApart(JobGraphDraft& draft, const Apart& apart, const SharedWith& shared) {
  Replicas replicas(draft.model, apart.count * apart.loops, Variables::kShared);
  replicas.loops_ = apart.loops;
  replicas.slices_ = apart.slices;
  replicas.are_apart_ = true;
  DF_TRY(replicas.AddModels(draft));
  DF_TRY(replicas.CheckApart(draft));
  DF_TRY(replicas.CopyAll(draft, shared));
  return replicas;
}

// Replicas that run for themselves read variables, and positions of samples, and nothing else that they share.
Status Replicas::CheckApart(const JobGraphDraft& draft) const {
  const TrainSpec& train = *draft.spec.train;
  DF_ASSIGN(const std::vector<NodeId> body, Body(draft));
  DF_TRY(CheckNoWaits(train, graph_, body, WaitKind::kNone));
  for (const NodeId id : body) {
    const Node& node = graph_.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const NodeId source = node.inputs[i].node;
      if (!node.input_types[i].is_ref || !draft.shared.nodes.contains(source) || assigned_.Has(source)) continue;
      const StrategyWords words = WordsOf(train);
      return InvalidArgument(graph_.Describe(source), " is assigned by '", node.name, "' in each replica, and with ",
                             words.name, " they run beside each other: write 'reduce: mean, sum or first' at the ",
                             "variable, or ", words.otherwise);
    }
  }
  return Status();
}

// "replica_1/"; of a further loop "replica_1_2/".
std::string Replicas::PrefixOf(int replica) const {
  if (count_ == 1) return "";
  const int loop = replica % loops_;
  return StrCat("replica_", replica / loops_, loop == 0 ? "" : StrCat("_", loop), "/");
}

int Replicas::MadeFor(int replica) const {
  return replica < made_ ? replica : made_ - on_task_ + (replica - made_) % on_task_;
}

Replicas Replicas::Only(int replica) const {
  const auto r = static_cast<size_t>(replica);
  Replicas one(graph_, 1, Variables::kShared);
  one.are_apart_ = true;
  if (count_ > 1) one.number_ = replica / loops_;
  one.trained_ = trained_;
  one.loss_over_ = loss_over_;
  one.assigned_ = assigned_;
  one.devices_ = {devices_[r]};
  one.sites_ = {{.device = devices_[r], .prefix = PrefixOf(replica)}};
  one.maps_ = {maps_[r]};
  return one;
}

Replicas Replicas::AnyOf(std::vector<SubgraphMap> maps) const {
  Replicas some(graph_, static_cast<int>(maps.size()), Variables::kShared);
  some.trained_ = trained_;
  some.loss_over_ = loss_over_;
  some.assigned_ = assigned_;
  some.devices_.assign(maps.size(), devices_[0]);
  some.sites_ = {{.device = devices_[0], .prefix = ""}};
  some.maps_ = std::move(maps);
  return some;
}

Status Replicas::AddModels(JobGraphDraft& draft) {
  DF_TRY(SliceInputs(draft.spec));
  const NodeId first_gradient = graph_.num_nodes();
  DF_TRY(AddGradientsOfLoss(draft));
  ReplicaGradients gradients = {.first_gradient = first_gradient,
                                .wanted = Wanted(draft),
                                .trained = {},
                                .replicas = count_,
                                .have_own_variables = have_own_variables(),
                                .are_apart = are_apart_};
  for (const Trained& trained : trained_) gradients.trained.push_back(trained.variable);
  DF_TRY(AddRecomputation(draft, gradients, graph_));
  DF_TRY(FindAssigned(draft));
  return have_own_variables() ? AddOwnSites(draft) : AddSites(draft);
}

Status Replicas::AddEffects(JobGraphDraft& draft) const {
  DF_TRY(number_ < 0 ? AddAssignments(draft) : assigned_.AddAssignmentsOf(maps_[0], number_ == 0, draft));
  return KeepEffectsOfLoss(draft);
}

Status Replicas::SliceInputs(const JobSpec& spec) {
  if (slices_ == 1) return Status();
  for (const InputSpec& input : spec.inputs) {
    if (!input.is_sliced()) continue;
    AttrMap& attrs = graph_.mutable_node(input.read).attrs;
    DF_ASSIGN(std::vector<PartialShape> shapes, attrs.Get<std::vector<PartialShape>>("shapes"));
    for (PartialShape& shape : shapes) shape.set_dim(0, input.batch / slices_);
    attrs.Set("shapes", std::move(shapes));
    attrs.Set("slices", slices_);
  }
  return graph_.InferShapes();
}

Status Replicas::AddGradientsOfLoss(const JobGraphDraft& draft) {
  std::vector<Output> trainable;
  for (const VariableSpec& v : draft.spec.variables) {
    if (v.is_trained()) trainable.push_back({v.node, 0});
  }
  const Output loss[] = {draft.spec.train->loss};
  DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(graph_, loss, trainable));
  for (size_t i = 0; i < trainable.size(); ++i) {
    const GradientValue& gradient = gradients[i];
    if (!gradient.exists) continue;
    trained_.push_back({draft.shared.nodes.at(trainable[i].node), gradient});
  }
  if (trained_.empty()) {
    const bool freezes = !draft.spec.train->freeze.empty();
    return InvalidArgument(draft.LocationText(draft.spec.train->loss_location), "train.loss '",
                           OutputName(draft.model, loss[0]), "' depends on no trainable variable",
                           freezes ? " that 'freeze' leaves to be trained" : "", ": there is nothing to train");
  }
  return draft.spec.train->loss_over.valid() ? AddDivisor(draft, trainable) : Status();
}

// The gradient of a quotient is that of its sum, divided, where the divisor is no function of the variables.
Status Replicas::AddDivisor(const JobGraphDraft& draft, const std::vector<Output>& trainable) {
  const TrainSpec& train = *draft.spec.train;
  if (IsFloating(graph_.dtype(train.loss_over))) {
    Graph scratch = graph_.Clone();
    const Output over[] = {train.loss_over};
    DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(scratch, over, trainable));
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].exists) continue;
      return InvalidArgument(draft.LocationText(train.loss_location), "the loss is divided by '",
                             OutputName(draft.model, over[0]), "', which changes with the trained variable '",
                             draft.model.node(trainable[i].node).name,
                             "': divide in the graph, or by StopGradient of it");
    }
  }
  GraphOps ops(graph_, "train");
  const DType dtype = SumDType(graph_.dtype(train.loss));
  loss_over_ = CastTo(ops, "loss_over", train.loss_over, graph_.dtype(train.loss_over), dtype);
  return ops.status();
}

std::vector<Output> Replicas::LossOutputs(const JobGraphDraft& draft) const {
  std::vector<Output> outputs = {draft.spec.train->loss};
  if (loss_over_.valid()) outputs.push_back(loss_over_);
  return outputs;
}

std::vector<Output> Replicas::GradientOutputs() const {
  std::vector<Output> outputs;
  for (const auto& [variable, gradient] : trained_) {
    if (gradient.is_sparse) {
      outputs.insert(outputs.end(), {gradient.indices, gradient.values});
    } else {
      outputs.push_back(gradient.dense);
    }
  }
  return outputs;
}

std::vector<Output> Replicas::Wanted(const JobGraphDraft& draft) const {
  std::vector<Output> wanted = LossOutputs(draft);
  const std::vector<Output> summarized = draft.spec.summaries.Outputs();
  wanted.insert(wanted.end(), summarized.begin(), summarized.end());
  const std::vector<Output> gradients = GradientOutputs();
  wanted.insert(wanted.end(), gradients.begin(), gradients.end());
  return wanted;
}

Status Replicas::FindAssigned(const JobGraphDraft& draft) {
  DF_ASSIGN(const std::vector<NodeId> body, draft.BodyOf(graph_, Wanted(draft)));
  std::set<NodeId> of_job;
  for (const Trained& trained : trained_) of_job.insert(trained.variable);
  AssignedVariables::TrainedVariables trained{.nodes = {}, .may_be_assigned = !have_own_variables() && !are_apart_};
  for (const VariableSpec& v : draft.spec.variables) {
    if (of_job.contains(draft.shared.nodes.at(v.node))) trained.nodes.insert(v.node);
  }
  DF_ASSIGN(assigned_, AssignedVariables::Find(draft, count_, trained, body, graph_));
  return Status();
}

Result<std::vector<const VariableSpec*>> Replicas::ReadVariables(const JobGraphDraft& draft) const {
  DF_ASSIGN(const std::vector<NodeId> body, draft.BodyOf(graph_, Wanted(draft)));
  std::set<NodeId> read;
  for (const NodeId id : body) {
    for (const Output input : graph_.node(id).inputs) read.insert(input.node);
  }
  std::vector<const VariableSpec*> variables;
  for (const VariableSpec& v : draft.spec.variables) {
    if (read.contains(v.node)) variables.push_back(&v);
  }
  return variables;
}

Result<std::vector<NodeId>> Replicas::CopiedVariables(const JobGraphDraft& draft) const {
  std::vector<NodeId> variables;
  variables.reserve(trained_.size());
  for (const Trained& trained : trained_) variables.push_back(trained.variable);
  DF_ASSIGN(const std::vector<const VariableSpec*> read, ReadVariables(draft));
  for (const VariableSpec* v : read) {
    if (v->trainable && v->frozen && !assigned_.Has(v->node)) variables.push_back(draft.shared.nodes.at(v->node));
  }
  return variables;
}

Status Replicas::AddOwnSites(JobGraphDraft& draft) {
  for (int r = 0; r < count_; ++r) {
    devices_.push_back(DeviceOfReplica(draft.workers, r, count_));
    sites_.push_back({.device = devices_.back(), .prefix = StrCat("replica_", r, "/"), .replica = r});
  }
  DF_ASSIGN(const std::vector<const VariableSpec*> read, ReadVariables(draft));
  for (const VariableSpec* variable : read) DF_TRY(AddOwnVariable(*variable, draft));
  return Status();
}

// The first replica moves the position of an input itself on; the others have positions that move as it does.
Status Replicas::AddOwnVariable(const VariableSpec& spec, JobGraphDraft& draft) {
  const NodeId variable = draft.shared.nodes.at(spec.node);
  const Node node = draft.job.graph.node(variable);
  const bool is_position = std::any_of(draft.spec.inputs.begin(), draft.spec.inputs.end(),
                                       [&](const InputSpec& input) { return input.position == spec.node; });
  const bool is_trained =
      std::any_of(trained_.begin(), trained_.end(), [&](const Trained& t) { return t.variable == variable; });
  const VariableSpec* const assigned = assigned_.SpecOf(spec.node);
  ReplicatedVariable replicated{
      .variable = variable, .is_trained = is_trained, .reduce = spec.reduce, .of_replicas = {}};
  const bool is_spread = !RanksWithChoice(draft.cluster).empty();
  for (TrainingSite& site : sites_) {
    if (is_position && site.replica == 0) {
      draft.replica_of[variable] = 0;
      continue;
    }
    GraphOps ops(draft.job.graph, "", site.device);
    const Output own = ops.Add(site.prefix + node.name, "VariableV2", {},
                               {{"shape", node.output_shapes[0]}, {"dtype", node.output_types[0].dtype}});
    DF_TRY(ops.status());
    if (is_spread) draft.job.graph.mutable_node(own.node).attrs.Set(kSpreadAttr, int64_t{site.replica});
    site.copies[variable] = own.node;
    draft.copies[variable].push_back(own.node);
    draft.replica_of[own.node] = site.replica;
    replicated.of_replicas.push_back(own.node);
    if (!is_trained && assigned == nullptr) continue;  // equal to the variable at all times
    DF_TRY(draft.KeepVariable(own.node));
    draft.kept.back().of_strategy = draft.kept.back().between_syncs = true;
    draft.kept.back().copy_of = node.name;
  }
  if (is_trained || assigned != nullptr) draft.replicated.push_back(std::move(replicated));
  return Status();
}

Status Replicas::AddAssignments(JobGraphDraft& draft) const {
  const std::span<const SubgraphMap> all = maps_;
  for (size_t site = 0; site < (have_own_variables() ? all.size() : 1); ++site) {
    for (size_t i = 0; i < assigned_.count(); ++i) {
      std::vector<Output> values;
      for (const SubgraphMap& map : have_own_variables() ? all.subspan(site, 1) : all) {
        DF_ASSIGN(values.emplace_back(), assigned_.AddValue(i, map, draft));
      }
      AddForOthers(values);
      DF_TRY(assigned_.AssignReduced(i, std::move(values), sites_[site], draft));
    }
  }
  return Status();
}

Status Replicas::AddSites(JobGraphDraft& draft) {
  for (int r = 0; r < count_; ++r) devices_.push_back(DeviceOfReplica(draft.workers, r / loops_, replicas()));
  DF_ASSIGN(const std::vector<NodeId> variables, CopiedVariables(draft));
  DF_ASSIGN(sites_, AddTrainingSites(draft, devices_, variables));
  if (count_ == 1 || draft.spec.train->data_parallel == TrainSpec::DataParallel::kPs) return Status();
  for (const VariableSpec& v : draft.spec.variables) {
    const bool is_trained =
        std::find(variables.begin(), variables.end(), draft.shared.nodes.at(v.node)) != variables.end();
    if (!is_trained || !assigned_.Has(v.node)) continue;
    return InvalidArgument(
        graph_.Describe(v.node), " is trained, and each step assigns it as well, which its copies on ",
        "other tasks would not take part in: write 'trainable: false' at it, or 'data_parallel: ps'", " in 'train'");
  }
  return Status();
}

SubgraphMap Replicas::VariablesOf(int replica, const JobGraphDraft& draft) const {
  SubgraphMap map = draft.shared;
  const std::string& device = devices_[static_cast<size_t>(replica)];
  const auto site = have_own_variables()
                        ? sites_.begin() + replica
                        : std::find_if(sites_.begin(), sites_.end(), [&](const auto& s) { return s.device == device; });
  if (site == sites_.end()) return map;
  for (auto& [of_model, of_job] : map.nodes) of_job = site->Of(of_job);
  return map;
}

Status Replicas::CopyAll(JobGraphDraft& draft, const SharedWith& shared) {
  DF_ASSIGN(const std::vector<NodeId> body, draft.BodyOf(graph_, Wanted(draft)));
  const bool is_spread = count_ > 1 && !RanksWithChoice(draft.cluster).empty();
  for (int r = 0; r < made_; ++r) {
    SubgraphCopyOptions options;
    options.prefix = PrefixOf(r);
    options.device = devices_[static_cast<size_t>(r)];
    options.placement = &draft.placement;
    options.placed_prefix = options.prefix;
    options.open = &draft.job.open;
    const int slice = are_apart_ ? 0 : r;
    const int stream = r % loops_ * replicas() + r / loops_;
    options.attrs = [r, stream, slice, is_spread](const Node& node, AttrMap& attrs) {
      SetReplicaAttrs(stream, slice, node, attrs);
      if (is_spread) attrs.Set(kSpreadAttr, r);
    };
    DF_ASSIGN(SubgraphMap map, shared(r, options.device));
    DF_TRY(assigned_.AddCopies(options, draft, map));
    DF_TRY(CopySubgraph(graph_, body, options, draft.job.graph, map));
    maps_.push_back(std::move(map));
  }
  return Status();
}

Status Replicas::KeepEffectsOfLoss(JobGraphDraft& draft) const {
  DF_ASSIGN(const std::vector<NodeId> of_gradients, draft.BodyOf(graph_, GradientOutputs()));
  DF_ASSIGN(const std::vector<NodeId> of_loss, draft.BodyOf(graph_, LossOutputs(draft)));
  std::vector<bool> runs_anyway(static_cast<size_t>(graph_.num_nodes()), false);
  for (NodeId id : of_gradients) runs_anyway[id] = true;
  const bool has_effects = std::any_of(of_loss.begin(), of_loss.end(),
                                       [&](NodeId id) { return HasEffect(graph_.node(id)) && !runs_anyway[id]; });
  if (!has_effects) return Status();
  for (const Output of_replica : LossOutputs(draft)) {
    for (const Output value : Over(of_replica)) draft.job.step.signature.targets.push_back(value.node);
  }
  return Status();
}

void Replicas::AddForOthers(std::vector<Output>& values) const {
  for (int r = made_; r < count_; ++r) values.push_back(values[static_cast<size_t>(MadeFor(r))]);
}

std::vector<Output> Replicas::Over(Output of_replica) const {
  std::vector<Output> values;
  for (const SubgraphMap& map : maps_) values.push_back(map.Map(of_replica));
  AddForOthers(values);
  return values;
}

Result<Output> Replicas::LossOf(int replica, JobGraphDraft& draft) const {
  const auto r = static_cast<size_t>(replica);
  const Output loss = Over(draft.spec.train->loss)[r];
  if (!loss_over_.valid()) return loss;
  GraphOps ops(draft.job.graph, "train", devices_[r]);
  const DType from = draft.job.graph.dtype(loss);
  const Output quotient = ops.Add("loss_of_replica", "RealDiv",
                                  {CastTo(ops, "loss_wide", loss, from, SumDType(from)), Over(loss_over_)[r]});
  DF_TRY(ops.status());
  return quotient;
}

Output Replicas::Mean(GraphOps& ops, const std::string& name, Output of_replica) const {
  return MeanOf(ops, name, Over(of_replica), graph_.dtype(of_replica), made_ < count_);
}

Output Replicas::MeanOf(GraphOps& ops, const std::string& name, std::vector<Output> values, DType dtype,
                        bool have_equal) {
  if (values.size() == 1) return values[0];
  for (Output& value : values) value = CastTo(ops, name + "_wide", value, dtype, SumDType(dtype));
  std::vector<Output> sums;
  for (const ReduceGroup& group : ReduceGroups(values.size())) {
    AttrMap attrs;
    // Sums of equal inputs are to stay apart.
    if (have_equal) attrs.Set(kSumOfReplicas, static_cast<int64_t>(group.first));
    sums.push_back(ops.Add(name + "_sum", "AddN", group.Of(values), std::move(attrs)));
  }
  const Output sum = sums.size() == 1 ? sums[0] : ops.Add(name + "_sum", "AddN", sums);
  const Tensor count = ScalarOf(SumDType(dtype), static_cast<double>(values.size()));
  return ops.Add(name, "RealDiv", {sum, ops.Const(name + "_replicas", count)});
}

Result<Output> Replicas::AllReducedMean(Graph& graph, const std::string& name, Output of_replica,
                                        const std::string& device) const {
  std::vector<Output> values = Over(of_replica);
  if (values.size() == 1) return values[0];
  for (Output& value : values) {
    DF_ASSIGN(value, WidenWhereItIs(graph, value));
  }
  GraphOps ops(graph, "train");
  const Output means = ops.Add(name, "AllReduce", values, {{"reduction", "Mean"}});
  DF_TRY(ops.status());
  return Output{means.node, ReplicaOn(device)};
}

int32_t Replicas::ReplicaOn(const std::string& device) const {
  const auto there = std::find(devices_.begin(), devices_.end(), device);
  return there == devices_.end() ? 0 : static_cast<int32_t>(there - devices_.begin());
}

}  // namespace dfrun
