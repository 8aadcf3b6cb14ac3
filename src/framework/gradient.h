// How a gradient function says what the gradient of its op is, as further nodes of the graph.
//
//   [](GradientBuilder& g) { g.dx(0) = g.Op("TanhGrad", g.y(0), g.dy(0)); }
//
// Errors are sticky: after the first, further calls do nothing and status() holds it.
#ifndef DFRUN_SRC_FRAMEWORK_GRADIENT_H_
#define DFRUN_SRC_FRAMEWORK_GRADIENT_H_

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

#include "src/framework/attr.h"
#include "src/framework/tensor.h"

namespace dfrun {

// Output port of a node of the graph at hand.
struct Output {
  int32_t node = -1;
  int32_t port = 0;
  bool valid() const { return node >= 0; }
  bool operator==(const Output& other) const { return node == other.node && port == other.port; }
};

// The outputs of a node that a gradient function added; as an Output it is the first.
struct AddedNode {
  int32_t node = -1;
  operator Output() const { return {node, 0}; }  // NOLINT(google-explicit-constructor)
  Output operator[](int port) const { return {node, port}; }
};

class GradientBuilder {
 public:
  virtual ~GradientBuilder() = default;

  // The differentiated node.
  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual Output x(int input) const = 0;
  virtual Output y(int output) const = 0;
  virtual const AttrMap& attrs() const = 0;
  virtual DType dtype(Output value) const = 0;
  virtual PartialShape shape(Output value) const = 0;

  // Names this differentiation: unlike all others of the graph. For resources that a gradient keeps of its own.
  virtual std::string_view scope() const = 0;

  // The gradient that reached output `i`. dy() of an output that none reached is zeros like y(i).
  virtual bool has_dy(int i) const = 0;
  virtual Output dy(int i) = 0;

  // dx(i) = value sets the gradient of input i. An input that is not set has none (zero).
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

  // Adds a node; types and missing attrs are inferred from the inputs.
  template <class... Inputs>
  AddedNode Op(std::string_view op, Inputs... inputs) {
    return AddNode(op, {Output(inputs)...}, {});
  }
  template <class... Inputs>
  AddedNode Op(std::string_view op, const AttrMap& attrs, Inputs... inputs) {
    return AddNode(op, {Output(inputs)...}, attrs);
  }
  AddedNode AddNode(std::string_view op, std::initializer_list<Output> inputs, const AttrMap& attrs) {
    return AddNode(op, std::span(inputs.begin(), inputs.size()), attrs);
  }
  virtual AddedNode AddNode(std::string_view op, std::span<const Output> inputs, const AttrMap& attrs) = 0;
  virtual Output Const(Tensor value) = 0;
  template <class T>
  Output Const(std::initializer_list<T> values) {
    return Const(Tensor::Vector<T>(values));
  }
  // A scalar constant of `like`'s dtype.
  virtual Output ScalarLike(Output like, double value) = 0;

  // An attr of the differentiated node; a missing one is an error and a default T.
  template <class T>
  T attr(std::string_view name) {
    Result<T> value = attrs().Get<T>(name);
    if (value.ok()) return *std::move(value);
    Fail(value.status());
    return T();
  }
  virtual void Fail(Status status) = 0;

 private:
  virtual void SetGradient(int input, Output value) = 0;
};

using GradientFn = std::function<void(GradientBuilder&)>;

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_GRADIENT_H_
