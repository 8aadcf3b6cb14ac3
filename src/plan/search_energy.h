// The quantity that the local search makes small: the cost, and a share of the other loads.
//
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_SEARCH_ENERGY_H_
#define DFRUN_SRC_PLAN_SEARCH_ENERGY_H_

#include "src/plan/device_loads.h"
#include "src/plan/pass_time.h"

namespace dfrun {

class SearchEnergy {
 public:
  explicit SearchEnergy(PlacementObjective objective) : objective_(objective) {}

  // Returns the cost as PlacementCost() does, but for rounding and but for the memory, which it does not look at.
  double Cost(const DeviceLoads& loads);
  // Returns the cost with a small share of the other loads. A move that leaves the cost as it is, but lightens a device
  // that is not the slowest, has a smaller energy.
  double Energy(const DeviceLoads& loads);

 private:
  PlacementObjective objective_;
  PassTime pass_time_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_SEARCH_ENERGY_H_
