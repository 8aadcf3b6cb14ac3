// The key under which the measured cost of a node is kept: equal for nodes that do the same work on the same kind of
// device, in whatever graph they stand.
#ifndef DFRUN_SRC_COSTS_NODE_KEY_H_
#define DFRUN_SRC_COSTS_NODE_KEY_H_

#include <string>
#include <string_view>

#include "src/graph/graph.h"

namespace dfrun {

// The facts of which a key is made, a line of text:
//
//   MatMul float32[32,64] float32[64,10] -> float32[32,10] {T=float32, transpose_a=false, ...} cpu 2
//
// The op; dtype and shape of each input, "?" for an unknown size; those of each output; the attrs in the order of their
// names; the type of the device; the number of threads of kernels.
//
// Left out is what does not change the work: names of nodes and devices, the values of inputs, attrs `seed`, `seed2`,
// `container` and `shared_name`, and attrs that begin with "_", which order or label nodes; but for `_precision` and
// `_deterministic`, which choose kernels. Of an attr that is a tensor dtype and shape count. The values of inputs of
// axes and permutations are left out too: nodes that differ in these alone share a cost.
std::string NodeKeyText(const Graph& graph, const Node& node, std::string_view device_type, int threads);

inline constexpr size_t kNodeKeyDigits = 16;

// Hexadecimal digits: FNV-1a of 64 bits over NodeKeyText(). The same in every process and build.
// Thread safety: both from any thread.
std::string NodeKey(const Graph& graph, const Node& node, std::string_view device_type, int threads);

}  // namespace dfrun

#endif  // DFRUN_SRC_COSTS_NODE_KEY_H_
