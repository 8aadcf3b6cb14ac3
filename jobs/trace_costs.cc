#include "jobs/trace_costs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "jobs/compile_job.h"
#include "jobs/model.h"
#include "src/base/counted.h"
#include "src/costs/measured_costs.h"
#include "src/graph/placement_file.h"
#include "src/job/run_directory.h"
#include "src/runs/run_start.h"

namespace dfrun::jobs {
namespace {

std::string Compared(const MeasuredCosts::Comparison& comparison) {
  return fmt::format("median relative error of a node {:.0f} %; sum {:.1f} us, traced {:.1f} us",
                     comparison.median_error * 100, comparison.predicted_s * 1e6, comparison.traced_s * 1e6);
}

}  // namespace

Result<std::string> AddTraceCosts(const std::string& run, CostTable& table) {
  DF_ASSIGN(TracedTimes times, ReadTracedTimes(run));
  DF_ASSIGN(const RunStart start, ReadRunStart(run + "/run.json"));
  const auto ranks = static_cast<int>(start.ranks);
  ModelOptions options;
  options.path = run + "/spec.yaml";
  options.ranks = ranks;
  options.form = ModelOptions::Form::kJob;
  DF_ASSIGN(Model model, LoadRunnable(options));
  DF_ASSIGN(JobCompiler compiler, JobCompiler::Create(model, ranks));
  Result<NodePlacement> placement = ReadPlacement(RunDirectory::PlacementOf(run));
  if (placement.ok()) {
    compiler.SetPlacement(*std::move(placement));
  } else if (placement.status().code() != Code::kNoInput) {
    return placement.status();
  }
  DF_ASSIGN(const std::vector<CompiledStep> steps, compiler.CompileSpec(model.TakeSpec()));
  MeasuredCosts measured(std::move(times));
  for (const CompiledStep& step : steps) {
    for (const Partition& partition : step.partitions) measured.Add(partition.graph, partition.device);
  }
  const std::string before = Compared(measured.Compare(table));
  const size_t keys = measured.MergeInto(table);
  return fmt::format("{} of {} in the trace got a measured cost, under {}\nbefore: {}\nafter: {}\n",
                     measured.num_nodes(), Counted(measured.num_traced(), "node"), Counted(keys, "key"), before,
                     Compared(measured.Compare(table)));
}

}  // namespace dfrun::jobs
