// Whether one input may stand in the place of another.
#ifndef DFRUN_SRC_SPEC_INPUT_FEEDS_H_
#define DFRUN_SRC_SPEC_INPUT_FEEDS_H_

#include <string_view>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// InvalidArgument, with both, where samples of tensor `source_tensor` of the one input cannot stand for those of
// `target_tensor` of the other: other dtypes, shapes, or numbers of other classes.
Status CheckInPlaceOf(const InputSpec& target, const InputTensor& target_tensor, const InputSpec& source,
                      const InputTensor& source_tensor);

// Checks the classes where both outputs are tensors of inputs and number classes; OK for all others.
Status CheckSameClasses(const std::vector<InputSpec>& inputs, Output target, Output source);

// "[cat, dog]", of many the first ones.
std::string ListClasses(const std::vector<std::string>& classes);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_INPUT_FEEDS_H_
