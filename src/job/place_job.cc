#include "src/job/place_job.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "src/base/counted.h"
#include "src/base/fnv.h"
#include "src/base/hexadecimal.h"
#include "src/costs/node_key.h"
#include "src/graph/location_prefix.h"
#include "src/job/usual_step.h"
#include "src/plan/placed_step.h"
#include "src/training/build_job_graph.h"

namespace dfrun {
namespace {

// A placement that gains less stays away: costs are not known so well.
constexpr double kMinGain = 0.03;

std::string Milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g ms", seconds * 1e3);
  return text;
}

std::set<std::string, std::less<>> OpenNames(const JobGraph& job) {
  std::set<std::string, std::less<>> names;
  for (const NodeId id : job.open) names.insert(job.graph.node(id).name);
  return names;
}

// The search's result, as the job has it when it is built by it: graphs of other devices may differ in more.
struct Checked {
  NodePlacement placement;
  double seconds = 0;
  double excess_bytes = 0;
};

Result<Checked> Check(const LoadedSpec& spec, NodePlacement placement, Runtime& runtime, const CompileOptions& options,
                      const StepGraphOptions& graph_options) {
  DF_ASSIGN(const SimulatedJob job, SimulateJob(spec, placement, runtime, options, graph_options));
  const PlacedStep placed(job.step.graph, job.step.device_of);
  return Checked{std::move(placement), placed.seconds(), placed.excess_bytes()};
}

int MovedNodes(const SimulatedJob& by_rules, const NodePlacement& placement) {
  const auto& nodes = by_rules.placed.nodes();
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [&](const Node& node) {
    const std::string* const device = placement.Find(node.name);
    return device != nullptr && *device != node.device;
  }));
}

// Takes a placement that is better than the rules'.
void Adopt(const SimulatedJob& by_rules, Checked checked, PlacedJob& out) {
  out.facts.seconds = checked.seconds;
  out.placement = std::move(checked.placement);
  out.lines.push_back(StrCat("placement: ", Counted(MovedNodes(by_rules, out.placement), "node"), " moved",
                             out.facts.kind == PlacedBy::kLearning ? ", as was learned" : "",
                             "; a simulated step takes ", Milliseconds(out.facts.seconds), ", by the rules ",
                             Milliseconds(out.facts.rules_s)));
  const std::string types = DescribeTypeChanges(by_rules, out.placement);
  if (!types.empty()) out.lines.push_back(types);
  if (checked.excess_bytes > 0)
    out.lines.emplace_back(
        "warning: no placement was found that the forecast finds to fit into the memory of the devices: raise "
        "`memory` of `cluster`, or start more ranks");
}

// The first node of a placement whose device the cluster lacks; null: each has one.
const std::pair<const std::string, std::string>* MissingDevice(const NodePlacement& placement, const Cluster& cluster) {
  std::set<std::string> there;
  for (const ClusterDevice& device : cluster.devices) there.insert(device.name.ToString());
  for (const auto& entry : placement.devices) {
    if (!there.contains(entry.second)) return &entry;
  }
  return nullptr;
}

// Reads a file of a placement; an empty one where there is none.
Result<NodePlacement> ReadIfThere(const std::string& path) {
  Result<NodePlacement> placement = ReadPlacement(path);
  if (placement.status().code() == Code::kNoInput) return NodePlacement();
  return placement;
}

Result<NodePlacement> PlacementOfFile(const LoadedSpec& spec, const Cluster& cluster) {
  const PlacementSpec& wanted = spec.job.placement;
  const std::string place = LocationPrefix(spec.graph, wanted.location);
  Result<NodePlacement> placement = ReadPlacement(wanted.file);
  if (!placement.ok()) return Error(Code::kBadSpec, place, placement.status().message());
  const auto* const missing = MissingDevice(*placement, cluster);
  if (missing == nullptr) return placement;
  return Error(Code::kBadSpec, place, wanted.file, " puts '", missing->first, "' on '", missing->second,
               "', but there is no such device; the devices are ", cluster.ListDevices(),
               ": start as many ranks as the file is for, or place the job anew");
}

}  // namespace

Result<SimulatedJob> SimulateJob(const LoadedSpec& spec, const NodePlacement& placement, Runtime& runtime,
                                 const CompileOptions& options, const StepGraphOptions& graph_options) {
  SimulatedJob out;
  DF_ASSIGN(out.job, BuildJobGraph(spec, options.cluster, placement));
  CompileOptions until_placed = options;
  until_placed.last_stage = "place";
  int32_t channels = 0;
  DF_ASSIGN(std::vector<Partition> whole,
            CompileRun(out.job.graph, UsualStep(spec.job, out.job), runtime, until_placed, &channels));
  out.placed = std::move(whole[0].graph);
  DF_ASSIGN(out.step, BuildStepGraph(out.placed, OpenNames(out.job), options.cluster, graph_options));
  return out;
}

NodePlacement PlacementOfStep(const SimulatedJob& by_rules, const std::vector<int>& device_of, const Cluster& cluster) {
  NodePlacement placement;
  for (size_t task = 0; task < device_of.size(); ++task) {
    const std::string device = cluster.devices[static_cast<size_t>(device_of[task])].name.ToString();
    placement.devices.emplace(by_rules.placed.node(by_rules.step.nodes[task]).name, device);
  }
  const Graph& graph = by_rules.job.graph;
  const auto follow = [&](const Node& node, NodeId other) {
    if (placement.Find(node.name) != nullptr) return;
    if (const std::string* device = placement.Find(graph.node(other).name))
      placement.devices.emplace(node.name, *device);
  };
  for (const NodeId id : by_rules.job.open) {
    const Node& node = graph.node(id);
    if (node.num_inputs() > 0 && node.inputs[0].valid()) follow(node, node.inputs[0].node);
  }
  const Consumers consumers = graph.BuildConsumers();
  for (size_t i = by_rules.job.open.size(); i-- > 0;) {
    const Node& node = graph.node(by_rules.job.open[i]);
    for (const Consumers::Edge& edge : consumers.of(node.id)) follow(node, edge.node);
  }
  // Nodes that are not open were entered only to be followed.
  const std::set<std::string, std::less<>> open = OpenNames(by_rules.job);
  std::erase_if(placement.devices, [&](const auto& entry) { return !open.contains(entry.first); });
  return placement;
}

std::string JobKey(const SimulatedJob& by_rules, const Cluster& cluster) {
  Fnv1a hash;
  for (const ClusterDevice& device : cluster.devices) hash.Add(device.name.ToString());
  for (const Node& node : by_rules.placed.nodes()) {
    hash.Add(node.name);
    hash.Add(NodeKeyText(by_rules.placed, node, "", 0));
  }
  return Hexadecimal(hash.value(), kNodeKeyDigits);
}

std::string LearnedPlacementOf(const std::string& run, const std::string& key) {
  return StrCat(run, "/placements/", key, ".json");
}

Result<PlacedJob> PlaceJob(const LoadedSpec& spec, Runtime& runtime, const CompileOptions& options,
                           const StepGraphOptions& graph_options, const PlaceStepOptions& place_options,
                           const std::string& profile) {
  DF_ASSIGN(const SimulatedJob by_rules, SimulateJob(spec, {}, runtime, options, graph_options));
  PlacedJob out;
  if (by_rules.job.apart) {
    out.lines.emplace_back("placement: by the rules, since the replicas run for themselves");
    return out;
  }
  const PlacedStep rules(by_rules.step.graph, by_rules.step.device_of);
  out.facts = {PlacedBy::kRules, options.cluster.devices.back().rank + 1, rules.seconds(), rules.seconds()};
  out.key = JobKey(by_rules, options.cluster);
  const std::string learned = profile.empty() ? "" : LearnedPlacementOf(profile, out.key);
  NodePlacement placement;
  if (!learned.empty()) {
    DF_ASSIGN(placement, ReadIfThere(learned));
    if (MissingDevice(placement, options.cluster) != nullptr) placement = {};  // people may have edited it
  }
  const bool is_learned = !placement.empty();
  Checked checked = {{}, rules.seconds(), rules.excess_bytes()};
  bool is_other = is_learned;
  if (!is_learned) {
    const StepPlacement found = PlaceStep(by_rules.step, place_options);
    is_other = found.device_of != by_rules.step.device_of;
    placement = PlacementOfStep(by_rules, found.device_of, options.cluster);
  }
  if (is_other) {
    DF_ASSIGN(checked, Check(spec, std::move(placement), runtime, options, graph_options));
  }
  const bool is_better = std::pair(checked.excess_bytes, checked.seconds) <
                         std::pair(rules.excess_bytes(), rules.seconds() * (1 - kMinGain));
  if (is_better) {
    out.facts.kind = is_learned || place_options.seconds > 0 ? PlacedBy::kLearning : PlacedBy::kSimulation;
    Adopt(by_rules, std::move(checked), out);
  } else {
    out.lines.push_back(StrCat("placement: by the rules; a simulated step takes ", Milliseconds(rules.seconds()),
                               ", and none that was tried takes much less"));
  }
  return out;
}

std::string DescribeTypeChanges(const SimulatedJob& by_rules, const NodePlacement& placement) {
  int changed = 0;
  std::string first;
  for (const Node& node : by_rules.placed.nodes()) {
    const std::string* const device = placement.Find(node.name);
    if (device == nullptr || *device == node.device) continue;
    const Result<DeviceName> from = DeviceName::Parse(node.device);
    const Result<DeviceName> to = DeviceName::Parse(*device);
    if (!from.ok() || !to.ok() || from->type == to->type) continue;
    if (changed++ == 0) first = node.name;
  }
  if (changed == 0) return "";
  return StrCat("placement: ", Counted(changed, "node"), ", '", first,
                "' the first, compute on another type of device than by the rules, whose kernels may give other bits");
}

int RanksPerHost(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return 0;
  size_t each = 1;
  while (each < hosts.size() && hosts[each] == hosts[0]) ++each;
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    if (hosts[rank] != hosts[rank / each * each]) return static_cast<int>(hosts.size());
  }
  return static_cast<int>(each);
}

Result<PlacedJob> ChoosePlacement(const LoadedSpec& spec, Runtime& runtime, const CompileOptions& options,
                                  const PlacementRequest& request) {
  const PlacementSpec& wanted = spec.job.placement;
  PlacedJob out;
  out.facts.ranks = options.cluster.devices.back().rank + 1;
  if (!wanted.file.empty()) {
    DF_ASSIGN(out.placement, PlacementOfFile(spec, options.cluster));
    out.facts.kind = PlacedBy::kFile;
    return out;
  }
  std::vector<std::string> lines;
  if (!request.resumed.empty()) {
    DF_ASSIGN(out.placement, ReadIfThere(request.resumed));
  }
  if (!out.placement.empty()) {
    out.facts.kind = PlacedBy::kResumedRun;
    const auto* const missing = MissingDevice(out.placement, options.cluster);
    out.placement.is_strict = false;
    if (missing == nullptr) return out;
    const std::string device = missing->second;
    out.placement = {};
    lines.push_back(StrCat("warning: the placement of the run, ", request.resumed, ", has nodes on ", device,
                           ", which this job has not: it is placed anew"));
  }
  if (wanted.kind == PlacementSpec::Kind::kSimulated) {
    const StepGraphOptions graph_options = {.costs = request.costs,
                                            .ranks_per_node = request.ranks_per_node,
                                            .limits = spec.job.memory_limits,
                                            .keeps_types = !request.resumed.empty()};
    const PlaceStepOptions search = {.moves = wanted.moves, .seed = static_cast<uint64_t>(spec.job.seed)};
    DF_ASSIGN(out, PlaceJob(spec, runtime, options, graph_options, search, wanted.profile));
  }
  out.lines.insert(out.lines.begin(), lines.begin(), lines.end());
  return out;
}

}  // namespace dfrun
