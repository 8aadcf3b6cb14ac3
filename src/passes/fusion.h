// Helpers of the passes that fuse several nodes into one.
#ifndef DFRUN_SRC_PASSES_FUSION_H_
#define DFRUN_SRC_PASSES_FUSION_H_

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// One node that replaces several. Control edges to a removed node come to the fused one; control edges from it come
// from its inputs, or where it reads a variable by reference from the fused node.
struct Fusion {
  NodeId last = -1;             // the node whose name, device and readers it takes over
  std::vector<NodeId> removed;  // the others, of which nothing else reads a value
  std::string op;
  std::vector<Output> inputs;  // inputs of the removed nodes, by nodes that stay and come before the fused one
  AttrMap attrs;
  NodeId second = -1;  // a reader of `last` alone, whose output becomes the second one; or none
};

// The view that a rule has of the graph.
class FusionView {
 public:
  explicit FusionView(const Graph& graph) : graph_(graph), consumers_(graph.BuildConsumers()) {}
  const Graph& graph() const { return graph_; }
  const Node& node(NodeId id) const { return graph_.node(id); }
  const Consumers& consumers() const { return consumers_; }
  // Returns true where one node reads the one output of `node`, once; others may wait for `node`.
  bool HasOneReader(const Node& node) const;
  bool IsAwaited(const Node& node) const;

 private:
  const Graph& graph_;
  const Consumers consumers_;
};

// Returns true for a node that reads a variable when it runs, rather than a value.
bool ReadsRef(const Graph& graph, const Node& node);

// Whether a node of images has data_format NHWC.
bool HasChannelsLast(const Node& node);

// Whether a node's first output is of float or double.
bool IsOfFloats(const Node& node);

// Whether a bool attr is there and true.
bool IsSet(const Node& node, std::string_view attr);

// Copies the attrs `names` that `from` has to `to`, each name with `prefix` before it.
void CopyAttrs(const Node& from, std::initializer_list<const char*> names, std::string_view prefix, AttrMap& to);

// Fuses the nodes that `rule` finds, which is asked at each node as the last of those to fuse. Later nodes are asked
// first, and no node is in two fusions. A fusion by which nodes would wait for each other is left out.
using FusionRule = std::function<std::optional<Fusion>(const FusionView&, const Node&)>;
Status FuseNodes(Graph& graph, const FusionRule& rule);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSION_H_
