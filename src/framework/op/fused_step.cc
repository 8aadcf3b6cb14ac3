#include "src/framework/op/fused_step.h"

#include <algorithm>

#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun {

std::string PrintFusedStep(const FusedStep& step) {
  std::string text = step.op;
  for (const int operand : step.operands) text += StrCat(" ", operand);
  return text;
}

std::optional<FusedStep> ParseFusedStep(std::string_view text) {
  FusedStep step;
  step.op = text.substr(0, text.find(' '));
  for (size_t begin = step.op.size() + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::optional<int> operand = ParseAs<int>(text.substr(begin, end - begin));
    if (!operand || *operand < 0) return {};
    step.operands.push_back(*operand);
    begin = end + 1;
  }
  return step;
}

}  // namespace dfrun
