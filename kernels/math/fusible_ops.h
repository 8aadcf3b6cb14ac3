// The ops of which _FusedElementwise can make steps, and how many.
#ifndef DFRUN_KERNELS_MATH_FUSIBLE_OPS_H_
#define DFRUN_KERNELS_MATH_FUSIBLE_OPS_H_

#include <cstddef>
#include <string_view>

namespace dfrun {

// Of float operands of one shape, which is the result's.
struct FusibleOp {
  std::string_view name;
  int operands;       // 0: any number
  bool takes_scalar;  // one of the operands may have a single element
};

inline constexpr FusibleOp kFusibleOps[] = {
    {"Abs", 1, false},         {"Add", 2, true},
    {"AddN", 0, false},        {"AddV2", 2, true},
    {"Div", 2, true},          {"Erf", 1, false},
    {"Erfc", 1, false},        {"Exp", 1, false},
    {"Log", 1, false},         {"Maximum", 2, true},
    {"Minimum", 2, true},      {"Mul", 2, true},
    {"Neg", 1, false},         {"RealDiv", 2, true},
    {"Relu", 1, false},        {"ReluGrad", 2, false},
    {"Rsqrt", 1, false},       {"Sigmoid", 1, false},
    {"SigmoidGrad", 2, false}, {"Sqrt", 1, false},
    {"Square", 1, false},      {"SquaredDifference", 2, true},
    {"Sub", 2, true},          {"Tanh", 1, false},
    {"TanhGrad", 2, false},
};

// Of one node: its steps, the operands of all of them, and the values with the inputs.
inline constexpr size_t kMostSteps = 64;
inline constexpr size_t kMostOperands = 192;
inline constexpr int kMostValues = 320;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUSIBLE_OPS_H_
