#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> SummaryCases() {
  return {
      {"CheckNumerics", {U({2, 3})}, {{"message", "x"}}},
      {"CheckNumericsV2", {U({2, 3})}, {{"message", "x"}}},
      {"Print", {U({2, 3}), Ints({1, 2})}, {{"first_n", 0}}},
  };
}

const GradientCases summary(SummaryCases);

const UncheckedGradient print("Print", "it writes at each step; its line is in the table");

}  // namespace
}  // namespace dfrun::testing
