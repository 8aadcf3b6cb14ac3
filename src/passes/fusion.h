// Chains of nodes that become one: what the passes that fuse have in common.
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

// One node in the place of several. What waits for one that is gone waits for its inputs, and for what it waited for.
struct Fusion {
  NodeId last = -1;          // whose name, place and readers it takes over
  std::vector<NodeId> gone;  // the others
  std::string op;
  std::vector<Output> inputs;  // of nodes that stay, and come before the fused one or wait for nothing
  AttrMap attrs;
  NodeId second = -1;  // a reader of `last` alone, whose output becomes the second one; or none
};

// What a rule sees of the graph.
class FusionView {
 public:
  explicit FusionView(const Graph& graph) : graph_(graph), consumers_(graph.BuildConsumers()) {}
  const Graph& graph() const { return graph_; }
  const Node& node(NodeId id) const { return graph_.node(id); }
  const Consumers& consumers() const { return consumers_; }
  // The one node that reads the one output of `node`, as its input `input`, where they may become one: nothing waits
  // for `node` alone, its reader waits for nothing else, and both are meant for one device. Null if there is none.
  const Node* OnlyReader(const Node& node, int input) const;
  // True where one node of the same device reads the one output of `node`, once; others may wait for `node`.
  bool HasOneReader(const Node& node) const;
  bool IsAwaited(const Node& node) const;
  bool OnOneDevice(const Node& a, const Node& b) const { return DeviceOf(a) == DeviceOf(b); }

 private:
  const std::string& DeviceOf(const Node& node) const;

  const Graph& graph_;
  const Consumers consumers_;
};

// Whether a node of images has data_format NHWC.
bool HasChannelsLast(const Node& node);

// The last element of a constant vector, int32 or int64.
int64_t LastInt(const Tensor& vector);

// Whether a bool attr is there and true.
bool IsSet(const Node& node, std::string_view attr);

// Those of the attrs `names` that `from` has, called `prefix` and the name in `to`.
void CopyAttrs(const Node& from, std::initializer_list<const char*> names, std::string_view prefix, AttrMap& to);

// Fuses what `rule` finds at each node, a chain's first. Chains do not overlap where rules ask OnlyReader().
Status FuseNodes(Graph& graph, const std::function<std::optional<Fusion>(const FusionView&, const Node&)>& rule);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUSION_H_
