#include "tests/unit/plan/random_step.h"

#include <algorithm>
#include <vector>

#include "src/plan/search_random.h"

namespace dfrun {
namespace {

void AddDevices(int devices, StepGraph& graph) {
  for (int d = 0; d < devices; ++d) graph.devices.push_back({d / 2, 0, 0});  // two devices a rank
  graph.num_ranks = (devices + 1) / 2;
  graph.ranks_per_node = 2;
  graph.pairs = {PairSpeed{0, 1e12}, {1e-7, 1e11}, {1e-6, 1e10}, {5e-6, 1e9}};
  graph.send_s = 2e-7;
  graph.receive_s = 3e-7;
}

}  // namespace

PlacedGraph RandomStep(int tasks, int devices, uint64_t seed) {
  SearchRandom random(seed);
  PlacedGraph step;
  StepGraph& graph = step.graph;
  AddDevices(devices, graph);
  std::vector<std::vector<int>> readers(static_cast<size_t>(tasks));
  for (int task = 0; task < tasks; ++task) {
    std::vector<int> before;
    for (int i = random.Below(4); task > 0 && i > 0; --i) before.push_back(random.Below(task));
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (const int from : before) readers[static_cast<size_t>(from)].push_back(task);
  }
  step.device_sets.emplace_back();
  for (int d = 0; d < devices; ++d) step.device_sets[0].push_back(d);
  for (int task = 0; task < tasks; ++task) {
    graph.seconds.push_back(random.Fraction() * 2e-5);
    graph.state_bytes.push_back(random.Below(5) == 0 ? 1e5 : 0);
    graph.scopes.push_back(task / 10);
    graph.first_output.push_back(static_cast<int>(graph.outputs.size()));
    const std::vector<int>& own = readers[static_cast<size_t>(task)];
    if (!own.empty()) {
      const double bytes = random.Fraction() * 1e5;
      graph.outputs.push_back({task, bytes, bytes, -1, random.Below(10) == 0, 1});
      graph.first_reader.push_back(static_cast<int>(graph.readers.size()));
      graph.readers.insert(graph.readers.end(), own.begin(), own.end());
    }
    step.device_of.push_back(0);
    step.group_of.push_back(task);
    step.groups.push_back({{task}, 0});
  }
  graph.first_output.push_back(static_cast<int>(graph.outputs.size()));
  graph.first_reader.push_back(static_cast<int>(graph.readers.size()));
  graph.SetInputs();
  return step;
}

}  // namespace dfrun
