#include "src/plan/step_bound.h"

#include <algorithm>
#include <vector>

namespace dfrun {
namespace {

// The longest chain of tasks by their fastest times. Tasks in a circle are left out.
double LongestChain(const StepTasks& step) {
  std::vector<std::vector<int>> behind = step.readers;
  for (const StepMessage& message : step.messages) behind[message.from].push_back(message.to);
  std::vector<int> waits(step.tasks.size(), 0);
  for (const std::vector<int>& readers : behind) {
    for (const int reader : readers) ++waits[reader];
  }
  std::vector<int> ready;
  for (size_t task = 0; task < step.tasks.size(); ++task) {
    if (waits[task] == 0) ready.push_back(static_cast<int>(task));
  }
  std::vector<double> begins_s(step.tasks.size(), 0);
  double longest_s = 0;
  while (!ready.empty()) {
    const int task = ready.back();
    ready.pop_back();
    const double ends_s = begins_s[task] + step.tasks[task].fastest_s;
    longest_s = std::max(longest_s, ends_s);
    for (const int reader : behind[task]) {
      begins_s[reader] = std::max(begins_s[reader], ends_s);
      if (--waits[reader] == 0) ready.push_back(reader);
    }
  }
  return longest_s;
}

}  // namespace

PlacementBound BoundOfStep(const StepTasks& step) {
  double work_s = 0;
  for (const StepTask& task : step.tasks) work_s += task.fastest_s;
  const PlacementBound work = {step.devices == 0 ? 0 : work_s / step.devices, "all work on all devices"};
  const PlacementBound chain = {LongestChain(step), "the longest chain of nodes that wait for each other"};
  return work.cost > chain.cost ? work : chain;
}

}  // namespace dfrun
