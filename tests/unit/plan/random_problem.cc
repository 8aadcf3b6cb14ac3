#include "tests/unit/plan/random_problem.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace dfrun {
namespace {

constexpr double kNotAllowed = std::numeric_limits<double>::infinity();

double LoadByDefinition(const PlacementProblem& problem, const std::vector<int>& device_of, int device) {
  double load = 0;
  for (int v = 0; v < problem.num_nodes(); ++v) {
    const PlacementNode& node = problem.nodes()[v];
    const bool inside = device_of[v] == device;
    if (inside) load += problem.is_accelerator(device) ? node.accelerator_time : node.cpu_time;
    if (!problem.is_accelerator(device)) continue;
    const auto& readers = problem.successors(v);
    const bool crosses = std::any_of(readers.begin(), readers.end(),
                                     [&](int reader) { return (device_of[reader] == device) != inside; });
    if (crosses) load += node.output_cost;
  }
  return load;
}

// The longest path through the invocations and the nodes on CPUs, by relaxing until nothing changes.
double LatencyByDefinition(const PlacementProblem& problem, const std::vector<int>& device_of) {
  const int nodes = problem.num_nodes();
  const int accelerators = problem.devices().accelerators;
  std::vector<double> start(accelerators + nodes), takes(accelerators + nodes);
  std::vector<int> step(nodes);
  for (int d = 0; d < accelerators; ++d) takes[d] = LoadByDefinition(problem, device_of, d);
  for (int v = 0; v < nodes; ++v) {
    step[v] = problem.is_accelerator(device_of[v]) ? device_of[v] : accelerators + v;
    takes[accelerators + v] = step[v] < accelerators ? 0 : problem.nodes()[v].cpu_time;
  }
  std::set<std::pair<int, int>> edges;
  for (int v = 0; v < nodes; ++v) {
    for (const int reader : problem.successors(v)) {
      if (step[v] != step[reader]) edges.emplace(step[v], step[reader]);
    }
  }
  // Without a cycle, no path has more steps than there are.
  std::vector<int> depth(start.size());
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [from, to] : edges) {
      if (depth[to] < depth[from] + 1) {
        depth[to] = depth[from] + 1;
        changes = true;
        if (depth[to] > static_cast<int>(start.size())) return kNotAllowed;
      }
      start[to] = std::max(start[to], start[from] + takes[from]);
    }
  }
  for (size_t round = 0; round < start.size(); ++round) {
    for (const auto& [from, to] : edges) start[to] = std::max(start[to], start[from] + takes[from]);
  }
  double last = 0;
  for (size_t s = 0; s < start.size(); ++s) last = std::max(last, start[s] + takes[s]);
  return last;
}

}  // namespace

PlacementProblem RandomProblem(const RandomProblemOptions& options, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int count) { return static_cast<int>(random() % count); };
  std::vector<PlacementNode> nodes(options.nodes);
  std::vector<std::pair<int, int>> edges;
  double bytes = 0;
  for (int v = 0; v < options.nodes; ++v) {
    PlacementNode& node = nodes[v];
    node.name = StrCat("node ", v);
    node.accelerator_time = 1 + below(20);
    node.cpu_time = node.accelerator_time * (1 + below(6));
    node.bytes = 1 + below(10);
    node.output_cost = below(8);
    node.runs_on_accelerator = below(12) != 0 || options.cpus == 0;
    node.group = v < options.groups ? v : below(options.groups);
    bytes += node.bytes;
    for (int before = std::max(0, v - 4); before < v; ++before) {
      if (below(5) < 2) edges.emplace_back(before, v);
    }
  }
  const PlacementDevices devices = {options.accelerators, options.cpus, std::max(10.0, bytes * options.memory)};
  return PlacementProblem::Create(nodes, edges, devices).value();
}

double CostByDefinition(const PlacementProblem& problem, PlacementObjective objective, const Placement& placement) {
  std::vector<double> bytes(problem.devices().accelerators);
  std::vector<int> device_of(problem.num_nodes());
  for (int v = 0; v < problem.num_nodes(); ++v) {
    const PlacementNode& node = problem.nodes()[v];
    device_of[v] = placement[node.group];
    if (!problem.is_accelerator(device_of[v])) continue;
    bytes[device_of[v]] += node.bytes;
    if (!node.runs_on_accelerator) return kNotAllowed;
    if (bytes[device_of[v]] > problem.devices().accelerator_bytes) return kNotAllowed;
  }
  if (objective == PlacementObjective::kLatency) return LatencyByDefinition(problem, device_of);
  double largest = 0;
  for (int d = 0; d < problem.num_devices(objective); ++d) {
    largest = std::max(largest, LoadByDefinition(problem, device_of, d));
  }
  return largest;
}

double OptimumByEnumeration(const PlacementProblem& problem, PlacementObjective objective) {
  const int devices = problem.num_devices(objective);
  Placement placement(problem.num_groups(), 0);
  double least = kNotAllowed;
  while (true) {
    least = std::min(least, CostByDefinition(problem, objective, placement));
    int at = 0;
    while (at < problem.num_groups() && ++placement[at] == devices) placement[at++] = 0;
    if (at == problem.num_groups()) return least;
  }
}

}  // namespace dfrun
