// Nodes that stand for several others by name.
#ifndef DFRUN_SRC_GRAPH_ORDER_READ_APART_H_
#define DFRUN_SRC_GRAPH_ORDER_READ_APART_H_

#include <string_view>

#include "src/graph/graph.h"

namespace dfrun {

// The attr of a node that passes each input on as the output of its number. A fetch or a run of the node needs all
// inputs and all its control inputs. A reader of one of its outputs needs that input alone. Where the attr is true the
// node has one control input, and a node that waits for it needs that alone. Pruning makes such edges lead there.
// Source: TensorFlow's inlining of functions and its lowering of If, Case and While.
inline constexpr std::string_view kReadApartAttr = "_read_apart";

inline bool IsReadApart(const Node& node) {
  return node.attrs.Find(kReadApartAttr) != nullptr;
}

inline bool IsAwaitedApart(const Node& node) {
  const AttrValue* value = node.attrs.Find(kReadApartAttr);
  return value != nullptr && value->get<bool>() != nullptr && *value->get<bool>() && node.control_inputs.size() == 1;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_READ_APART_H_
