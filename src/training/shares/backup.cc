#include "src/training/shares/backup.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/update_gate.h"
#include "src/graph/wire_compression.h"
#include "src/training/learning_rate.h"
#include "src/training/order/step_order.h"
#include "src/training/rank_devices.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/shares/join_writers.h"
#include "src/training/shares/replica_reads.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

// A value of each share, which a rank with variables takes.
struct SharedValue {
  Output of_model;           // in the graph of one replica; not valid: the value of `assigned`
  size_t assigned = 0;       // a number of AssignedVariables
  bool is_gradient = false;  // may travel compressed
  DType dtype = DType::kFloat;
  PartialShape shape;
  std::vector<Output> of_shares = {};  // outputs of the node that takes it
};

// The values that the shares send to one rank.
struct Inbox {
  Output handle;
  std::vector<SharedValue> values;
};

class BackupBuilder {
 public:
  BackupBuilder(int replicas, int backup, JobGraphDraft& draft)
      : replicas_(replicas), backup_(backup), draft_(draft), graph_(draft.job.graph) {}

  Status Run() {
    DF_ASSIGN(home_, HostOf(draft_.cluster, draft_.workers[0]));
    GraphOps ops(graph_, "train", home_);
    const Output counter = ops.Add("shares", "_BackupShares", {}, {{"shared_name", "train/shares"}});
    DF_TRY(ops.status());
    ReplicaReads reads(draft_, counter, home_);
    const int count = replicas_ + backup_;
    draft_.job.apart.emplace();
    draft_.apart.resize(static_cast<size_t>(count));
    DF_ASSIGN(const Replicas all, Replicas::AddApart(draft_, {.count = count, .slices = replicas_},
                                                     [&](int r, const std::string& d) { return reads.Add(r, d); }));
    reads.ShareTables(all);
    DF_TRY(FindValues(all));
    NameChecked(all);
    for (int r = 0; r < count; ++r) DF_TRY(AddReplica(r, all));
    DF_TRY(reads.KeepUsed());
    return AddStep(all);
  }

 private:
  // Notes that the rank of a device takes an output of each share, unless one does already.
  Status Take(const std::string& device, Output of_model, const Graph& model, bool is_gradient) {
    for (const auto& [host, inbox] : inboxes_) {
      for (const SharedValue& value : inbox.values) {
        if (value.of_model == of_model) return Status();
      }
    }
    DF_ASSIGN(const std::string host, HostOf(draft_.cluster, device));
    inboxes_[host].values.push_back({.of_model = of_model,
                                     .is_gradient = is_gradient,
                                     .dtype = model.dtype(of_model),
                                     .shape = model.shape(of_model)});
    return Status();
  }

  Status FindValues(const Replicas& all) {
    const Graph& model = all.graph();
    DF_TRY(Take(home_, draft_.spec.train->loss, model, false));
    if (all.loss_over().valid()) DF_TRY(Take(home_, all.loss_over(), model, false));
    for (const Output output : draft_.spec.summaries.Outputs()) DF_TRY(Take(home_, output, model, false));
    for (const auto& [variable, gradient] : all.trained()) {
      const std::string device = graph_.node(variable).device;
      if (gradient.is_sparse) {
        DF_TRY(Take(device, gradient.indices, model, false));
        DF_TRY(Take(device, gradient.values, model, true));
      } else {
        DF_TRY(Take(device, gradient.dense, model, true));
      }
    }
    for (size_t i = 0; i < all.assigned().count(); ++i) {
      const Node& variable = graph_.node(draft_.shared.nodes.at(all.assigned().variable(i)));
      DF_ASSIGN(const std::string host, HostOf(draft_.cluster, variable.device));
      inboxes_[host].values.push_back(
          {.of_model = {}, .assigned = i, .dtype = variable.output_types[0].dtype, .shape = variable.output_shapes[0]});
    }
    for (auto& [host, inbox] : inboxes_) {
      GraphOps ops(graph_, "train", host);
      inbox.handle = ops.Add("inbox", "_ShareInbox", {}, {{"shared_name", "train/inbox"}});
      DF_TRY(ops.status());
    }
    return Status();
  }

  void NameChecked(const Replicas& all) {
    std::vector<std::string>& names = draft_.job.apart->checked_names;
    names = {"the loss"};
    for (const Replicas::Trained& trained : all.trained())
      names.push_back(StrCat("the gradient of variable '", graph_.node(trained.variable).name, "'"));
  }

  // The number of the first of the replica's values that is not finite.
  Result<Output> AddFinding(const SubgraphMap& map, const Replicas& all) {
    const Output loss = map.Map(draft_.spec.train->loss);
    std::vector<Output> values = {loss};
    for (const Replicas::Trained& trained : all.trained())
      values.push_back(map.Map(trained.gradient.is_sparse ? trained.gradient.values : trained.gradient.dense));
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < values.size(); ++i) numbers.push_back(static_cast<int64_t>(i) + 1);
    GraphOps ops(graph_, "train", graph_.node(loss.node).device);
    const Output found = ops.Add("finite", kFirstNotFiniteOp, std::move(values), {{"numbers", std::move(numbers)}});
    DF_TRY(ops.status());
    graph_.mutable_node(found.node).colocate_with = graph_.node(loss.node).name;
    return found;
  }

  Status AddReplica(int number, const Replicas& all) {
    const SubgraphMap& map = all.map(number);
    ReplicaApart& replica = draft_.apart[static_cast<size_t>(number)];
    DF_TRY(all.Only(number).KeepEffectsOfLoss(draft_));
    replica.step = std::exchange(draft_.job.step, {});
    DF_ASSIGN(const Output found, AddFinding(map, all));
    GraphOps at_home(graph_, "train", home_);
    const Output named =
        at_home.Add("offer", "_OfferShare", {replica.counter, replica.token, found}, {{"replica", int64_t{number}}});
    DF_TRY(at_home.status());
    replica.step.signature.targets.push_back(named.node);
    for (const auto& [host, inbox] : inboxes_) DF_TRY(AddSending(inbox, host, named, map, all, replica));
    return Status();
  }

  Status AddSending(const Inbox& inbox, const std::string& host, Output named, const SubgraphMap& map,
                    const Replicas& all, ReplicaApart& replica) {
    // A node a kind of values: those that may travel compressed say so.
    const bool compresses = draft_.spec.train->strategy.flag("compress_gradients");
    std::vector<Output> whole = {named};
    std::vector<Output> cut = {named};
    std::vector<std::pair<bool, int32_t>> places;  // by value: whether it is cut, and where it stands
    for (const SharedValue& value : inbox.values) {
      Output output;
      if (value.of_model.valid()) {
        output = map.Map(value.of_model);
      } else {
        DF_ASSIGN(output, all.assigned().AddValue(value.assigned, map, draft_));
      }
      const bool is_cut = compresses && value.is_gradient;
      std::vector<Output>& kind = is_cut ? cut : whole;
      places.emplace_back(is_cut, static_cast<int32_t>(kind.size()) - 1);
      kind.push_back(output);
    }
    DF_ASSIGN(std::string there, HostOf(draft_.cluster, replica.device));
    GraphOps ops(graph_, "train", std::move(there));
    const auto keep = [&](std::vector<Output> values, bool is_cut) {
      if (values.size() == 1) return Output();
      AttrMap attrs;
      if (is_cut) MarkCompressed(attrs);
      return ops.Add("kept", "_KeepNamed", std::move(values), std::move(attrs));
    };
    const Output kept_whole = keep(std::move(whole), false);
    const Output kept_cut = keep(std::move(cut), true);
    std::vector<Output> put = {inbox.handle, named};
    for (const auto& [is_cut, port] : places) put.push_back({(is_cut ? kept_cut : kept_whole).node, port});
    ops.set_device(host);
    const Output done = ops.Add("put", "_PutShare", std::move(put));
    DF_TRY(ops.status());
    replica.step.signature.targets.push_back(done.node);
    return Status();
  }

  // Adds the job's step, by the values of the shares named.
  Status AddStep(const Replicas& all) {
    std::vector<SubgraphMap> maps(static_cast<size_t>(replicas_));
    std::vector<std::pair<size_t, std::vector<Output>>> assigned;
    for (auto& [host, inbox] : inboxes_) {
      std::vector<DType> dtypes;
      std::vector<PartialShape> shapes;
      for (const SharedValue& value : inbox.values) {
        dtypes.insert(dtypes.end(), static_cast<size_t>(replicas_), value.dtype);
        shapes.insert(shapes.end(), static_cast<size_t>(replicas_), value.shape);
      }
      GraphOps ops(graph_, "train", host);
      const Output of_all =
          ops.Add("taken", "_TakeShares", {inbox.handle},
                  {{"shares", int64_t{replicas_}}, {"T", std::move(dtypes)}, {"shapes", std::move(shapes)}});
      DF_TRY(ops.status());
      draft_.job.step.signature.targets.push_back(of_all.node);
      int32_t port = 0;
      for (SharedValue& value : inbox.values) {
        for (int r = 0; r < replicas_; ++r) value.of_shares.push_back({of_all.node, port++});
        if (!value.of_model.valid()) {
          assigned.emplace_back(value.assigned, value.of_shares);
          continue;
        }
        for (size_t r = 0; r < maps.size(); ++r)
          maps[r].outputs[SubgraphMap::OutputKey(value.of_model)] = value.of_shares[r];
      }
    }
    const Replicas named = all.AnyOf(std::move(maps));
    for (auto& [i, values] : assigned)
      DF_TRY(all.assigned().AssignReduced(i, std::move(values), named.sites()[0], draft_));
    DF_ASSIGN(const Output learning_rate, AddLearningRate(named, home_, {}, draft_));
    DF_TRY(FetchScalars(named, draft_));
    DF_TRY(AddUpdates(draft_, named, learning_rate));
    draft_.job.apart->replicas = replicas_;
    draft_.job.apart->backup = backup_;
    const InputSpec* const input = InputOfShares(draft_.spec);
    for (size_t i = 0; input != nullptr && i < draft_.spec.inputs.size(); ++i) {
      const InputSpec& other = draft_.spec.inputs[i];
      if (!other.all && other.position == input->position) draft_.job.advancing.push_back(i);
    }
    return Status();
  }

  const int replicas_;
  const int backup_;
  JobGraphDraft& draft_;
  Graph& graph_;
  std::string home_;
  std::map<std::string, Inbox> inboxes_;  // by the rank's CPU
};

// Adds what ends a step, and begins and ends periods.
class BackupFinisher {
 public:
  explicit BackupFinisher(JobGraphDraft& draft)
      : draft_(draft), graph_(draft.job.graph), apart_(*draft.job.apart), counter_(draft.apart[0].counter) {}

  Status Run() {
    DF_TRY(EndStep());
    for (ReplicaApart& replica : draft_.apart) {
      RunSignature& signature = replica.step.signature;
      DF_TRY(OrderStep({.last = {}, .fetches_come_last = false}, graph_, signature));
      apart_.steps.push_back(signature);
    }
    return AddPeriod();
  }

 private:
  std::string home() const { return graph_.node(counter_.node).device; }

  Status EndStep() {
    DF_ASSIGN(std::vector<NodeId> updated, JoinWriters(draft_.writers, graph_));
    GraphOps ops(graph_, "train", home());
    const Output end = ops.Add("end_step", "_EndSharesStep", {counter_}, {}, std::move(updated));
    DF_TRY(ops.status());
    draft_.job.step.signature.targets.push_back(end.node);
    return Status();
  }

  Status AddPeriod() {
    const InputSpec* const input = InputOfShares(draft_.spec);
    const int64_t rows = input == nullptr ? 0 : input->batch / apart_.replicas;
    const int64_t most_returned = apart_.replicas + apart_.backup;
    GraphOps ops(graph_, "train/period", home());
    const Output steps = ops.Add("steps", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape({2})}});
    const Shape shape({most_returned, 2});
    Tensor none(DType::kInt64, shape);
    std::fill_n(none.data<int64_t>(), none.num_elements(), 0);
    const Output no_shares = ops.Const("none", std::move(none));
    Output position = ops.Const("no_position", Tensor::Scalar<int64_t>(0));
    Output returned = no_shares;
    if (input != nullptr) {
      position = {draft_.shared.nodes.at(input->position), 0};
      GraphOps own(graph_, "", home());
      returned = own.Add(input->name + "/returned", "VariableV2", {}, {{"shape", shape}, {"dtype", DType::kInt64}});
      DF_TRY(own.status());
      draft_.initial_values.emplace_back(returned.node, no_shares);
      DF_TRY(draft_.KeepVariable(returned.node));
      draft_.kept.back().of_strategy = true;
      apart_.returned = graph_.node(returned.node).name;
    }
    const AttrMap attrs = {{"replicas", int64_t{apart_.replicas}},
                           {"backup", int64_t{apart_.backup}},
                           {"rows", rows},
                           {"steps", draft_.spec.train->steps}};
    apart_.open.feeds = {steps};
    apart_.open.feed_shapes = {PartialShape({2})};
    apart_.open.targets = {ops.Add("open", "_OpenBackup", {counter_, steps, position, returned}, attrs).node};
    const Output share = ops.Add("share", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", Shape()}});
    apart_.again.feeds = {steps, share};
    apart_.again.feed_shapes = {PartialShape({2}), PartialShape::Scalar()};
    apart_.again.targets = {ops.Add("again", "_OpenBackup", {counter_, steps, share, no_shares}, attrs).node};
    AddInboxes(ops);
    ops.set_device(home());
    apart_.lines.fetches = {ops.Add("use", "_BackupUse", {counter_})};
    apart_.named.fetches = {ops.Add("named", "_NamedShares", {counter_})};
    const Output closed =
        ops.Add("close", "_CloseBackup", {counter_}, {{"rows", rows}, {"most_returned", most_returned}});
    apart_.close.fetches = {Output{closed.node, 1}};
    if (input != nullptr) {
      apart_.close.targets = {ops.Add("position", "Assign", {position, closed}).node,
                              ops.Add("returned", "Assign", {returned, {closed.node, 1}}).node};
    }
    return ops.status();
  }

  void AddInboxes(GraphOps& ops) {
    const NodeId count = graph_.num_nodes();
    for (NodeId id = 0; id < count; ++id) {
      if (graph_.node(id).op->name != "_ShareInbox") continue;
      ops.set_device(graph_.node(id).device);
      const auto add = [&](bool opens) {
        return ops.Add(opens ? "open_inbox" : "close_inbox", "_OpenInbox", {{id, 0}}, {{"open", opens}}).node;
      };
      const NodeId opens = add(true);
      apart_.open.targets.push_back(opens);
      apart_.again.targets.push_back(opens);
      apart_.abort.targets.push_back(add(false));
    }
  }

  JobGraphDraft& draft_;
  Graph& graph_;
  ReplicasApart& apart_;
  const Output counter_;
};

}  // namespace

Status AddWithBackup(int replicas, int backup, JobGraphDraft& draft) {
  return BackupBuilder(replicas, backup, draft).Run();
}

Status FinishWithBackup(JobGraphDraft& draft) {
  return BackupFinisher(draft).Run();
}

}  // namespace dfrun
