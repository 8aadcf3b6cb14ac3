// Copies of a part of a graph into another: replicas of a model, a model with other inputs.
#ifndef DFRUN_SRC_TRAINING_COPY_SUBGRAPH_H_
#define DFRUN_SRC_TRAINING_COPY_SUBGRAPH_H_

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/node_placement.h"

namespace dfrun {

// Changes applied to each copied node.
struct SubgraphCopyOptions {
  std::string prefix;  // before every name, as "replica_1/"
  // The device of nodes that neither have one nor must be where another is. A Gather goes to the table's device, if
  // that is set already and the body reads fewer bytes of it, in rows, than it holds.
  std::string device;
  std::function<void(const Node&, AttrMap&)> attrs;  // changes attrs; may be empty
  // The devices that count before `device`, by names with `placed_prefix` before them; null: none.
  const NodePlacement* placement = nullptr;
  std::string placed_prefix = {};
  // Takes the nodes of the copy whose device neither the spec nor another node decides; null: nobody asks.
  std::vector<NodeId>* open = nullptr;
};

// Output and node ids of `from` that stand for others in the copy: ids of `to`.
struct SubgraphMap {
  std::unordered_map<NodeId, NodeId> nodes;
  std::unordered_map<int64_t, Output> outputs;  // by OutputKey(); stronger than `nodes`

  static int64_t OutputKey(Output o) { return (static_cast<int64_t>(o.node) << 16) | o.port; }
  Output Map(Output o) const;
  // The source in the copy of a control edge from `node`: the node that stands for it or, where all of its outputs are
  // replaced, the maker of the first replacement; -1: none.
  NodeId MapControl(const Node& node) const;
  // Whether `outputs` stands for each output of the node.
  bool ReplacesAll(const Node& node) const;
};

// Adds to `to` a copy of each node of `body` (ids of `from`, each after its inputs) that `map` does not know yet, and
// enters it into `map`. Control edges from nodes outside of body and map are dropped.
Status CopySubgraph(const Graph& from, const std::vector<NodeId>& body, const SubgraphCopyOptions& options, Graph& to,
                    SubgraphMap& map);

// The nodes that `outputs` depend on, not going beyond `stop` (which are left out) nor through the outputs that
// `replaced` has, in topological order.
Result<std::vector<NodeId>> Ancestors(const Graph& graph, const std::vector<Output>& outputs,
                                      const std::vector<bool>& stop, const SubgraphMap* replaced = nullptr);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_COPY_SUBGRAPH_H_
