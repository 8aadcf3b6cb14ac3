// Integer scalars and vectors whose elements are known before a step runs: what shapes are computed from. The ops say
// how they are computed (src/framework/constant_value.h).
#ifndef DFRUN_SRC_GRAPH_KNOWN_VALUE_H_
#define DFRUN_SRC_GRAPH_KNOWN_VALUE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/framework/constant_value.h"
#include "src/framework/shape.h"
#include "src/framework/tensor.h"
#include "src/graph/graph.h"

namespace dfrun {

// Immutable once made.
struct KnownValue {
  using Element = ConstantInts::Element;

  bool is_scalar = false;
  std::vector<Element> elements;
  Tensor tensor;  // initialised where every element is known
  // Of the node's outputs 1, 2, ...; null where nothing is known.
  std::vector<std::shared_ptr<const KnownValue>> later_outputs;

  bool complete() const;
  // True where later outputs alone are known.
  bool nothing() const { return elements.empty() && !complete(); }
  // The elements as a shape; negative ones are unknown. Only of a vector.
  PartialShape AsShape() const;
};

// What is known of an integer vector that is read as a shape, if only its rank; -1 in it is an unknown size. Of unknown
// rank where it is a scalar, or not connected.
PartialShape KnownShapeValue(const Graph& graph, Output sizes);

// The value of output 0 of `node`, whose inputs are in `graph`, with those of the others; null where nothing is known
// of any.
std::shared_ptr<const KnownValue> EvaluateKnownValue(const Graph& graph, const Node& node);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_KNOWN_VALUE_H_
