// A step of a _FusedElementwise, as its attr `steps` has it: "Mul 0 2".
#ifndef DFRUN_SRC_FRAMEWORK_OP_FUSED_STEP_H_
#define DFRUN_SRC_FRAMEWORK_OP_FUSED_STEP_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

struct FusedStep {
  std::string op;
  std::vector<int> operands;  // numbers of values: the inputs, then the results of the steps
};

std::string PrintFusedStep(const FusedStep& step);
// Nothing where what follows the op is not a list of numbers from 0 on, each behind one space.
std::optional<FusedStep> ParseFusedStep(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_FUSED_STEP_H_
