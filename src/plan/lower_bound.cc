#include "src/plan/lower_bound.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/plan/node_reach.h"
#include "src/plan/path_bound.h"

namespace dfrun {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Returns true if an accelerator can have the group.
bool FitsAccelerator(const PlacementProblem& problem, const PlacementGroup& group) {
  const PlacementDevices& devices = problem.devices();
  return devices.accelerators > 0 && group.runs_on_accelerator && group.bytes <= devices.accelerator_bytes;
}

// Returns the least of two times, of which one counts only where the group can have its device.
double FastestTime(const PlacementProblem& problem, const PlacementGroup& group, double on_accelerator, double on_cpu) {
  return std::min(FitsAccelerator(problem, group) ? on_accelerator : kNever,
                  problem.devices().cpus > 0 ? on_cpu : kNever);
}

// The bound by one group: its device has at least its time as a load.
PlacementBound LargestGroup(const PlacementProblem& problem) {
  double most = 0;
  for (const PlacementGroup& group : problem.groups()) {
    most = std::max(most, FastestTime(problem, group, group.accelerator_time, group.cpu_time));
  }
  return {most, "the largest group of nodes that share a device"};
}

struct WorkPrices {
  double accelerator = 0;  // for a unit of time
  double cpu = 0;          // for a unit of time
  double byte = 0;
};

// The bound by all work, from the duality of linear programs. Let x[g] be 1 where group g is on an accelerator. A
// placement of cost T has
//   sum x[g] a[g] <= A T,  sum (1 - x[g]) c[g] <= C T,  sum x[g] s[g] <= A M.
// Multiply by prices p, q, r >= 0 with p A + q C = 1 and add: T >= sum of min(p a[g] + r s[g], q c[g]) - r A M, where a
// group that runs on one kind alone has that term. It holds for any prices.
double WorkAt(const PlacementProblem& problem, const WorkPrices& prices) {
  const PlacementDevices& devices = problem.devices();
  double sum = -prices.byte * devices.accelerators * devices.accelerator_bytes;
  for (const PlacementGroup& group : problem.groups()) {
    const double on_accelerator = prices.accelerator * group.accelerator_time + prices.byte * group.bytes;
    sum += FastestTime(problem, group, on_accelerator, prices.cpu * group.cpu_time);
  }
  return sum;
}

// Returns the largest value of a concave function on [low, high], to some digits.
template <class Function>
double LargestOf(double low, double high, const Function& function) {
  double best = std::max(function(low), function(high));
  for (int i = 0; i < 80; ++i) {
    const double third = (high - low) / 3;
    const double left = function(low + third);
    const double right = function(high - third);
    best = std::max({best, left, right});
    (left < right ? low : high) = left < right ? low + third : high - third;
  }
  return best;
}

PlacementBound AllWork(const PlacementProblem& problem) {
  const PlacementDevices& devices = problem.devices();
  const auto at_share = [&](double share, double byte) {
    WorkPrices prices;
    prices.accelerator = devices.accelerators > 0 ? share / devices.accelerators : 0;
    prices.cpu = devices.cpus > 0 ? (1 - share) / devices.cpus : 0;
    prices.byte = byte;
    return WorkAt(problem, prices);
  };
  const double low = devices.cpus > 0 ? 0 : 1;
  const double high = devices.accelerators > 0 ? 1 : 0;
  const double work = LargestOf(low, high, [&](double share) { return at_share(share, 0); });
  double dearest_byte = 0;
  for (const PlacementGroup& group : problem.groups()) {
    if (group.bytes > 0) dearest_byte = std::max(dearest_byte, group.cpu_time / group.bytes);
  }
  const double with_memory = LargestOf(low, high, [&](double share) {
    return LargestOf(0, dearest_byte, [&](double byte) { return at_share(share, byte); });
  });
  if (with_memory > work * (1 + 1e-9)) return {with_memory, "all work on all devices, within the accelerators' memory"};
  return {work, "all work on all devices"};
}

// The longest path. A node starts after its predecessors have finished, and takes at least its fastest time; an
// invocation takes longer than any path in it.
PlacementBound CriticalPath(const PlacementProblem& problem) {
  std::vector<double> finish(problem.num_nodes());
  double last = 0;
  for (const int v : problem.order()) {
    const PlacementNode& node = problem.nodes()[v];
    const PlacementGroup& group = problem.groups()[node.group];
    double start = 0;
    for (const int before : problem.predecessors(v)) start = std::max(start, finish[before]);
    finish[v] = start + FastestTime(problem, group, node.accelerator_time, node.cpu_time);
    last = std::max(last, finish[v]);
  }
  return {last, "the longest path, each node on its fastest device"};
}

// PathBound() has the proof. The nodes that lead to each other take a bit for each pair.
PlacementBound CutPath(const PlacementProblem& problem) {
  constexpr int kMaxNodes = 4096;
  if (!problem.acyclic() || problem.num_nodes() > kMaxNodes || problem.num_nodes() == 0) return {};
  const NodeReach reach(problem);
  double most = 0;
  for (const std::vector<int>& path : HeavyPaths(problem)) most = std::max(most, PathBound(problem, reach, path));
  return {most, "a path cut into parts that fit an accelerator's memory"};
}

}  // namespace

PlacementBound FindLowerBound(const PlacementProblem& problem, PlacementObjective objective) {
  std::vector<PlacementBound> bounds = {{0, "no placement takes less than no time"}};
  if (objective == PlacementObjective::kThroughput) {
    bounds.push_back(LargestGroup(problem));
    bounds.push_back(AllWork(problem));
  } else {
    bounds.push_back(CriticalPath(problem));
    bounds.push_back(CutPath(problem));
  }
  return *std::max_element(bounds.begin(), bounds.end(),
                           [](const PlacementBound& a, const PlacementBound& b) { return a.cost < b.cost; });
}

}  // namespace dfrun
