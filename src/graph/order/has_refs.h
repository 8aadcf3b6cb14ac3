// Nodes that read or write variables through references or handles; no pass may evaluate, merge or drop those that
// HasRefs() names.
#ifndef DFRUN_SRC_GRAPH_ORDER_HAS_REFS_H_
#define DFRUN_SRC_GRAPH_ORDER_HAS_REFS_H_

#include <algorithm>

#include "src/graph/graph.h"

namespace dfrun {

inline bool HasRefInput(const Node& node) {
  return std::any_of(node.input_types.begin(), node.input_types.end(), [](const TypedArg& arg) { return arg.is_ref; });
}

inline bool HasHandleInput(const Node& node) {
  return std::any_of(node.input_types.begin(), node.input_types.end(),
                     [](const TypedArg& arg) { return arg.dtype == DType::kResource; });
}

inline bool HasRefs(const Node& node) {
  return HasRefInput(node) || std::any_of(node.output_types.begin(), node.output_types.end(),
                                          [](const TypedArg& arg) { return arg.is_ref; });
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_HAS_REFS_H_
