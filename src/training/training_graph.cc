#include "src/training/training_graph.h"

#include <utility>

#include "src/spec/schema/alternatives.h"
#include "src/training/build_job_graph.h"
#include "src/training/copy_subgraph.h"
#include "src/training/learning_rate.h"

namespace dfrun {
namespace {

Result<JobGraph> BuildTraining(const LoadedSpec& spec, const Cluster& cluster) {
  LoadedSpec one{spec.job, spec.graph.Clone(), {}, spec.training};
  one.job.train->strategy = Strategies().Make(Strategies().fallback());
  one.job.train->data_parallel = TrainSpec::DataParallel::kPs;
  one.job.train->on_nan = TrainSpec::OnNan::kUnchecked;  // other systems have no such ops
  one.job.evals.clear();
  if (one.job.checkpoint) one.job.checkpoint->best.reset();
  one.job.train->stop.reset();
  one.job.fingerprint = false;
  return BuildJobGraph(one, cluster);
}

bool IsRate(const Node& node) {
  return node.op->name == kLearningRateOp;
}

// Everything that a step, logged or not, and the first values need, but for the nodes that compute a rate.
Result<std::vector<NodeId>> NodesToKeep(const JobGraph& job) {
  std::vector<Output> wanted = job.step.signature.fetches;
  for (NodeId target : job.step.signature.targets) wanted.push_back({target, 0});
  for (NodeId target : job.init.targets) wanted.push_back({target, 0});
  std::vector<bool> stop;
  for (const Node& node : job.graph.nodes()) stop.push_back(IsRate(node));
  return Ancestors(job.graph, wanted, stop);
}

// The placeholder of the rate, for each node that computes it.
Status AddFedRate(const JobGraph& job, Graph& graph, SubgraphMap& map) {
  if (!job.scheduled_rate) return Status();
  GraphOps ops(graph, "train");
  const Output fed = ops.Add("learning_rate", "Placeholder", {}, {{"dtype", *job.scheduled_rate}, {"shape", Shape()}});
  DF_TRY(ops.status());
  for (const Node& node : job.graph.nodes()) {
    if (IsRate(node)) map.nodes[node.id] = fed.node;
  }
  return Status();
}

// The nodes of the model that the training does without.
Status AddRest(const Graph& model, Graph& graph) {
  SubgraphMap map;
  for (const Node& node : model.nodes()) {
    if (const NodeId there = graph.Find(node.name); there >= 0) map.nodes[node.id] = there;
  }
  DF_ASSIGN(const std::vector<NodeId> order, model.TopologicalOrder());
  return CopySubgraph(model, order, {}, graph, map);
}

Result<std::string> AddDoing(const std::string& name, const std::vector<NodeId>& targets, const SubgraphMap& map,
                             Graph& graph) {
  NodeSpec node;
  node.name = graph.UniqueName(name);
  node.op = "NoOp";
  for (NodeId target : targets) node.control_inputs.push_back(map.nodes.at(target));
  DF_ASSIGN(const NodeId made, graph.AddNode(std::move(node)));
  return graph.node(made).name;
}

// Restores the model's device constraints: the devices in the job's graph belong to its cluster alone.
void RestoreDevices(const Graph& model, Graph& graph) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.mutable_node(id);
    const NodeId of_model = model.Find(node.name);
    node.device = of_model >= 0 ? model.node(of_model).device : "";
  }
}

}  // namespace

Result<TrainingGraph> MakeTrainingGraph(const LoadedSpec& spec, const Cluster& cluster) {
  const Result<JobGraph> job = BuildTraining(spec, cluster);
  DF_TRY(AsSpecError(spec.job.path, job.status()));
  DF_ASSIGN(const std::vector<NodeId> kept, NodesToKeep(*job));
  TrainingGraph made;
  Graph& graph = made.graph;
  graph.TakeLocations(job->graph);
  SubgraphMap map;
  DF_TRY(AddFedRate(*job, graph, map));
  DF_TRY(CopySubgraph(job->graph, kept, {}, graph, map));
  DF_TRY(AddRest(spec.graph, graph));
  RestoreDevices(spec.graph, graph);
  DF_ASSIGN(made.step, AddDoing("train", job->step.signature.targets, map, graph));
  DF_ASSIGN(made.init, AddDoing("init", job->init.targets, map, graph));
  return made;
}

}  // namespace dfrun
