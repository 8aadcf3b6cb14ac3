#include "src/training/variable_copies.h"

#include <algorithm>

#include "src/training/variable_placement.h"

namespace dfrun {
namespace {

// The site of the variable's task; the number of sites where there is none.
Result<size_t> FindHome(const std::vector<TrainingSite>& sites, const std::string& device) {
  DF_ASSIGN(const DeviceName home, DeviceName::Parse(device));
  for (size_t i = 0; i < sites.size(); ++i) {
    DF_ASSIGN(const DeviceName site, DeviceName::Parse(sites[i].device));
    if (AreOfOneTask(site, home)) return i;
  }
  return sites.size();
}

Status AddCopiesOf(JobGraphDraft& draft, NodeId variable, std::vector<TrainingSite>& sites) {
  const Node node = draft.job.graph.node(variable);
  DF_ASSIGN(const size_t home, FindHome(sites, node.device));
  if (home == sites.size()) {
    return InvalidArgument(
        draft.job.graph.Describe(variable), " is bound to '", node.device,
        "', where no replica is computed, so that each step would send it to the replicas: leave out ",
        "its 'device', or write 'data_parallel: ps' in 'train'");
  }
  for (size_t i = 0; i < sites.size(); ++i) {
    if (i == home) continue;
    TrainingSite& site = sites[i];
    GraphOps ops(draft.job.graph, "", site.device);
    const Output copy = ops.Add(site.prefix + node.name, "VariableV2", {},
                                {{"shape", node.output_shapes[0]}, {"dtype", node.output_types[0].dtype}});
    DF_TRY(ops.status());
    site.copies[variable] = copy.node;
    draft.copies[variable].push_back(copy.node);
  }
  return Status();
}

}  // namespace

Result<std::vector<TrainingSite>> AddTrainingSites(JobGraphDraft& draft, const std::vector<std::string>& devices,
                                                   const std::vector<NodeId>& variables) {
  std::vector<TrainingSite> sites = {{.device = devices[0], .prefix = ""}};
  if (draft.spec.train->data_parallel == TrainSpec::DataParallel::kPs) return sites;
  for (const std::string& device : devices) {
    if (device != sites.back().device) sites.push_back({.device = device, .prefix = ""});
  }
  for (size_t i = 0; i < sites.size() && sites.size() > 1; ++i) sites[i].prefix = StrCat("copy_", i, "/");
  for (const NodeId variable : variables) DF_TRY(AddCopiesOf(draft, variable, sites));
  return sites;
}

Status AssignCopies(JobGraphDraft& draft, NodeId variable, Output assigned, RunSignature& run) {
  const auto copies = draft.copies.find(variable);
  if (copies == draft.copies.end()) return Status();
  Graph& graph = draft.job.graph;
  for (const NodeId copy : copies->second) {
    const std::string name = graph.node(copy).name;
    GraphOps ops(graph, name, graph.node(copy).device);
    const Output assign = ops.Add("assign", "Assign", {{copy, 0}, assigned});
    if (!ops.status().ok()) return ops.status().Annotate(StrCat("value of '", name, "', a copy of a variable"));
    graph.mutable_node(assign.node).colocate_with = name;
    run.targets.push_back(assign.node);
  }
  return Status();
}

}  // namespace dfrun
