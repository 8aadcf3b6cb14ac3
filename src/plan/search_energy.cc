#include "src/plan/search_energy.h"

#include <cmath>

namespace dfrun {
namespace {

// The value between 0.01 and 0.6 with the least costs of the graphs in docs/plan.md; those nearby differ by 1 %.
constexpr double kShareOfOthers = 0.1;

double Squares(const DeviceLoads& loads) {
  double sum = 0;
  for (int d = 0; d < loads.num_devices(); ++d) sum += loads.load(d) * loads.load(d);
  return sum;
}

double AcceleratorSum(const DeviceLoads& loads) {
  double sum = 0;
  for (int d = 0; d < loads.problem().devices().accelerators; ++d) sum += loads.load(d);
  return sum;
}

}  // namespace

double SearchEnergy::Cost(const DeviceLoads& loads) {
  return objective_ == PlacementObjective::kLatency ? pass_time_.Of(loads) : loads.LargestLoad();
}

double SearchEnergy::Energy(const DeviceLoads& loads) {
  const double others = objective_ == PlacementObjective::kLatency ? AcceleratorSum(loads) : std::sqrt(Squares(loads));
  return Cost(loads) + kShareOfOthers * others;
}

}  // namespace dfrun
