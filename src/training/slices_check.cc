#include "src/training/slices_check.h"

#include <algorithm>

namespace dfrun {

bool CheckSlices(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  const int64_t replicas = train.strategy.integer("replicas");
  bool good = true;
  std::vector<NodeId> seen;  // inputs that go together have one position
  for (const InputSpec* input : inputs) {
    if (!input->is_sliced() || input->batch % replicas == 0) continue;
    if (std::find(seen.begin(), seen.end(), input->position) != seen.end()) continue;
    seen.push_back(input->position);
    diagnostics.Error(input->batch_location, "a batch of ", input->batch, " cannot be cut into equal slices for ",
                      replicas, " replicas");
    good = false;
  }
  return good;
}

}  // namespace dfrun
