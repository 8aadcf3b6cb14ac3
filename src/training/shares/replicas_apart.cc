#include "src/training/shares/replicas_apart.h"

#include <algorithm>
#include <utility>

#include "src/graph/order/ancestors.h"
#include "src/training/learning_rate.h"
#include "src/training/order/step_order.h"
#include "src/training/rank_devices.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/shares/replica_reads.h"
#include "src/training/shares/update_turns.h"
#include "src/training/update_gates.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

// Histograms, images and the like would be of one share.
Status CheckSummaries(const JobGraphDraft& draft) {
  const SummariesSpec& spec = draft.spec.summaries;
  const bool has_others = !spec.weights.empty() || !spec.gradients.empty() || !spec.values.empty() ||
                          !spec.images.empty() || !spec.audio.empty() || !spec.text.empty() || !spec.pr_curves.empty();
  if (!has_others) return Status();
  return InvalidArgument(draft.LocationText(spec.location), "with 'strategy: async' of 'train' summaries are scalars: ",
                         "leave out the others, or write 'strategy: sync'");
}

Status CheckReport(const JobGraphDraft& draft, const JobStep& step) {
  for (size_t i = 0; i < step.names.size(); ++i) {
    const DType dtype = draft.job.graph.dtype(step.signature.fetches[i]);
    if (!IsFloating(dtype) && !IsInteger(dtype)) {
      return InvalidArgument(draft.LocationText(draft.spec.summaries.location), "the summary '", step.names[i], "' is ",
                             dtype, ", and with 'strategy: async' of 'train' summaries are real numbers");
    }
  }
  return Status();
}

// Adds the replicas of one draft.
class Builder {
 public:
  Builder(const ApartOptions& options, JobGraphDraft& draft) : options_(options), draft_(draft) {}

  Status Run() {
    DF_TRY(CheckSummaries(draft_));
    DF_ASSIGN(home_, HostOf(draft_.cluster, draft_.workers[0]));
    GraphOps ops(draft_.job.graph, "train", home_);
    const Output counter = ops.Add("shares", "_ShareTokens", {}, {{"shared_name", "train/shares"}});
    DF_TRY(ops.status());
    ReplicaReads reads(draft_, counter, home_);
    draft_.job.apart.emplace();
    draft_.apart.resize(static_cast<size_t>(options_.replicas * options_.loops));
    DF_ASSIGN(const Replicas replicas,
              Replicas::AddApart(draft_, {options_.replicas, options_.loops, options_.replicas},
                                 [&](int r, const std::string& device) { return reads.Add(r, device); }));
    reads.ShareTables(replicas);
    AddedVariables slots;
    for (int r = 0; r < replicas.count(); ++r) DF_TRY(AddReplica(r, replicas.Only(r), slots));
    DF_TRY(reads.KeepUsed());
    return DescribeStep();
  }

 private:
  Status AddReplica(int number, const Replicas& replica, AddedVariables& slots) {
    ReplicaApart& of = draft_.apart[static_cast<size_t>(number)];
    draft_.job.checked_names.clear();
    draft_.applied.clear();
    draft_.summarized.clear();
    of.first_node = draft_.job.graph.num_nodes();
    DF_TRY(replica.AddEffects(draft_));
    DF_ASSIGN(const Output rate, AddLearningRate(replica, of.device, of.token, draft_));
    DF_TRY(FetchScalars(replica, draft_));
    DF_TRY(AddUpdates(draft_, replica, rate, slots));
    of.end_node = draft_.job.graph.num_nodes();
    of.step = std::exchange(draft_.job.step, {});
    of.loss = draft_.loss;
    of.checked = std::exchange(draft_.checked, {});
    of.writers = std::exchange(draft_.writers, {});
    return CheckReport(draft_, of.step);
  }

  // Describes the report of a step, and the inputs that it moves on.
  Status DescribeStep() {
    JobStep& step = draft_.job.step;
    step = draft_.apart[0].step;
    const InputSpec* const train_input = InputOfShares(draft_.spec);
    for (size_t i = 0; train_input != nullptr && i < draft_.spec.inputs.size(); ++i) {
      const InputSpec& input = draft_.spec.inputs[i];
      if (!input.all && input.position == train_input->position) draft_.job.advancing.push_back(i);
    }
    return Status();
  }

  const ApartOptions& options_;
  JobGraphDraft& draft_;
  std::string home_;
};

// Orders the nodes of one replica, which fetches nothing. The graph has the nodes of all replicas: the order is found
// in a graph of its own nodes, so that the time is in proportion to these.
Status OrderOwn(const StepOrderOptions& order, const RunSignature& signature, Graph& graph) {
  AncestorWalk walk(graph);
  for (const NodeId target : signature.targets) walk.Add(target);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  std::vector<NodeId> own_of;
  Graph own = graph.Subset(walk.added(), &own_of);
  const auto own_ids = [&](const std::vector<NodeId>& ids) {
    std::vector<NodeId> found;
    for (const NodeId id : ids) found.push_back(own_of[static_cast<size_t>(id)]);
    return found;
  };
  const StepOrderOptions own_order = {.last = own_ids(order.last), .fetches_come_last = order.fetches_come_last};
  RunSignature own_signature;
  own_signature.targets = own_ids(signature.targets);
  DF_TRY(OrderStep(own_order, own, own_signature));
  std::vector<NodeId> of_own;
  for (NodeId id = 0; id < static_cast<NodeId>(own_of.size()); ++id) {
    if (own_of[static_cast<size_t>(id)] >= 0) of_own.push_back(id);
  }
  for (const Node& node : own.nodes()) {
    Node& ordered = graph.mutable_node(of_own[static_cast<size_t>(node.id)]);
    ordered.attrs = node.attrs;
    for (const NodeId control : node.control_inputs)
      graph.AddControlEdge(of_own[static_cast<size_t>(control)], ordered.id);
  }
  return Status();
}

// Adds what ends the steps of one draft's replicas, and begins and ends their periods.
class Finisher {
 public:
  Finisher(const ApartOptions& options, JobGraphDraft& draft)
      : options_(options), draft_(draft), graph_(draft.job.graph), turns_(draft, options.max_staleness == 0) {}

  Status Run() {
    DF_ASSIGN(home_, HostOf(draft_.cluster, draft_.workers[0]));
    ReplicasApart& apart = *draft_.job.apart;
    apart.in_turn = options_.max_staleness == 0;
    for (const Output value : draft_.apart[0].step.signature.fetches) apart.dtypes.push_back(graph_.dtype(value));
    JobStep& step = draft_.job.step;
    step.signature.targets.clear();
    apart.replicas = options_.replicas;
    for (int r = 0; r < static_cast<int>(draft_.apart.size()); ++r) {
      DF_TRY(AddEnd(r, draft_.apart[static_cast<size_t>(r)]));
      const RunSignature& own = apart.steps.back();
      step.signature.targets.insert(step.signature.targets.end(), own.targets.begin(), own.targets.end());
    }
    return AddPeriod(apart);
  }

 private:
  Status AddEnd(int number, ReplicaApart& replica) {
    DF_ASSIGN(const Output found, AddGatesOf(replica, draft_));
    DF_ASSIGN(std::vector<NodeId> updated, turns_.Add(number, replica));
    RunSignature& signature = replica.step.signature;
    DF_ASSIGN(const std::string host, HostOf(draft_.cluster, replica.device));
    GraphOps ops(graph_, "train", host);
    std::vector<Output> values = {found};
    values.insert(values.end(), signature.fetches.begin(), signature.fetches.end());
    // The report tells of the updates on the replica's own rank, so that these need no message.
    const auto elsewhere = std::stable_partition(updated.begin(), updated.end(), [&](NodeId id) {
      const Result<std::string> there = HostOf(draft_.cluster, graph_.node(id).device);
      return there.ok() && *there == host;
    });
    const Output report = ops.Add("report", "_PackShare", std::move(values), {}, {updated.begin(), elsewhere});
    ops.set_device(home_);
    const Output end = ops.Add("end_share", "_EndShare", {replica.counter, replica.token, report},
                               {{"replica", int64_t{number}}}, {elsewhere, updated.end()});
    DF_TRY(ops.status());
    signature.targets.push_back(end.node);
    signature.fetches.clear();
    StepOrderOptions order = {.last = {}, .fetches_come_last = false};
    for (const auto& [variable, writers] : replica.writers)
      order.last.insert(order.last.end(), writers.begin(), writers.end());
    DF_TRY(OrderOwn(order, signature, graph_));
    draft_.job.apart->steps.push_back(signature);
    return Status();
  }

  // Shares behind each other that are not finite, after which the job ends; 0: it goes on.
  int64_t MostSkipped() const {
    const TrainSpec& train = *draft_.spec.train;
    if (train.on_nan == TrainSpec::OnNan::kStop) return 1;
    if (train.on_nan != TrainSpec::OnNan::kSkip) return 0;
    return std::min(train.most_skipped, train.steps * options_.replicas);
  }

  Status AddPeriod(ReplicasApart& apart) {
    GraphOps ops(graph_, "train/period", home_);
    const Output counter = draft_.apart[0].counter;
    const PartialShape shape({ReplicasApart::kPeriod});
    const Output steps = ops.Add("steps", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", shape}});
    const InputSpec* const input = InputOfShares(draft_.spec);
    const Output position = input == nullptr ? ops.Const("position", Tensor::Scalar<int64_t>(0))
                                             : Output{draft_.shared.nodes.at(input->position), 0};
    const AttrMap attrs = {{"replicas", int64_t{options_.replicas}},
                           {"takers", static_cast<int64_t>(draft_.apart.size())},
                           {"max_staleness", options_.max_staleness},
                           {"rows", input == nullptr ? int64_t{0} : input->batch / options_.replicas},
                           {"values", static_cast<int64_t>(apart.dtypes.size())},
                           {"most_skipped", MostSkipped()},
                           {"log_every", std::max<int64_t>(draft_.spec.train->log_every, 1)},
                           {"last_step", draft_.spec.train->steps}};
    apart.open.feeds = {steps};
    apart.open.feed_shapes = {shape};
    apart.open.targets = {ops.Add("open", "_OpenShares", {counter, steps, position}, attrs).node};
    DF_TRY(turns_.AddOpen(steps, apart.open));
    const Output share = ops.Add("share", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", Shape()}});
    apart.again = apart.open;
    apart.again.feeds.push_back(share);
    apart.again.feed_shapes.push_back(PartialShape::Scalar());
    apart.again.targets[0] = ops.Add("again", "_OpenShares", {counter, steps, share}, attrs).node;
    const Output lines = ops.Add("lines", "_ShareLines", {counter});
    apart.lines.fetches = {lines, {lines.node, 1}};
    const Output closed = ops.Add("close", "_CloseShares", {counter});
    apart.close.fetches = {closed, {closed.node, 2}};
    if (input != nullptr) {
      const Output moved = ops.Add("position", "Assign", {position, {closed.node, 1}});
      apart.close.targets = {moved.node};
    }
    return ops.status();
  }

  const ApartOptions& options_;
  JobGraphDraft& draft_;
  Graph& graph_;
  UpdateTurnNodes turns_;
  std::string home_;
};

}  // namespace

Status AddReplicasApart(const ApartOptions& options, JobGraphDraft& draft) {
  return Builder(options, draft).Run();
}

Status FinishReplicasApart(const ApartOptions& options, JobGraphDraft& draft) {
  return Finisher(options, draft).Run();
}

}  // namespace dfrun
