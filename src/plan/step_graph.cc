#include "src/plan/step_graph.h"

namespace dfrun {

void StepGraph::SetInputs() {
  first_input.assign(state_bytes.size() + 1, 0);
  for (const int reader : readers) ++first_input[static_cast<size_t>(reader) + 1];
  for (size_t task = 0; task < state_bytes.size(); ++task) first_input[task + 1] += first_input[task];
  inputs.resize(readers.size());
  std::vector<int> next = first_input;
  for (int output = 0; output < static_cast<int>(outputs.size()); ++output) {
    for (const int reader : ReadersOf(output))
      inputs[static_cast<size_t>(next[static_cast<size_t>(reader)]++)] = output;
  }
}

}  // namespace dfrun
