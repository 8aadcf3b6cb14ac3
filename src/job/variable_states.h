// The fingerprints of a job's variables, as the tasks of a step give them.
#ifndef DFRUN_SRC_JOB_VARIABLE_STATES_H_
#define DFRUN_SRC_JOB_VARIABLE_STATES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Thread safety: one thread at a time.
class VariableStates {
 public:
  explicit VariableStates(const std::vector<FingerprintFetch>& fetches);

  // The names of all variables, sorted, so that their order is that of any number of tasks.
  const std::vector<std::string>& variables() const { return variables_; }

  // Takes what a step fetched, in the order of the fetches. Parts of a variable are added up.
  void Take(std::span<const Tensor> fetched);

  // By variable.
  std::span<const uint64_t> of_variables() const { return of_variables_; }
  // That of all of them: the sum of their shares (src/checkpoint/fingerprint.h).
  uint64_t OfAll() const;

 private:
  std::vector<std::string> variables_;
  std::vector<std::vector<size_t>> places_;  // by fetch and element: the index of the variable
  std::vector<uint64_t> of_variables_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_VARIABLE_STATES_H_
