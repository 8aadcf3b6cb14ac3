#include "src/runs/state_differences.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dfrun {
namespace {

// Names of `a` that `b` lacks. Both are sorted.
std::vector<std::string> Without(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

// The positions of the variables of both, in `a` and in `b`.
std::vector<std::pair<size_t, size_t>> Pairs(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto at = std::lower_bound(b.begin(), b.end(), a[i]);
    if (at != b.end() && *at == a[i]) pairs.emplace_back(i, static_cast<size_t>(at - b.begin()));
  }
  return pairs;
}

}  // namespace

StateComparison CompareStates(const StateContents& a, const StateContents& b) {
  StateComparison found;
  found.only_a = Without(a.variables, b.variables);
  found.only_b = Without(b.variables, a.variables);
  const std::vector<std::pair<size_t, size_t>> pairs = Pairs(a.variables, b.variables);
  auto of_b = b.records.begin();
  for (const StateRecord& record : a.records) {
    while (of_b != b.records.end() && of_b->step < record.step) ++of_b;
    if (of_b == b.records.end()) break;
    if (of_b->step != record.step) continue;
    ++found.steps;
    for (const auto& [at_a, at_b] : pairs) {
      if (record.of_variables[at_a] != of_b->of_variables[at_b]) found.variables.push_back(a.variables[at_a]);
    }
    if (found.variables.empty()) continue;
    found.first = record.step;
    break;
  }
  return found;
}

}  // namespace dfrun
