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
#include "src/graph/graph.h"

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

// The known part of an integer vector that is read as a shape, if only its rank; an element -1 is an unknown size. Of
// unknown rank for a scalar and for an open input.
PartialShape ConstantPartialShape(const Graph& graph, Output sizes);

// The known values of the outputs of `node`, whose inputs are in `graph`; null if nothing is known.
std::shared_ptr<const PartialConstant> EvaluatePartialConstant(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_PARTIAL_CONSTANT_H_
