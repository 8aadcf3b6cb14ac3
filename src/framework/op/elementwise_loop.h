// Names of element-wise loops: a loop computes each element of an op's output from the elements at the same position in
// its operands. Devices that compute several such nodes in one pass know the loops by these names.
#ifndef DFRUN_SRC_FRAMEWORK_OP_ELEMENTWISE_LOOP_H_
#define DFRUN_SRC_FRAMEWORK_OP_ELEMENTWISE_LOOP_H_

#include <cstdint>

namespace dfrun {

enum class ElementwiseLoop : uint8_t {
  kNone,  // the op has none that can be one of several
  kAbs,
  kAdd,
  kDiv,
  kErf,
  kErfc,
  kExp,
  kLog,
  kMaximum,
  kMinimum,
  kMul,
  kNeg,
  kRelu,
  kReluGrad,
  kRsqrt,
  kSigmoid,
  kSigmoidGrad,
  kSqrt,
  kSquare,
  kSquaredDifference,
  kSub,
  kTanh,
  kTanhGrad,
};
inline constexpr ElementwiseLoop kLastElementwiseLoop = ElementwiseLoop::kTanhGrad;

// An op's loop and operands. A loop of two operands on more of them takes the third to the result, and so on.
struct Elementwise {
  ElementwiseLoop loop = ElementwiseLoop::kNone;
  int operands = 0;           // 0: any number
  bool takes_scalar = false;  // one of the operands may have a single element

  explicit operator bool() const { return loop != ElementwiseLoop::kNone; }
};

constexpr Elementwise UnaryLoopOf(ElementwiseLoop loop) {
  return {loop, 1, false};
}
// A loop over two operands, one of which may be a scalar.
constexpr Elementwise BinaryLoopOf(ElementwiseLoop loop) {
  return {loop, 2, true};
}
// A loop over two operands of one shape.
constexpr Elementwise GradientLoopOf(ElementwiseLoop loop) {
  return {loop, 2, false};
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_ELEMENTWISE_LOOP_H_
