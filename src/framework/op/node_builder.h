// The builder by which a function of an op adds nodes to the graph that its node is in: gradients and lowerings.
//
// Errors are sticky: after the first, further calls do nothing, and the object that made the builder holds the error.
#ifndef DFRUN_SRC_FRAMEWORK_OP_NODE_BUILDER_H_
#define DFRUN_SRC_FRAMEWORK_OP_NODE_BUILDER_H_

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "src/framework/values/attr.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Output port of a node of the graph at hand.
struct Output {
  int32_t node = -1;
  int32_t port = 0;
  bool valid() const { return node >= 0; }
  bool operator==(const Output& other) const { return node == other.node && port == other.port; }
};

// The outputs of a node that was added; as an Output it is the first.
struct AddedNode {
  int32_t node = -1;
  operator Output() const { return {node, 0}; }  // NOLINT(google-explicit-constructor)
  Output operator[](int port) const { return {node, port}; }
};

// Thread safety: one thread.
class NodeBuilder {
 public:
  virtual ~NodeBuilder() = default;

  // The node at hand.
  virtual int num_inputs() const = 0;
  virtual Output x(int input) const = 0;
  virtual const AttrMap& attrs() const = 0;
  virtual DType dtype(Output value) const = 0;
  virtual PartialShape shape(Output value) const = 0;

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

  // An attr of the node at hand; a missing one is an error and a default T.
  template <class T>
  T attr(std::string_view name) {
    Result<T> value = attrs().Get<T>(name);
    if (value.ok()) return *std::move(value);
    Fail(value.status());
    return T();
  }
  virtual void Fail(Status status) = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_NODE_BUILDER_H_
