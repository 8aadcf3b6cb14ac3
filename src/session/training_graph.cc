#include "src/session/training_graph.h"

#include <algorithm>
#include <map>

#include "src/autodiff/gradients.h"
#include "src/session/graph_ops.h"
#include "src/session/optimizer.h"
#include "src/session/stamp.h"
#include "src/session/variable_homes.h"

namespace dfrun {
namespace {

Tensor ScalarOf(DType dtype, double value) {
  Tensor t(dtype, Shape());
  VisitDType<float, double, bfloat16, float16>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *t.data<T>() = static_cast<T>(static_cast<float>(value));
    if constexpr (std::is_same_v<T, double>) *t.data<T>() = value;
  });
  return t;
}

// True where the constraints alone say that the two cannot be on one device.
bool IsOnAnotherDevice(const Node& a, const Node& b) {
  const Result<DeviceName> first = DeviceName::Parse(a.device);
  const Result<DeviceName> second = DeviceName::Parse(b.device);
  return first.ok() && second.ok() && a.colocate_with.empty() && !first->Merge(*second).ok();
}

// A replica's view of the spec's graph: readers give a slice of the batch, gradients of the loss are added.
struct ReplicaModel {
  Graph graph;
  std::vector<VariableSpec> trained;     // those that have a gradient
  std::vector<GradientValue> gradients;  // of `trained`
};

class Builder {
 public:
  Builder(const LoadedSpec& spec, const Cluster& cluster)
      : spec_(spec), cluster_(cluster), model_(spec.graph), workers_(WorkerDevices(cluster)) {}

  Result<JobGraph> Build();

 private:
  Status AddSharedNodes();
  Status AddRun();
  Status AddTraining();
  Result<ReplicaModel> MakeReplicaModel();
  Status StampReplicas(const ReplicaModel& replica);
  Status AddUpdates(const ReplicaModel& replica);
  Output MeanOverReplicas(GraphOps& ops, const std::string& name, const std::vector<Output>& values);
  std::vector<Output> OverReplicas(Output of_replica_graph) const;
  void ScaleToClipNorm(double clip_norm, std::map<NodeId, Output>& gradients);
  Output LearningRate(DType dtype, const std::string& device);
  Status OrderUpdatesAfterReaders();
  Status AddScalars(const ReplicaModel& replica);
  Status AddInputAdvance();
  Status AddEvaluation();
  Status AddInit();
  Status AddSaveAndRestore();

  Output AddVariable(const std::string& name, Output like, bool scalar, double value);

  const LoadedSpec& spec_;
  const Cluster& cluster_;
  const Graph& model_;
  const std::vector<std::string> workers_;
  JobGraph job_;
  StampMap shared_;                                        // variables, as the spec's graph knows them
  std::vector<StampMap> replicas_;                         // the replica graph's nodes, a map a replica
  std::vector<NodeId> variables_;                          // all, slots included, in job_.graph
  std::vector<std::pair<NodeId, Output>> initial_values_;  // of job_.graph
  std::map<NodeId, std::vector<NodeId>> updates_;          // by variable: the nodes that write it in a step
  Output learning_rate_;
};

Result<JobGraph> Builder::Build() {
  job_.graph.files() = model_.files();
  DF_TRY(AddSharedNodes());
  if (spec_.job.train) {
    DF_TRY(AddTraining());
  } else {
    DF_TRY(AddRun());
  }
  if (spec_.job.eval) DF_TRY(AddEvaluation());
  DF_TRY(AddInit());
  DF_TRY(AddSaveAndRestore());
  return std::move(job_);
}

// Every variable on its home, under its own name.
Status Builder::AddSharedNodes() {
  DF_ASSIGN(const std::vector<std::string> homes, HomesOfVariables(spec_, cluster_));
  for (size_t i = 0; i < homes.size(); ++i) {
    const Node& node = model_.node(spec_.job.variables[i].node);
    NodeSpec copy{node.name, node.op->name, {}, {}, node.attrs, homes[i], "", node.place};
    DF_ASSIGN(const NodeId added, job_.graph.AddNode(std::move(copy)));
    shared_.nodes[node.id] = added;
    variables_.push_back(added);
  }
  return Status();
}

// `run:` as it stands: its feeds are values of the same graph, taken in the place of what they feed.
Status Builder::AddRun() {
  const RunSpec& run = *spec_.job.run;
  const std::vector<bool> nowhere(static_cast<size_t>(model_.num_nodes()), false);
  StampMap map = shared_;
  std::vector<Output> values;
  for (const FeedSpec& feed : run.feeds) values.push_back(feed.value);
  DF_ASSIGN(const std::vector<NodeId> fed, Ancestors(model_, values, nowhere));
  DF_TRY(Stamp(model_, fed, {}, job_.graph, map));
  for (const FeedSpec& feed : run.feeds) map.outputs[StampMap::OutputKey(feed.target)] = map.Map(feed.value);
  std::vector<Output> wanted;
  for (const FetchSpec& fetch : run.fetches) wanted.push_back(fetch.output);
  DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model_, wanted, nowhere, &map));
  DF_TRY(Stamp(model_, body, {}, job_.graph, map));
  for (const FetchSpec& fetch : run.fetches) {
    job_.step.signature.fetches.push_back(map.Map(fetch.output));
    job_.step.names.push_back(fetch.name);
  }
  return AddInputAdvance();
}

Status Builder::AddTraining() {
  const TrainSpec& train = *spec_.job.train;
  DF_ASSIGN(const ReplicaModel replica, MakeReplicaModel());
  DF_TRY(StampReplicas(replica));
  if (train.learning_rate.kind != ScheduleSpec::Kind::kConstant || train.learning_rate.warmup > 0) {
    GraphOps ops(job_.graph, "train", workers_[0]);
    learning_rate_ = ops.Add("learning_rate", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", Shape()}});
    DF_TRY(ops.status());
    job_.feeds_learning_rate = true;
    job_.step.signature.feeds = {learning_rate_};
    job_.step.signature.feed_shapes = {PartialShape::Scalar()};
  }
  DF_TRY(AddScalars(replica));
  DF_TRY(AddUpdates(replica));
  DF_TRY(AddInputAdvance());
  return OrderUpdatesAfterReaders();
}

Result<ReplicaModel> Builder::MakeReplicaModel() {
  const TrainSpec& train = *spec_.job.train;
  ReplicaModel replica{model_.Clone(), {}, {}};
  for (const InputSpec& input : spec_.job.inputs) {
    if (input.all || train.replicas == 1) continue;
    AttrMap& attrs = replica.graph.mutable_node(input.read).attrs;
    DF_ASSIGN(std::vector<PartialShape> shapes, attrs.Get<std::vector<PartialShape>>("shapes"));
    for (PartialShape& shape : shapes) shape.set_dim(0, input.batch / train.replicas);
    attrs.Set("shapes", std::move(shapes));
    attrs.Set("slices", train.replicas);
  }
  DF_TRY(replica.graph.InferShapes());
  std::vector<VariableSpec> trainable;
  std::vector<Output> xs;
  for (const VariableSpec& v : spec_.job.variables) {
    if (!v.trainable) continue;
    trainable.push_back(v);
    xs.push_back({v.node, 0});
  }
  const Output loss[] = {train.loss};
  DF_ASSIGN(std::vector<GradientValue> gradients, AddGradients(replica.graph, loss, xs));
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!gradients[i].exists) continue;
    const bool keep_sparse = train.optimizer.kind == OptimizerSpec::Kind::kSgd && !train.clip_norm;
    if (gradients[i].is_sparse && !keep_sparse) {
      const std::string name = "gradients/" + model_.node(xs[i].node).name + "_dense";
      DF_ASSIGN(gradients[i].dense, DenseGradient(replica.graph, gradients[i], xs[i], name));
      gradients[i].is_sparse = false;
    }
    replica.trained.push_back(trainable[i]);
    replica.gradients.push_back(gradients[i]);
  }
  if (replica.trained.empty()) {
    return InvalidArgument("train.loss '", OutputName(model_, train.loss),
                           "' depends on no trainable variable: there is nothing to train");
  }
  return replica;
}

Status Builder::StampReplicas(const ReplicaModel& replica) {
  const TrainSpec& train = *spec_.job.train;
  std::vector<Output> wanted = {train.loss};
  for (const FetchSpec& s : spec_.job.summaries) wanted.push_back(s.output);
  for (const GradientValue& g : replica.gradients) {
    if (g.is_sparse) {
      wanted.insert(wanted.end(), {g.indices, g.values});
    } else {
      wanted.push_back(g.dense);
    }
  }
  std::vector<bool> stop(static_cast<size_t>(replica.graph.num_nodes()), false);
  for (const auto& [of_spec, of_job] : shared_.nodes) stop[of_spec] = true;
  DF_ASSIGN(const std::vector<NodeId> body, Ancestors(replica.graph, wanted, stop));
  for (int r = 0; r < train.replicas; ++r) {
    StampOptions options;
    if (train.replicas > 1) options.prefix = StrCat("replica_", r, "/");
    options.device = workers_[static_cast<size_t>(r) * workers_.size() / static_cast<size_t>(train.replicas)];
    options.attrs = [r](const Node& node, AttrMap& attrs) {
      if (node.op->FindAttr("slices") != nullptr && *attrs.Get<int64_t>("slices") > 1) attrs.Set("slice", r);
      if (r > 0 && node.op->is_stateful && attrs.Has("seed") && attrs.Has("seed2")) {
        attrs.Set("seed2", *attrs.Get<int64_t>("seed2") + r);  // a replica's own stream of random numbers
      }
    };
    StampMap map = shared_;
    DF_TRY(Stamp(replica.graph, body, options, job_.graph, map));
    replicas_.push_back(std::move(map));
  }
  return Status();
}

std::vector<Output> Builder::OverReplicas(Output of_replica_graph) const {
  std::vector<Output> values;
  for (const StampMap& map : replicas_) values.push_back(map.Map(of_replica_graph));
  return values;
}

Output Builder::MeanOverReplicas(GraphOps& ops, const std::string& name, const std::vector<Output>& values) {
  if (values.size() == 1) return values[0];
  const Output sum = ops.Add(name + "_sum", "AddN", values);
  if (!sum.valid()) return {};
  const Output count =
      ops.Const(name + "_replicas", ScalarOf(job_.graph.dtype(sum), static_cast<double>(values.size())));
  return ops.Add(name, "RealDiv", {sum, count});
}

// The loss and the summaries, as means over the replicas.
Status Builder::AddScalars(const ReplicaModel&) {
  GraphOps ops(job_.graph, "train", workers_[0]);
  const Output loss = MeanOverReplicas(ops, "loss", OverReplicas(spec_.job.train->loss));
  job_.step.signature.fetches.push_back(loss);
  job_.step.names.emplace_back("loss");
  for (const FetchSpec& s : spec_.job.summaries) {
    const Output value = IsFloating(model_.dtype(s.output))
                             ? MeanOverReplicas(ops, "summaries/" + s.name, OverReplicas(s.output))
                             : replicas_[0].Map(s.output);
    job_.step.signature.fetches.push_back(value);
    job_.step.names.push_back(s.name);
  }
  return ops.status();
}

Output Builder::AddVariable(const std::string& name, Output like, bool scalar, double value) {
  const Node like_node = job_.graph.node(like.node);
  GraphOps ops(job_.graph, "", like_node.device);
  const PartialShape shape = scalar ? PartialShape::Scalar() : like_node.output_shapes[0];
  const DType dtype = like_node.output_types[0].dtype;
  const Output variable = ops.Add(name, "VariableV2", {}, {{"shape", shape}, {"dtype", dtype}});
  Output initial = ops.Const(name + "/value", ScalarOf(dtype, value));
  if (!scalar) {
    const std::vector<int64_t>& dims = shape.dims();
    const std::vector<int32_t> sizes(dims.begin(), dims.end());
    initial = ops.Add(name + "/initial", "Fill", {ops.Const(name + "/shape", Tensor::Vector<int32_t>(sizes)), initial});
  }
  if (!ops.status().ok()) return {};
  variables_.push_back(variable.node);
  initial_values_.emplace_back(variable.node, initial);
  return variable;
}

Output Builder::LearningRate(DType dtype, const std::string& device) {
  GraphOps ops(job_.graph, "train", device);
  if (!job_.feeds_learning_rate) {
    return ops.Const("learning_rate", ScalarOf(dtype, LearningRateAt(spec_.job.train->learning_rate, 0)));
  }
  return dtype == DType::kFloat ? learning_rate_
                                : ops.Add("learning_rate_cast", "Cast", {learning_rate_}, {{"DstT", dtype}});
}

// Scales dense gradients (by variable) so that their common norm is at most clip_norm.
void Builder::ScaleToClipNorm(double clip_norm, std::map<NodeId, Output>& gradients) {
  GraphOps ops(job_.graph, "train/clip", workers_[0]);
  std::vector<Output> halves;
  for (const auto& [variable, gradient] : gradients) {
    ops.set_device(job_.graph.node(variable).device);
    halves.push_back(ops.Add("half_square", "L2Loss", {gradient}));
    if (job_.graph.dtype(gradient) != DType::kFloat)
      halves.back() = ops.Add("cast", "Cast", {halves.back()}, {{"DstT", DType::kFloat}});
  }
  ops.set_device(workers_[0]);
  const Output sum = ops.Add("half_norm_squared", "AddN", halves);
  const Output norm = ops.Add("norm", "Sqrt", {ops.Add("norm_squared", "AddV2", {sum, sum})});
  const Output limit = ops.Const("limit", ScalarOf(DType::kFloat, clip_norm));
  const Output scale = ops.Add("scale", "RealDiv", {limit, ops.Add("larger", "Maximum", {norm, limit})});
  for (auto& [variable, gradient] : gradients) {
    ops.set_device(job_.graph.node(variable).device);
    Output factor = scale;
    if (job_.graph.dtype(gradient) != DType::kFloat) {
      factor = ops.Add("scale_cast", "Cast", {scale}, {{"DstT", job_.graph.dtype(gradient)}});
    }
    gradient = ops.Add("clipped", "Mul", {gradient, factor});
  }
}

Status Builder::AddUpdates(const ReplicaModel& replica) {
  const TrainSpec& train = *spec_.job.train;
  OptimizerContext context;
  context.add_variable = [this](const std::string& name, Output like, bool scalar, double value) {
    return AddVariable(name, like, scalar, value);
  };
  context.scalar = [this](const std::string& name, Output like, double value) {
    const Node& node = job_.graph.node(like.node);
    GraphOps ops(job_.graph, "train", node.device);
    return ops.Const(name, ScalarOf(node.output_types[0].dtype, value));
  };
  const std::unique_ptr<Optimizer> optimizer = MakeOptimizer(train.optimizer, job_.graph, context);

  std::map<NodeId, Output> dense;
  for (size_t i = 0; i < replica.trained.size(); ++i) {
    const NodeId variable = shared_.nodes.at(replica.trained[i].node);
    if (replica.gradients[i].is_sparse) continue;
    const std::string name = job_.graph.node(variable).name;
    GraphOps ops(job_.graph, "train", job_.graph.node(variable).device);
    dense[variable] = MeanOverReplicas(ops, name + "_gradient", OverReplicas(replica.gradients[i].dense));
    DF_TRY(ops.status());
  }
  if (train.clip_norm) ScaleToClipNorm(*train.clip_norm, dense);

  std::vector<NodeId> all;
  for (size_t i = 0; i < replica.trained.size(); ++i) {
    const NodeId variable = shared_.nodes.at(replica.trained[i].node);
    const Node node = job_.graph.node(variable);
    GraphOps ops(job_.graph, "train/" + node.name, node.device);
    const Output rate = LearningRate(node.output_types[0].dtype, node.device);
    NodeId update = -1;
    if (replica.gradients[i].is_sparse) {
      const std::vector<Output> values = OverReplicas(replica.gradients[i].values);
      Output indices = OverReplicas(replica.gradients[i].indices)[0];
      Output rows = values[0];
      if (values.size() > 1) {
        const Output axis = ops.Const("axis", Tensor::Scalar<int32_t>(0));
        std::vector<Output> all_indices = OverReplicas(replica.gradients[i].indices);
        std::vector<Output> all_values = values;
        all_indices.push_back(axis);
        all_values.push_back(axis);
        const Output count =
            ops.Const("replicas", ScalarOf(node.output_types[0].dtype, static_cast<double>(values.size())));
        indices = ops.Add("indices", "ConcatV2", all_indices);
        rows = ops.Add("values", "RealDiv", {ops.Add("values_sum", "ConcatV2", all_values), count});
      }
      update = optimizer->UpdateRows(ops, {variable, 0}, rate, indices, rows);
    } else {
      update = optimizer->Update(ops, {variable, 0}, rate, dense.at(variable));
    }
    DF_TRY(ops.status());
    if (update < 0) return Internal("the update of variable '", node.name, "' was not built");
    all.push_back(update);
  }
  for (NodeId last : optimizer->Finish(all)) all.push_back(last);
  for (NodeId node : all) {
    if (node < 0) return Internal("an update of the optimiser was not built");
    updates_[job_.graph.node(node).inputs[0].node].push_back(node);
  }
  job_.step.signature.targets.insert(job_.step.signature.targets.end(), all.begin(), all.end());
  return Status();
}

// Each input that is read moves on by a batch, after its readers.
Status Builder::AddInputAdvance() {
  for (const InputSpec& input : spec_.job.inputs) {
    const NodeId position = shared_.nodes.at(input.position);
    const bool is_read = std::any_of(job_.graph.nodes().begin(), job_.graph.nodes().end(), [&](const Node& node) {
      return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return o.node == position; });
    });
    if (!is_read || input.all) continue;
    GraphOps ops(job_.graph, input.name, job_.graph.node(position).device);
    const Output batch = ops.Const("batch", Tensor::Scalar<int64_t>(input.batch));
    const Output advance = ops.Add("advance", "AssignAdd", {{position, 0}, batch});
    DF_TRY(ops.status());
    updates_[position].push_back(advance.node);
    job_.step.signature.targets.push_back(advance.node);
  }
  return spec_.job.train ? Status() : OrderUpdatesAfterReaders();
}

// Called when all nodes of the step are there, and before those of evaluation. Readers on other devices read through a
// Send: the attr `_after_reads` has the partitioner order the update after it, which spares a message back.
Status Builder::OrderUpdatesAfterReaders() {
  std::vector<std::pair<NodeId, NodeId>> edges;
  for (const Node& node : job_.graph.nodes()) {
    for (Output input : node.inputs) {
      auto it = updates_.find(input.node);
      if (it == updates_.end()) continue;
      const std::vector<NodeId>& writers = it->second;
      if (std::find(writers.begin(), writers.end(), node.id) != writers.end()) continue;
      if (IsOnAnotherDevice(node, job_.graph.node(input.node))) continue;
      for (NodeId writer : writers) edges.emplace_back(node.id, writer);
    }
  }
  for (const auto& [reader, writer] : edges) {
    const std::vector<Output>& inputs = job_.graph.node(writer).inputs;
    const bool ordered = std::any_of(inputs.begin(), inputs.end(), [id = reader](Output o) { return o.node == id; });
    if (!ordered) job_.graph.AddControlEdge(reader, writer);
  }
  for (const auto& [variable, writers] : updates_) {
    for (NodeId writer : writers) job_.graph.mutable_node(writer).attrs.Set("_after_reads", true);
  }
  return Status();
}

Status Builder::AddEvaluation() {
  const EvalSpec& eval = *spec_.job.eval;
  std::vector<bool> stop(static_cast<size_t>(model_.num_nodes()), false);
  for (const auto& [of_spec, of_job] : shared_.nodes) stop[of_spec] = true;
  StampMap map = shared_;
  StampOptions options;
  options.prefix = "eval/";
  options.device = workers_[0];
  std::vector<Output> values;
  for (const FeedSpec& feed : eval.feeds) values.push_back(feed.value);
  DF_ASSIGN(const std::vector<NodeId> fed, Ancestors(model_, values, stop));
  DF_TRY(Stamp(model_, fed, options, job_.graph, map));
  for (const FeedSpec& feed : eval.feeds) map.outputs[StampMap::OutputKey(feed.target)] = map.Map(feed.value);
  std::vector<Output> wanted;
  for (const FetchSpec& metric : eval.metrics) wanted.push_back(metric.output);
  DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model_, wanted, stop, &map));
  Status stamped = Stamp(model_, body, options, job_.graph, map);
  if (!stamped.ok()) return stamped.Annotate("building the evaluation");
  for (const FetchSpec& metric : eval.metrics) {
    job_.evaluation.signature.fetches.push_back(map.Map(metric.output));
    job_.evaluation.names.push_back(metric.name);
  }
  return Status();
}

Status Builder::AddInit() {
  std::vector<Output> initial;
  for (const VariableSpec& v : spec_.job.variables) initial.push_back(v.init);
  std::vector<bool> stop(static_cast<size_t>(model_.num_nodes()), false);
  DF_ASSIGN(const std::vector<NodeId> body, Ancestors(model_, initial, stop));
  StampMap map = shared_;
  StampOptions options;
  options.prefix = "init/";
  options.device = workers_[0];
  DF_TRY(Stamp(model_, body, options, job_.graph, map));
  for (const VariableSpec& v : spec_.job.variables)
    initial_values_.emplace_back(shared_.nodes.at(v.node), map.Map(v.init));
  for (const auto& [variable, value] : initial_values_) {
    const Node& node = job_.graph.node(variable);
    GraphOps ops(job_.graph, "init", node.device);
    const Output assign = ops.Add(node.name + "/assign", "Assign", {{variable, 0}, value});
    if (!ops.status().ok()) return ops.status().Annotate(StrCat("initial value of variable '", node.name, "'"));
    job_.init.targets.push_back(assign.node);
  }
  return Status();
}

// A SaveShard and a RestoreShard for each device that has variables.
Status Builder::AddSaveAndRestore() {
  std::map<std::string, std::vector<NodeId>> by_device;
  for (NodeId v : variables_) by_device[job_.graph.node(v).device].push_back(v);
  GraphOps ops(job_.graph, "checkpoint", workers_[0]);
  const Output directory = ops.Add("directory", "Placeholder", {}, {{"dtype", DType::kString}, {"shape", Shape()}});
  job_.save.feeds = job_.restore.feeds = {directory};
  job_.save.feed_shapes = job_.restore.feed_shapes = {PartialShape::Scalar()};
  int shard = 0;
  for (const auto& [device, members] : by_device) {
    ops.set_device(device);
    std::vector<std::string> names;
    std::vector<PartialShape> shapes;
    std::vector<DType> dtypes;
    std::vector<Output> values = {directory};
    for (NodeId v : members) {
      const Node& node = job_.graph.node(v);
      Result<Shape> shape = node.output_shapes[0].ToShape();
      if (!shape.ok()) return shape.status().Annotate(job_.graph.Describe(v));
      names.push_back(node.name);
      shapes.push_back(node.output_shapes[0]);
      dtypes.push_back(node.output_types[0].dtype);
      values.push_back({v, 0});
      job_.variables.push_back({node.name, dtypes.back(), *shape});
    }
    const Output saved =
        ops.Add("save", "SaveShard", values, {{"names", names}, {"file", StrCat("shard-", shard++, ".h5")}});
    job_.save.fetches.push_back(saved);
    const Output restored =
        ops.Add("restore", "RestoreShard", {directory}, {{"names", names}, {"dtypes", dtypes}, {"shapes", shapes}});
    DF_TRY(ops.status());
    for (size_t i = 0; i < members.size(); ++i) {
      const Output value{restored.node, static_cast<int32_t>(i)};
      job_.restore.targets.push_back(ops.Add("restore/assign", "Assign", {{members[i], 0}, value}).node);
    }
  }
  return ops.status();
}

}  // namespace

std::vector<JobTasks> TasksOf(const JobSpec& job) {
  std::vector<JobTasks> tasks;
  for (const JobSize& size : job.jobs) tasks.push_back({size.job, size.tasks});
  return tasks;
}

Result<JobGraph> BuildJobGraph(const LoadedSpec& spec, const Cluster& cluster) {
  return Builder(spec, cluster).Build();
}

}  // namespace dfrun
