// The flow of a gradient from an output of an op to an input, or the reason why it ends. docs/adding-an-op.md has the
// criterion.
#ifndef DFRUN_SRC_FRAMEWORK_OP_GRADIENT_FLOW_H_
#define DFRUN_SRC_FRAMEWORK_OP_GRADIENT_FLOW_H_

#include <cstdint>

namespace dfrun {

enum class GradientFlow : uint8_t {
  kNone,     // the derivative is not zero, and nothing gives it: an error where a path needs it
  kFlows,    // the op's gradient function gives it, or the differentiation itself
  kZero,     // the derivative is zero almost everywhere: the gradient ends in silence
  kStopped,  // the op is there to end it: in silence
  kState,    // the value goes into an object that outlives the step, or comes out of it: it ends, and `check` says so
  kDraw,     // the input is a parameter of random numbers: the same
};

// The flow between two arguments of an op, by their numbers; -1: each.
struct GradientFlowOf {
  int input;
  int output;
  GradientFlow flow;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_GRADIENT_FLOW_H_
