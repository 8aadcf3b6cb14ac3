#include "jobs/bench/node_times.h"

#include <algorithm>
#include <optional>

#include "jobs/timing.h"
#include "src/base/median.h"
#include "src/executor/build_plan.h"
#include "src/graph/node_cost.h"
#include "src/session/trace/step_trace.h"

namespace dfrun::jobs {
namespace {

constexpr double kNanosecond = 1e-9;

}  // namespace

Result<std::unique_ptr<NodeTimes>> NodeTimes::Create(Graph graph, Device& device) {
  auto times = std::unique_ptr<NodeTimes>(new NodeTimes(std::move(graph)));
  PlanOptions options;
  options.records = false;  // a recorded step has no times of single nodes
  DF_ASSIGN(times->plan_, BuildPlan(times->graph_, device, KernelRegistry::Builtin(), options));
  return times;
}

Status NodeTimes::Run(WorkerPool& pool) {
  StepTrace sink;
  const double start = Now(CLOCK_MONOTONIC);
  DF_TRY(RunPlan(*plan_, pool, {.feeds = {}, .fetches = {}, .step = {.step_id = steps_}, .trace = &sink}));
  step_s_ = std::max(step_s_, Now(CLOCK_MONOTONIC) - start);
  if (steps_++ == 0) return Status();
  const Trace trace = sink.Take();
  for (const TraceRecord& record : trace.records) {
    if (record.kind != TraceRecord::Kind::kNode) continue;
    const auto ns = static_cast<double>(record.end_ns - record.start_ns);
    seconds_[trace.node(record).name].push_back(std::max(ns, 1.0) * kNanosecond);
  }
  return Status();
}

void NodeTimes::AddPoints(const std::string& prefix, std::map<OpFamily, std::vector<CostPoint>>& points) const {
  for (const auto& [name, seconds] : seconds_) {
    const NodeId id = graph_.Find(name);
    if (id < 0 || !name.starts_with(prefix)) continue;
    const Node& node = graph_.node(id);
    const std::optional<OpCost> cost = NodeCost(graph_, node);
    if (!cost) continue;
    points[FamilyOf(graph_, node)].push_back({cost->flops, cost->bytes_read + cost->bytes_written, Median(seconds)});
  }
}

}  // namespace dfrun::jobs
