#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> UnaryCases() {
  return {
      {"Abs", {U({2, 3})}},
      {"Acos", {U({2, 3}, -0.9, 0.9)}},
      {"Acosh", {U({2, 3}, 1.2, 3)}},
      {"Asin", {U({2, 3}, -0.9, 0.9)}},
      {"Asinh", {U({2, 3}, -2, 2)}},
      {"Atan", {U({2, 3}, -2, 2)}},
      {"Atanh", {U({2, 3}, -0.9, 0.9)}},
      {"Cos", {U({2, 3}, -3, 3)}},
      {"Cosh", {U({2, 3}, -2, 2)}},
      {"Erf", {U({2, 3}, -2, 2)}},
      {"Erfc", {U({2, 3}, -2, 2)}},
      {"Exp", {U({2, 3}, -2, 2)}},
      {"Expm1", {U({2, 3}, -2, 2)}},
      {"Inv", {U({2, 3}, 0.5, 2)}},
      {"InvGrad", {U({2, 3}, 0.5, 2), V({2, 3})}},
      {"Log", {U({2, 3}, 0.5, 4)}},
      {"Log1p", {U({2, 3}, -0.5, 4)}},
      {"Neg", {U({2, 3})}},
      {"Reciprocal", {U({2, 3}, -2, -0.5)}},
      {"ReciprocalGrad", {U({2, 3}, 0.5, 2), V({2, 3})}},
      {"Rsqrt", {U({2, 3}, 0.5, 4)}},
      {"RsqrtGrad", {U({2, 3}, 0.5, 2), V({2, 3})}},
      {"Sigmoid", {U({2, 3}, -3, 3)}},
      {"SigmoidGrad", {U({2, 3}, 0.1, 0.9), V({2, 3})}},
      {"Sin", {U({2, 3}, -3, 3)}},
      {"Sinh", {U({2, 3}, -2, 2)}},
      {"Sqrt", {U({2, 3}, 0.5, 4)}},
      {"SqrtGrad", {U({2, 3}, 0.5, 2), V({2, 3})}},
      {"Square", {U({2, 3})}},
      {"Tan", {U({2, 3}, -1.2, 1.2)}},
      {"Tanh", {U({2, 3}, -2, 2)}},
      {"TanhGrad", {U({2, 3}, -0.9, 0.9), V({2, 3})}},
  };
}

std::vector<GradientCase> BinaryCases() {
  return {
      {"Add", {U({2, 3}), V({2, 3})}},
      {"Add", {U({2, 3}), V({1, 3})}},
      {"AddN", {U({2, 3}), V({2, 3}), U({2, 3}, 2, 3)}},
      {"AddV2", {U({2, 3}), V({})}},
      {"AddV2", {U({3}), V({2, 1})}},
      {"Atan2", {U({2, 3}, 0.3, 2), V({3}, -2, -0.3)}},
      {"Div", {U({2, 3}), V({3}, 0.5, 2)}},
      {"DivNoNan", {U({2, 3}), V({2, 1}, 0.5, 2)}},
      {"FloorMod", {U({2, 3}, 2.1, 2.9), V({3}, 0.8, 1.0)}},
      {"Mod", {U({2, 3}, -2.9, -2.1), V({3}, 0.8, 1.0)}},
      {"TruncateMod", {U({2, 3}, 2.1, 2.9), V({2, 1}, -1.0, -0.8)}},
      {"Maximum", {U({2, 3}), V({3}, -0.4, 0.7)}},
      {"Minimum", {U({2, 3}), V({2, 1}, -0.5, 0.8)}},
      {"Mul", {U({2, 3}), V({2, 3})}},
      {"Mul", {U({2, 1}), V({3})}},
      {"Pow", {U({2, 3}, 0.5, 2), V({3}, -2, 3)}},
      {"Pow", {Shaped<double>(Shape({4}), {0, 0, 0, -1}), Shaped<double>(Shape({4}), {0, 1, 2, 0})}, {}, {1}},
      {"RealDiv", {U({2, 1}), V({3}, 0.5, 2)}},
      {"SquaredDifference", {U({2, 3}), V({2, 1})}},
      {"Sub", {U({2, 3}), V({3})}},
      {"Sub", {U({}), V({2, 2})}},
      {"Xdivy", {U({2, 3}, 0.5, 2), V({3}, 0.5, 2)}},
      {"Xdivy", {Shaped<double>(Shape({3}), {0, 1, 0}), V({3}, 0.5, 2)}},
      {"Xlog1py", {Shaped<double>(Shape({3}), {0, 1, 0}), V({3}, 0.5, 2)}},
      {"Xlogy", {U({2, 3}, 0.5, 2), V({3}, 0.5, 2)}},
      {"Xlogy", {Shaped<double>(Shape({3}), {0, 1, 0}), V({3}, 0.5, 2)}},
  };
}

std::vector<GradientCase> OtherCases() {
  return {
      {"ClipByValue", {U({2, 4}), Num(-0.5), Num(0.6)}},
      {"Cumprod", {U({3, 4}, 0.5, 2), Int(0)}},
      {"Cumprod", {U({4}, 0.5, 2), Int(0)}, {{"exclusive", true}, {"reverse", true}}},
      {"Cumprod", {Shaped<double>(Shape({2, 4}), {0, 2, 3, 4, 5, 0, 2, 0}), Int(1)}},
      {"Cumprod", {Shaped<double>(Shape({4, 2}), {1, 0, 0, 3, 2, 0, 5, 2}), Int(0)}, {{"exclusive", true}}},
      {"Cumprod", {Shaped<double>(Shape({5}), {2, 0, 3, 0, 4}), Int(-1)}, {{"reverse", true}}},
      {"Cumsum", {U({3, 4}), Int(1)}},
      {"Cumsum", {U({3, 4}), Int(0)}, {{"exclusive", true}, {"reverse", true}}},
      {"LinearRecurrence", {U({3, 4}), V({3, 4}), Int(1)}},
      {"LinearRecurrence", {U({3, 4}), V({3, 4}), Int(0)}, {{"exclusive", true}}},
      {"LinearRecurrence", {Shaped<double>(Shape({4}), {2, 0, 0, 3}), V({4}), Int(0)}, {{"reverse", true}}},
      {"LinearRecurrence", {U({4}), V({4}), Int(0)}, {{"exclusive", true}, {"reverse", true}}},
      {"Select", {Shaped<bool>(Shape({2, 2}), {true, false, false, true}), U({2, 2}), V({2, 2})}},
      {"Select", {Shaped<bool>(Shape({2}), {true, false}), U({2, 3}), V({2, 3})}},
      {"SelectV2", {Shaped<bool>(Shape({2, 1}), {true, false}), U({2, 3}), V({3})}},
  };
}

std::vector<GradientCase> ReductionCases() {
  return {
      {"L2Loss", {U({2, 3})}},
      {"Max", {U({3, 4}), Ints({1})}},
      {"Max", {U({3, 4}), Ints({0, 1})}, {{"keep_dims", true}}},
      {"Mean", {U({2, 3, 4}), Ints({0, 2})}},
      {"Mean", {U({2, 3}), Int(-1)}, {{"keep_dims", true}}},
      {"Mean", {U({4}), Ints({})}},
      {"Min", {U({3, 4}), Ints({0})}},
      {"Prod", {U({2, 3}, 0.5, 2), Ints({1})}},
      {"Prod", {U({2, 3, 2}, 0.5, 2), Ints({0, 2})}, {{"keep_dims", true}}},
      {"Prod", {Shaped<double>(Shape({3, 3}), {0, 2, 3, 0, 0, 4, 1, 2, 3}), Ints({1})}},
      {"Sum", {U({2, 3, 4}), Ints({1})}},
      {"Sum", {U({2, 3}), Ints({0, 1})}},
      {"Sum", {U({2, 3}), Int(0)}, {{"keep_dims", true}}},
  };
}

const GradientCases unary(UnaryCases);
const GradientCases binary(BinaryCases);
const GradientCases others(OtherCases);
const GradientCases reductions(ReductionCases);

const UncheckedGradient sign("Sign", "of complex numbers it ends, as in TensorFlow", "y",
                             UncheckedGradient::Of::kComplex);

}  // namespace
}  // namespace dfrun::testing
