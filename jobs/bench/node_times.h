// Times of the nodes of a graph, from traced steps.
#ifndef DFRUN_JOBS_BENCH_NODE_TIMES_H_
#define DFRUN_JOBS_BENCH_NODE_TIMES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/costs/fit_speed.h"
#include "src/executor/executor.h"

namespace dfrun::jobs {

// A graph that is run on a device again and again, with the time of each of its nodes as a trace has it.
// Thread safety: one thread.
class NodeTimes {
 public:
  // The device must outlive the object.
  static Result<std::unique_ptr<NodeTimes>> Create(Graph graph, Device& device);

  // Runs a step and keeps the times of its nodes. The first step, in which kernels make what they keep, is not kept.
  Status Run(WorkerPool& pool);
  // The longest time that a step took.
  double step_s() const { return step_s_; }

  // Adds a point for each node of the prefix that was timed: the median of its times.
  void AddPoints(const std::string& prefix, std::map<OpFamily, std::vector<CostPoint>>& points) const;

 private:
  explicit NodeTimes(Graph graph) : graph_(std::move(graph)) {}

  Graph graph_;
  std::unique_ptr<ExecPlan> plan_;
  std::map<std::string, std::vector<double>> seconds_;  // by node's name
  int64_t steps_ = 0;
  double step_s_ = 0;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_NODE_TIMES_H_
