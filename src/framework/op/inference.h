// The view of a node that its shape function gets, and the shape functions that many ops share. Source: TensorFlow's
// shape_inference.h for the semantics; unknown sizes stay unknown.
#ifndef DFRUN_SRC_FRAMEWORK_OP_INFERENCE_H_
#define DFRUN_SRC_FRAMEWORK_OP_INFERENCE_H_

#include <functional>

#include "src/framework/values/attr.h"
#include "src/framework/values/shape.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The context of a shape function. src/graph implements it, and tests do too.
// Thread safety: one thread.
class InferenceContext {
 public:
  virtual ~InferenceContext() = default;

  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual const PartialShape& input(int i) const = 0;
  virtual DType input_dtype(int i) const = 0;
  // Returns the value, where it is known before the step runs; else null.
  virtual const Tensor* input_value(int i) const = 0;
  // Returns the value of an integer vector input read as a shape (-1: unknown), as far as it is known: partial values
  // pass through Shape, Pack and Slice.
  virtual PartialShape input_as_shape(int i) const = 0;
  // Returns the shape of the variable behind a resource input; of unknown rank where it is not known.
  virtual PartialShape handle_shape(int i) const = 0;
  virtual const AttrMap& attrs() const = 0;
  // Outputs that are not set have an unknown shape.
  virtual void set_output(int i, PartialShape shape) = 0;

  template <class T>
  Result<T> attr(std::string_view name) const {
    return attrs().Get<T>(name);
  }
  // Returns InvalidArgument unless input i may have this rank. A shape of unknown rank becomes one of that rank.
  Result<PartialShape> WithRank(int i, int rank) const;
  Result<PartialShape> WithRankAtLeast(int i, int rank) const;
};

using ShapeFn = std::function<Status(InferenceContext&)>;

// Every output has the shape of input i.
ShapeFn SameAsInput(int i);
// Every output is a scalar.
ShapeFn ScalarOutputs();
// The one output is inputs 0 and 1 broadcast against each other.
ShapeFn BroadcastOfInputs();
// Every output has the shape of the variable behind resource input i.
ShapeFn SameAsHandle(int i);
// Every output has an unknown shape.
ShapeFn UnknownOutputs();
// Every output has the shape of the attr.
ShapeFn ShapeFromAttr(std::string attr);

// Numpy broadcasting of two partial shapes.
Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);
// An axis in [-rank, rank) as one in [0, rank); InvalidArgument otherwise.
Result<int64_t> CanonicalAxis(int64_t axis, int rank);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_INFERENCE_H_
