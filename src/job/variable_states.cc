#include "src/job/variable_states.h"

#include <algorithm>

#include "src/base/sort_unique.h"
#include "src/checkpoint/fingerprint.h"

namespace dfrun {

VariableStates::VariableStates(const std::vector<FingerprintFetch>& fetches) {
  for (const FingerprintFetch& fetch : fetches)
    variables_.insert(variables_.end(), fetch.variables.begin(), fetch.variables.end());
  SortUnique(variables_);
  for (const FingerprintFetch& fetch : fetches) {
    std::vector<size_t>& places = places_.emplace_back();
    for (const std::string& name : fetch.variables) {
      const auto found = std::lower_bound(variables_.begin(), variables_.end(), name);
      places.push_back(static_cast<size_t>(found - variables_.begin()));
    }
  }
  of_variables_.resize(variables_.size());
}

void VariableStates::Take(std::span<const Tensor> fetched) {
  std::fill(of_variables_.begin(), of_variables_.end(), 0);
  for (size_t i = 0; i < places_.size(); ++i) {
    const auto values = fetched[i].values<uint64_t>();
    for (size_t k = 0; k < places_[i].size(); ++k) of_variables_[places_[i][k]] += values[k];
  }
}

uint64_t VariableStates::OfAll() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < variables_.size(); ++i) sum += ShareOfVariable(variables_[i], of_variables_[i]);
  return sum;
}

}  // namespace dfrun
