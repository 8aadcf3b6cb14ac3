#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> MatrixCases() {
  return {
      {"MatMul", {U({2, 3}), V({3, 4})}},
      {"MatMul", {U({3, 2}), V({3, 4})}, {{"transpose_a", true}}},
      {"MatMul", {U({2, 3}), V({4, 3})}, {{"transpose_b", true}}},
      {"MatMul", {U({3, 2}), V({4, 3})}, {{"transpose_a", true}, {"transpose_b", true}}},
      {"BatchMatMul", {U({2, 2, 3}), V({2, 3, 4})}},
      {"BatchMatMul", {U({2, 3, 2}), V({2, 4, 3})}, {{"adj_x", true}, {"adj_y", true}}},
      {"BatchMatMulV2", {U({2, 1, 2, 3}), V({3, 3, 4})}},
      {"BatchMatMulV2", {U({3, 2}), V({2, 3, 4})}, {{"adj_x", true}}},
      {"BatchMatMulV2", {U({2, 2, 3}), V({1, 4, 3})}, {{"adj_y", true}}},
      {"BatchMatMulV3", {U({2, 3, 2}), V({3, 4})}, {{"adj_x", true}, {"Tout", DType::kDouble}}},
  };
}

const GradientCases matrix(MatrixCases);

const UncheckedGradient one_type("BatchMatMulV3", "of complex numbers all are", "", UncheckedGradient::Of::kMixed);

}  // namespace
}  // namespace dfrun::testing
