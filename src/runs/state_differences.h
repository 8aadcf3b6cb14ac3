// The variables whose fingerprints differ between two runs.
#ifndef DFRUN_SRC_RUNS_STATE_DIFFERENCES_H_
#define DFRUN_SRC_RUNS_STATE_DIFFERENCES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/job/state_log.h"

namespace dfrun {

struct StateComparison {
  int64_t steps = 0;                   // that both runs have fingerprints of, through the first that differs
  int64_t first = -1;                  // the first step at which a variable of both differs; -1: none does
  std::vector<std::string> variables;  // that differ at that step
  std::vector<std::string> only_a;     // variables that the other run lacks
  std::vector<std::string> only_b;

  bool is_equal() const { return first < 0 && only_a.empty() && only_b.empty(); }
};

// Compares the fingerprints of the same step and variable.
// Thread safety: any thread.
StateComparison CompareStates(const StateContents& a, const StateContents& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_STATE_DIFFERENCES_H_
