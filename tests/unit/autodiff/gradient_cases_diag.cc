#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> DiagCases() {
  return {
      {"Diag", {U({2, 3})}},
      {"DiagPart", {U({2, 3, 2, 3})}},
      {"MatrixBandPart", {U({2, 3, 4}), Tensor::Scalar<int64_t>(1), Tensor::Scalar<int64_t>(0)}},
      {"MatrixBandPart", {U({4, 3}), Int(-1), Int(1)}},
      {"MatrixDiag", {U({2, 3})}},
      {"MatrixDiagPart", {U({2, 3, 4})}},
      {"MatrixDiagPartV2", {U({3, 4}), Ints({-1, 2}), Num(0.5)}},
      {"MatrixDiagPartV3", {U({2, 3, 4}), Ints({-2, 3}), Num(0.5)}},
      {"MatrixDiagPartV3", {U({4, 3}), Int(-1), Num(0.5)}, {{"align", "LEFT_RIGHT"}}},
      {"MatrixDiagV2", {U({2, 3}), Ints({0, 1}), Int(-1), Int(-1), Num(0.5)}},
      {"MatrixDiagV3", {U({2, 2, 3}), Ints({-1, 0}), Int(3), Int(4), Num(0.5)}},
      {"MatrixDiagV3", {U({3}), Int(2), Int(-1), Int(-1), Num(0.5)}, {{"align", "LEFT_LEFT"}}},
      {"MatrixSetDiag", {U({2, 3, 4}), V({2, 3})}},
      {"MatrixSetDiagV2", {U({3, 4}), V({2, 3}), Ints({1, 2})}},
      {"MatrixSetDiagV3", {U({2, 3, 4}), V({2, 3, 3}), Ints({-1, 1})}},
  };
}

std::vector<GradientCase> ReversalCases() {
  const Tensor paddings = Shaped(Shape({2, 2}), {1, 1, 2, 0});
  Tensor dims(DType::kBool, Shape({2}));
  dims.data<bool>()[0] = false;
  dims.data<bool>()[1] = true;
  return {
      {"MirrorPad", {U({2, 3}), paddings}, {{"mode", "REFLECT"}}},
      {"MirrorPad", {U({2, 3}), paddings}, {{"mode", "SYMMETRIC"}}},
      {"MirrorPadGrad", {U({4, 5}), paddings}, {{"mode", "REFLECT"}}},
      {"MirrorPadGrad", {U({4, 5}), paddings}, {{"mode", "SYMMETRIC"}}},
      {"Reverse", {U({2, 3}), dims}},
      {"ReverseSequence", {U({2, 4, 2}), Ints({3, 2})}, {{"seq_dim", 1}}},
      {"ReverseSequence", {U({3, 2}), Ints({3, 2})}, {{"seq_dim", 0}, {"batch_dim", 1}}},
      {"ReverseV2", {U({2, 3, 2}), Ints({0, -1})}},
  };
}

const GradientCases diagonals(DiagCases);
const GradientCases reversals(ReversalCases);

}  // namespace
}  // namespace dfrun::testing
