#include "jobs/place_by_spec.h"

#include "jobs/cost_file.h"
#include "jobs/trace_costs.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {

Result<CostTable> CostsOfPlacement(const PlacementSpec& placement, const std::string& cost_file) {
  CostTable costs;
  const std::string& file = cost_file.empty() ? placement.cost_file : cost_file;
  if (!file.empty()) {
    DF_ASSIGN(costs, ReadCostFile(file));
  }
  if (!placement.profile.empty()) DF_TRY(AddTraceCosts(placement.profile, costs).status());
  return costs;
}

Result<std::vector<std::string>> PlaceBySpec(const LoadedSpec& spec, JobCompiler& compiler, const CostTable* costs,
                                             int ranks_per_node) {
  const PlacementSpec& placement = spec.job.placement;
  if (placement.kind == PlacementSpec::Kind::kRules && placement.file.empty()) return std::vector<std::string>();
  CostTable named;
  if (costs == nullptr) {
    DF_ASSIGN(named, CostsOfPlacement(placement));
    costs = &named;
  }
  Result<std::vector<std::string>> lines = compiler.Place(spec, {.costs = costs, .ranks_per_node = ranks_per_node});
  DF_TRY(AsSpecError(spec.job.path, lines.status()));
  return lines;
}

}  // namespace dfrun::jobs
