#include "jobs/placement_costs.h"

#include "jobs/cost_file.h"
#include "jobs/trace_costs.h"

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

}  // namespace dfrun::jobs
