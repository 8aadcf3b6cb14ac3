// The builder by which a gradient function adds the gradient of its op, as further nodes of the graph.
//
//   [](GradientBuilder& g) { g.dx(0) = g.Op("TanhGrad", g.y(0), g.dy(0)); }
//
// Errors are sticky: after the first, further calls do nothing and status() holds it.
#ifndef DFRUN_SRC_FRAMEWORK_OP_GRADIENT_H_
#define DFRUN_SRC_FRAMEWORK_OP_GRADIENT_H_

#include <functional>
#include <string_view>

#include "src/framework/op/node_builder.h"

namespace dfrun {

// The node at hand is the one that is differentiated.
class GradientBuilder : public NodeBuilder {
 public:
  virtual int num_outputs() const = 0;
  virtual Output y(int output) const = 0;

  // Names this differentiation: unlike all others of the graph. For resources that a gradient keeps of its own.
  virtual std::string_view scope() const = 0;

  // The gradient that reached output `i`. dy() of an output that none reached is zeros like y(i). One that reached an
  // output that the function does not ask for is an error, too.
  virtual bool has_dy(int i) const = 0;
  virtual Output dy(int i) = 0;

  // dx(i) = value sets the gradient of input i. Where the op's definition says that a gradient flows there
  // (gradient_flow.h), one that is neither set nor said to be zero is an error.
  class InputGradient {
   public:
    InputGradient(GradientBuilder& builder, int input) : builder_(builder), input_(input) {}
    void operator=(Output value) { builder_.SetGradient(input_, value); }
    void operator=(AddedNode value) { builder_.SetGradient(input_, value); }

   private:
    GradientBuilder& builder_;
    int input_;
  };
  InputGradient dx(int input) { return {*this, input}; }
  // The gradient of input i is zero but for values[k] added to row indices[k] (indices: 1-D int32 or int64; values:
  // [n, rest of x's shape]). Stays sparse up to the optimiser.
  virtual void SetSparseGradient(int input, Output indices, Output values) = 0;
  // The gradient of input i is zero, by the attrs of this node.
  virtual void SetZeroGradient(int input) = 0;

 private:
  virtual void SetGradient(int input, Output value) = 0;
};

using GradientFn = std::function<void(GradientBuilder&)>;

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_GRADIENT_H_
