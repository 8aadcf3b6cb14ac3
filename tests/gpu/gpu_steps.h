// Steps of a graph on a GPU, captured or node by node.
#ifndef DFRUN_TESTS_GPU_GPU_STEPS_H_
#define DFRUN_TESTS_GPU_GPU_STEPS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/framework/device/graph_capture.h"
#include "src/passes/prune.h"

namespace dfrun::testing {

// A plan on a device. lines() says what it captures, and why it does not capture the rest.
class GpuSteps {
 public:
  GpuSteps(Device& device, const Graph& graph, const RunSignature& signature, bool records = true)
      : num_fetches_(signature.fetches.size()) {
    const Result<Graph> pruned = PruneForRun(graph, signature);
    if (!pruned.ok()) {
      ADD_FAILURE() << pruned.status().ToString();
      return;
    }
    const PlanOptions options = {.records = records,
                                 .explain = [this](const std::string& line) { lines_.push_back(line); }};
    Result<std::unique_ptr<ExecPlan>> plan = BuildPlan(*pruned, device, KernelRegistry::Builtin(), options);
    if (plan.ok()) {
      plan_ = *std::move(plan);
    } else {
      ADD_FAILURE() << plan.status().ToString();
    }
  }

  Result<std::vector<Tensor>> Run(const std::vector<Tensor>& feeds = {}) {
    std::vector<Tensor> fetches(num_fetches_);
    DF_TRY(RunPlan(*plan_, pool_, {.feeds = feeds, .fetches = fetches, .step = {}}));
    return fetches;
  }
  const std::vector<std::string>& lines() const { return lines_; }
  // Returns the lines as one text, for messages.
  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line + "\n";
    return all;
  }
  // Returns the number before these words in the lines; -1 if there is none.
  int NumberBefore(const std::string& words) const {
    const std::string all = text();
    const size_t at = all.find(words);
    if (at == std::string::npos) return -1;
    const size_t begin = all.find_last_not_of("0123456789", at - 1);
    return std::stoi(all.substr(begin + 1, at - begin - 1));
  }

 private:
  const size_t num_fetches_;
  std::vector<std::string> lines_;
  WorkerPool pool_{1};
  std::unique_ptr<ExecPlan> plan_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_GPU_GPU_STEPS_H_
