// Integer scalars and vectors that are known, in whole or in part, before a step runs; shapes are computed from them. A
// trait of the op says how it computes such a value from those of its inputs.
//
// Source: TensorFlow's ShapeRefiner. This evaluator is separate from kernels, so that graphs are built without them.
#ifndef DFRUN_SRC_FRAMEWORK_OP_CONSTANT_VALUE_H_
#define DFRUN_SRC_FRAMEWORK_OP_CONSTANT_VALUE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "src/framework/values/attr.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// A scalar or a vector; an element without a value is not known.
struct ConstantInts {
  using Element = std::optional<int64_t>;

  // Longer vectors are not followed: no shape has as many dimensions.
  static constexpr size_t kMaxElements = 256;

  bool is_scalar = false;
  std::vector<Element> elements;

  static ConstantInts Scalar(Element element) { return {true, {element}}; }
  static ConstantInts Vector(std::vector<Element> elements) { return {false, std::move(elements)}; }
};

// A value as far as it is known; nothing where not even the shape is known, or where it is no scalar or short vector.
using MaybeConstant = std::optional<ConstantInts>;

// A node as its evaluator sees it. Implemented by src/graph.
// Thread safety: one thread.
class ConstantContext {
 public:
  virtual ~ConstantContext() = default;

  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual const AttrMap& attrs() const = 0;
  virtual const PartialShape& input_shape(int i) const = 0;
  virtual const PartialShape& output_shape(int i) const = 0;
  // The shape of the variable behind a resource input; of unknown rank where it is not known.
  virtual PartialShape handle_shape(int i) const = 0;
  // The value of input i; its elements are unknown where only the input's shape is known.
  virtual MaybeConstant input(int i) const = 0;

  MaybeConstant vector(int i) const {
    MaybeConstant value = input(i);
    return value && !value->is_scalar ? value : std::nullopt;
  }
  // The one element of a scalar or of a vector of length 1.
  ConstantInts::Element single(int i) const {
    const MaybeConstant value = input(i);
    return value && value->elements.size() == 1 ? value->elements[0] : std::nullopt;
  }
};

// The value of output 0. Values that do not fit the output's dtype become unknown; the caller sees to that.
using ConstantFn = std::function<MaybeConstant(const ConstantContext&)>;
// The values of all outputs, or of none.
using ConstantsFn = std::function<std::vector<MaybeConstant>(const ConstantContext&)>;

// The value of input 0.
inline MaybeConstant SameConstant(const ConstantContext& c) {
  return c.input(0);
}

// The sizes of a shape; nothing where its rank is not known.
inline MaybeConstant ConstantSizes(const PartialShape& shape) {
  if (!shape.known_rank()) return std::nullopt;
  ConstantInts out;
  for (int64_t size : shape.dims()) out.elements.push_back(size < 0 ? std::nullopt : ConstantInts::Element(size));
  return out;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_CONSTANT_VALUE_H_
