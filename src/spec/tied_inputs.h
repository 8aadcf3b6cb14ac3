// Inputs that belong together: row i of one belongs to row i of the other.
#ifndef DFRUN_SRC_SPEC_TIED_INPUTS_H_
#define DFRUN_SRC_SPEC_TIED_INPUTS_H_

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/spec/job_spec.h"
#include "src/spec/yaml/diagnostics.h"

namespace dfrun {

// The input that `input` goes with, among `inputs`; itself where it goes with none.
const InputSpec& LeaderOf(const InputSpec& input, const std::vector<InputSpec>& inputs);

// Gives each input that goes `with` another its batch and order. Takes away those that cannot have them: there is no
// such input, it goes with a third, or it holds another number of samples, which is reported. `unread` are inputs of
// the spec that are not among `inputs` for errors of their own.
void TieInputs(std::vector<InputSpec>& inputs, const std::vector<std::string>& unread, Diagnostics& diagnostics);

// An input that takes the place of another.
struct InputInPlace {
  const InputSpec* target = nullptr;
  const InputSpec* source = nullptr;
};

// Returns InvalidArgument where inputs that belong together are not all replaced, or by inputs that do not. `counts`:
// whether an input is read at all; empty: each is.
Status CheckTiesInPlace(const std::vector<InputSpec>& inputs, std::span<const InputInPlace> places,
                        const std::function<bool(const InputSpec&)>& counts = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_TIED_INPUTS_H_
