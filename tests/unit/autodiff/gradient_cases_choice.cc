#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> ChoiceCases() {
  return {
      {"SparseToDense", {Ints({1, 3}), Ints({5}), U({2}), Num(0.5)}},
      {"SparseToDense", {Shaped(Shape({2, 2}), {0, 1, 1, 2}), Ints({2, 3}), U({2}), Num(0.5)}},
      {"SparseToDense", {Ints({1, 3}), Ints({5}), Num(0.7), Num(0.5)}, {}, {}, {}, true},
      {"TopK", {U({2, 5})}, {{"k", 3}}},
      {"TopKV2", {U({2, 3, 4}), Int(2)}},
      {"TopKV2", {U({5}), Int(3)}, {{"sorted", false}}},
      {"TopKV2", {U({2, 3}), Int(0)}},
  };
}

const GradientCases choices(ChoiceCases);

}  // namespace
}  // namespace dfrun::testing
