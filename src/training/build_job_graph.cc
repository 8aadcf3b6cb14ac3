#include "src/training/build_job_graph.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "src/base/text.h"
#include "src/graph/node_arithmetic.h"
#include "src/graph/order/ancestors.h"
#include "src/placement/device_choice.h"
#include "src/placement/placer.h"
#include "src/spec/replica_counts.h"
#include "src/training/checkpoint_nodes.h"
#include "src/training/checks/queue_liveness_check.h"
#include "src/training/checks/queue_type_check.h"
#include "src/training/copy_fetches.h"
#include "src/training/evaluation.h"
#include "src/training/fingerprint_nodes.h"
#include "src/training/given_values.h"
#include "src/training/job_graph_draft.h"
#include "src/training/kept_state.h"
#include "src/training/order/step_order.h"
#include "src/training/saved_names_check.h"
#include "src/training/strategy.h"
#include "src/training/summaries.h"
#include "src/training/update_gates.h"
#include "src/training/updates.h"
#include "src/training/variable_copies.h"
#include "src/training/variable_placement.h"
#include "src/training/wire_metrics.h"

namespace dfrun {
namespace {

// Adds every variable on its device, under its own name.
Status AddVariables(const LoadedSpec& spec, JobGraphDraft& draft) {
  DF_ASSIGN(const std::vector<std::string> devices, DevicesOfVariables(spec, draft.cluster, draft.placement));
  for (size_t i = 0; i < devices.size(); ++i) {
    const Node& node = draft.model.node(spec.job.variables[i].node);
    NodeSpec copy{node.name, node.op->name, {}, {}, node.attrs, devices[i], "", node.location};
    DF_ASSIGN(const NodeId added, draft.job.graph.AddNode(std::move(copy)));
    draft.shared.nodes[node.id] = added;
    if (MayBePlaced(spec, spec.job.variables[i])) draft.job.open.push_back(added);
    DF_TRY(draft.KeepVariable(added));
  }
  return Status();
}

// Copies what computes the first values, and enters it into `map`. Where the job is placed each is computed where its
// variable is, since the values of all may be more than one device holds.
Status CopyInitializers(JobGraphDraft& draft, SubgraphMap& map) {
  SubgraphCopyOptions options;
  options.prefix = "init/";
  options.device = draft.workers[0];
  std::vector<Output> of_model;
  for (const VariableSpec& v : draft.spec.variables) {
    of_model.push_back(v.init);
    if (draft.placement.empty()) continue;
    options.device = draft.job.graph.node(draft.shared.nodes.at(v.node)).device;
    DF_ASSIGN(const std::vector<NodeId> own, draft.BodyOf(draft.model, {v.init}));
    DF_TRY(CopySubgraph(draft.model, own, options, draft.job.graph, map));
  }
  DF_ASSIGN(const std::vector<NodeId> body, draft.BodyOf(draft.model, of_model));
  return CopySubgraph(draft.model, body, options, draft.job.graph, map);
}

Status AddInitialValues(JobGraphDraft& draft) {
  SubgraphMap map = draft.shared;
  DF_TRY(CopyInitializers(draft, map));
  Graph& graph = draft.job.graph;
  for (const VariableSpec& v : draft.spec.variables) {
    draft.initial_values.emplace_back(draft.shared.nodes.at(v.node), map.Map(v.init));
  }
  for (const auto& [variable, value] : draft.initial_values) {
    const std::string name = graph.node(variable).name;
    GraphOps ops(graph, "init", graph.node(variable).device);
    const Output assign = ops.Add(name + "/assign", "Assign", {{variable, 0}, value});
    if (!ops.status().ok()) return ops.status().Annotate(StrCat("initial value of variable '", name, "'"));
    std::vector<NodeId>& targets = draft.job.init.targets;
    const auto before = static_cast<std::ptrdiff_t>(targets.size());
    targets.push_back(assign.node);
    DF_TRY(AssignCopies(draft, variable, assign, draft.job.init));
    draft.first_assigns[variable].assign(targets.begin() + before, targets.end());
  }
  return Status();
}

// Chooses devices, by the cost of a step, for the nodes that nothing binds to one. With soft placement, a node that
// cannot be on its device moves first, with all that shares the device, before others ask where it is.
Status ChooseDevicesFor(JobGraphDraft& draft) {
  ChoiceOptions options = {.with_state = true, .soft = draft.spec.soft_placement};
  options.step = draft.job.step.signature.targets;
  for (const Output fetch : draft.job.step.signature.fetches) options.step.push_back(fetch.node);
  for (const ReplicaApart& replica : draft.apart) {
    const std::vector<NodeId>& targets = replica.step.signature.targets;
    options.step.insert(options.step.end(), targets.begin(), targets.end());
  }
  DF_TRY(ChooseDevices(draft.job.graph, draft.cluster, KernelRegistry::Builtin(), options));
  const SoftPlacement soft{draft.cluster, KernelRegistry::Builtin()};
  return options.soft ? LoosenConstraints(draft.job.graph, soft) : Status();
}

Status AddBetweenSteps(JobGraphDraft& draft) {
  const StrategyDef& strategy = FindStrategy(draft.spec.train->strategy.name());
  return strategy.add_between_steps == nullptr ? Status() : strategy.add_between_steps(draft);
}

Status OrderJobStep(JobGraphDraft& draft) {
  StepOrderOptions options = {.last = {}, .fetches_come_last = draft.spec.run.has_value()};
  for (const auto& [variable, writers] : draft.writers)
    options.last.insert(options.last.end(), writers.begin(), writers.end());
  // Summaries read before updates, as the step's own fetches do.
  RunSignature& step = draft.job.step.signature;
  RunSignature all = step;
  for (const auto& [device, messages] : draft.messages)
    all.fetches.insert(all.fetches.end(), messages.begin(), messages.end());
  DF_TRY(OrderStep(options, draft.job.graph, all));
  std::copy_n(all.fetches.begin(), step.fetches.size(), step.fetches.begin());
  return Status();
}

// Checks that every step has a value for each placeholder that it reads.
Status CheckFed(const Graph& graph, const RunSignature& signature) {
  std::set<NodeId> fed;
  for (const Output& feed : signature.feeds) fed.insert(feed.node);
  AncestorWalk walk(graph);
  for (NodeId target : signature.targets) walk.Add(target);
  for (const Output& fetch : signature.fetches) walk.Add(fetch.node);
  while (const Node* node = walk.Next()) {
    if (fed.count(node->id) != 0) continue;
    if (node->op->name == "Placeholder") {
      return InvalidArgument(graph.Describe(node->id), " has no value in the step: give it one by 'feed' of 'run' or ",
                             "'eval', or make it an input, a variable or a constant");
    }
    walk.AddSources(*node);
  }
  return Status();
}

Status AddEvaluation(const EvalSpec& eval, JobGraphDraft& draft) {
  const LoadedSpec& form = draft.evaluation;
  DF_ASSIGN(PassRequest request, FedMetricsOf(form.graph, eval));
  request.placement = &draft.placement;
  if (draft.spec.train && ReplicasOf(*draft.spec.train) > 1) request.placed_prefix = "replica_0/";
  EvaluationPass& pass = draft.job.evaluations.emplace_back();
  if (!request.fetches.empty()) {
    DF_ASSIGN(pass,
              AddPass(form.job, form.graph, request, draft.SharedWithEvaluation(), draft.workers[0], draft.job.graph));
    DF_TRY(CheckFed(draft.job.graph, pass.batch.signature));
  }
  pass.name = eval.name;
  return Status();
}

// Checks that an evaluation of the job gives the metric, and that it is a number.
Status CheckGoal(const GoalSpec& goal, std::string_view key, const JobGraphDraft& draft) {
  std::vector<std::string> names;
  for (const EvaluationPass& pass : draft.job.evaluations) {
    for (const PassMetric& metric : pass.metrics) {
      names.push_back(StrCat(pass.name, "/", metric.name));
      if (names.back() != goal.metric) continue;
      const DType dtype = draft.job.graph.dtype(pass.batch.signature.fetches[metric.value]);
      if (metric.over || dtype == DType::kBool || IsFloating(dtype) || IsInteger(dtype)) return Status();
      return InvalidArgument(draft.LocationText(goal.location), "'metric' of '", key, "' must be a number, but '",
                             goal.metric, "' is ", dtype);
    }
  }
  const std::string near = Nearest(goal.metric, names);
  return InvalidArgument(draft.LocationText(goal.location), "no evaluation of the job gives '", goal.metric,
                         "', the metric of '", key, "'",
                         names.empty() ? ", since it has none: write an 'eval:' with 'metrics'"
                                       : StrCat("; there ", names.size() == 1 ? "is " : "are ", Join(names)),
                         near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
}

Status CheckGoals(const JobGraphDraft& draft) {
  const JobSpec& spec = draft.spec;
  if (spec.train && spec.train->stop) DF_TRY(CheckGoal(spec.train->stop->goal, "stop", draft));
  if (!spec.checkpoint || !spec.checkpoint->best) return Status();
  return CheckGoal(spec.checkpoint->best->goal, "best", draft);
}

// Adds what the step does besides what the strategy has added.
Status FinishStep(JobGraphDraft& draft) {
  const bool trains = draft.spec.train.has_value();
  if (draft.apart.empty()) DF_TRY(AddInputAdvance(draft));
  DF_TRY(ChooseDevicesFor(draft));  // gates are where their variables are
  if (trains) DF_TRY(AddUpdateGates(draft));
  if (trains) DF_TRY(AddWireMetrics(draft));
  if (trains) DF_TRY(AddSummaries(draft));
  DF_TRY(OrderJobStep(draft));
  OrderWritersAfterReaders(draft);
  if (!trains) return Status();
  DF_TRY(AddWeightSummaries(draft));
  return AddBetweenSteps(draft);
}

// Checks that the graph has the nodes of a placement, and that nothing else decides where they are.
Status CheckPlacement(const NodePlacement& placement, const Graph& graph) {
  if (!placement.is_strict) return Status();
  for (const auto& [name, device] : placement.devices) {
    const NodeId id = graph.Find(name);
    if (id < 0) {
      return InvalidArgument("the placement of '", placement.source, "' has the node '", name,
                             "', which the job has not: remove its line, or place the job anew");
    }
    const Node& node = graph.node(id);
    const NodeId head = node.colocate_with.empty() ? id : graph.Find(node.colocate_with);
    const std::string& bound = head < 0 ? node.device : graph.node(head).device;
    if (bound.empty() || bound == device) continue;
    return InvalidArgument(graph.Describe(id), " must be on '", bound, "'",
                           head == id || head < 0 ? "" : StrCat(", where '", node.colocate_with, "' is"),
                           ", but the placement of '", placement.source, "' puts it on '", device,
                           "': remove its line");
  }
  return Status();
}

Result<JobGraph> BuildFrom(const LoadedSpec& spec, const Cluster& cluster, const NodePlacement& placement,
                           int made_replicas) {
  JobGraphDraft draft(spec, cluster, placement);
  draft.made_replicas = made_replicas;
  DF_TRY(AddVariables(spec, draft));
  if (spec.job.train) {
    DF_TRY(FindStrategy(spec.job.train->strategy.name()).add(draft));
  } else {
    const RunSpec& run = *spec.job.run;
    SubgraphCopyOptions options;
    options.placement = &placement;
    options.open = &draft.job.open;
    DF_TRY(CopyFetches(draft.model, {run.feeds, run.fetches, run.targets}, options, draft.shared, draft.job.graph,
                       draft.job.step));
  }
  const auto finish = spec.job.train ? FindStrategy(spec.job.train->strategy.name()).finish : nullptr;
  if (finish == nullptr) {
    DF_TRY(FinishStep(draft));
  } else {
    DF_TRY(ChooseDevicesFor(draft));
    DF_TRY(finish(draft));
  }
  std::vector<const RunSignature*> runs = {&draft.job.step.signature};
  for (const ReplicaApart& replica : draft.apart) runs.push_back(&replica.step.signature);
  for (const RunSignature* run : runs) DF_TRY(CheckFed(draft.job.graph, *run));
  for (const EvalSpec& eval : draft.evaluation.job.evals) DF_TRY(AddEvaluation(eval, draft));
  DF_TRY(CheckGoals(draft));
  DF_TRY(CheckQueueElements(draft.job.graph));
  DF_TRY(CheckSaveOps(draft.job.graph));
  for (const EvaluationPass& pass : draft.job.evaluations) {
    runs.push_back(&pass.batch.signature);
    if (pass.rest) runs.push_back(&pass.rest->signature);
  }
  DF_TRY(CheckQueuesServed(draft.job.graph, runs,
                           "name what does so in 'targets' of 'run', or let the step depend on it"));
  DF_TRY(CheckQueuesEmptied(draft.job.graph, runs, spec.job.train ? spec.job.train->steps : spec.job.run->steps));
  DF_TRY(KeepState(draft));
  DF_TRY(AddFingerprints(draft));
  DF_TRY(AddInitialValues(draft));
  DF_TRY(AddGivenValues(spec, draft));
  DF_TRY(AddSaveAndRestore(draft));
  if (spec.job.checkpoint) DF_TRY(CheckSavable(draft.job.graph, draft.job.kept));
  DF_TRY(FinishSummaries(draft));
  DF_TRY(ChooseDevicesFor(draft));  // for evaluation, initialisation and restoring
  SetArithmetic(spec.job.arithmetic, draft.job.graph);
  DF_TRY(CheckPlacement(placement, draft.job.graph));
  return std::move(draft.job);
}

Result<LoadedSpec> GrantedBy(const LoadedSpec& spec, const Cluster& cluster) {
  LoadedSpec granted{spec.job, spec.graph.Clone(), spec.values, spec.training};
  DF_TRY(DropUnmatchedConstraints(granted.graph, cluster));
  return granted;
}

// Devices that the spec names are wishes: those that there are not are as if it did not name them.
Result<JobGraph> BuildSoftly(const LoadedSpec& spec, const Cluster& cluster, const NodePlacement& placement,
                             int made_replicas) {
  DF_ASSIGN(LoadedSpec granted, GrantedBy(spec, cluster));
  if (spec.other != nullptr) {
    DF_ASSIGN(LoadedSpec other, GrantedBy(*spec.other, cluster));
    granted.other = std::make_shared<LoadedSpec>(std::move(other));
  }
  return BuildFrom(granted, cluster, placement, made_replicas);
}

}  // namespace

std::vector<JobTasks> TasksOf(const JobSpec& job) {
  std::vector<JobTasks> tasks;
  for (const JobSize& size : job.jobs) tasks.push_back({size.job, size.tasks});
  return tasks;
}

Status AsSpecError(const std::string& path, const Status& status) {
  switch (status.code()) {
    case Code::kInvalidArgument:
    case Code::kNotFound:
    case Code::kFailedPrecondition:
    case Code::kOutOfRange:
    case Code::kUnimplemented:
    case Code::kAlreadyExists:
      break;
    default:
      return status;
  }
  // Nodes name their location in it themselves.
  const bool has_location =
      status.message().find(".yaml:") != std::string::npos || status.message().find(".yml:") != std::string::npos;
  return Error(Code::kBadSpec, has_location ? "" : path + ":1:1: ", status.message());
}

Result<JobGraph> BuildJobGraph(const LoadedSpec& spec, const Cluster& cluster, const NodePlacement& placement,
                               int made_replicas) {
  return spec.job.soft_placement ? BuildSoftly(spec, cluster, placement, made_replicas)
                                 : BuildFrom(spec, cluster, placement, made_replicas);
}

}  // namespace dfrun
