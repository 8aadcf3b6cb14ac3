#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {

std::vector<GradientCase> NnGradientCases() {
  return {};
}

}  // namespace dfrun::testing
