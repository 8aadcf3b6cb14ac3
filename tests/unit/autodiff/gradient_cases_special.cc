// The gamma function and its kin, and functions of complex numbers.
#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> SpecialCases() {
  return {
      {"Betainc", {U({2, 3}, 0.5, 3), V({2, 3}, 0.5, 3), Uniform({2, 3}, 0.2, 0.8, 3)}, {}, {0, 1}},
      {"Betainc", {Num(1.5), Num(2.5), U({2, 3}, 0.2, 0.8)}, {}, {0, 1}},
      {"Betainc", {U({2, 3}, 0.5, 3), V({2, 3}, 0.5, 3), Num(0.3)}, {}, {0, 1}},
      {"Digamma", {U({2, 3}, 0.5, 4)}},
      {"EuclideanNorm", {U({2, 3, 4}), Ints({0, 2})}},
      {"EuclideanNorm", {U({2, 3}), Int(1)}, {{"keep_dims", true}}},
      {"Lgamma", {U({2, 3}, 0.5, 4)}},
      {"MulNoNan", {U({2, 3}), V({3}, 0.5, 2)}},
      {"Polygamma", {Num(2), U({2, 3}, 1, 4)}, {}, {0}},
      {"Polygamma", {Shaped<double>(Shape({2, 1}), {1, 3}), U({3}, 1, 4)}, {}, {0}},
      {"Xlog1py", {U({2, 3}, 0.5, 2), V({3}, 0.5, 2)}},
      {"Zeta", {U({2, 1}, 1.5, 4), V({3}, 1, 3)}, {}, {0}},
  };
}

const GradientCases special(SpecialCases);
const UncheckedGradient next_after("NextAfter", "its gradient is that of the identity, which steps hide");

}  // namespace
}  // namespace dfrun::testing
