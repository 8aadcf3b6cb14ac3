// Integer scalars and vectors whose elements are known before a step runs; shapes are computed from them. A trait of
// the op says how it computes them (src/framework/op/constant_value.h).
#ifndef DFRUN_SRC_GRAPH_PARTIAL_CONSTANT_H_
#define DFRUN_SRC_GRAPH_PARTIAL_CONSTANT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/framework/op/constant_value.h"
#include "src/framework/values/shape.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Immutable once made.
struct PartialConstant {
  using Element = ConstantInts::Element;

  bool is_scalar = false;
  std::vector<Element> elements;
  Tensor tensor;  // initialised where every element is known
  // The values of the node's outputs 1, 2, ...; null if nothing is known.
  std::vector<std::shared_ptr<const PartialConstant>> later_outputs;

  bool complete() const;
  // Returns true if only later outputs are known.
  bool nothing() const { return elements.empty() && !complete(); }
  // The elements as a shape, in which negative ones are unknown sizes. For vectors only.
  PartialShape AsShape() const;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_PARTIAL_CONSTANT_H_
