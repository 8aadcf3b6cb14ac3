// Facts about values that are known before a step: bounds of an output's elements, the output that another passes on,
// and nodes that no step runs. They answer questions such as whether a dropout drops anything, or a moving average
// moves.
#ifndef DFRUN_SRC_GRAPH_VALUE_BOUNDS_H_
#define DFRUN_SRC_GRAPH_VALUE_BOUNDS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "src/graph/bounds.h"
#include "src/graph/graph.h"

namespace dfrun {

// The bounds of one graph's values; the graph must outlive the object and not change.
// Thread safety: const methods from any thread.
class ValueBounds {
 public:
  // Replacements of outputs: values, or other outputs of the graph, which are computed as it has them.
  struct Replaced {
    std::vector<std::pair<Output, Bounds>> values = {};
    std::vector<std::pair<Output, Output>> outputs = {};
  };

  // Returns InvalidArgument where the graph has a cycle that is no loop.
  static Result<ValueBounds> Of(const Graph& graph, const Replaced& replaced);

  const Bounds& bounds(Output output) const { return facts_[Index(output)].bounds; }
  // The output whose value this one is, as far as it is passed on unchanged: by an Identity, by a Select whose
  // condition is known. An output that is replaced by a value is its own.
  Output SourceOf(Output output) const { return facts_[Index(output)].source; }
  // Whether the node is on the side of a conditional that is known not to be taken.
  bool IsDead(NodeId node) const { return is_dead_[static_cast<size_t>(node)]; }

 private:
  struct Fact {
    Bounds bounds;
    Output source;
    bool is_dead = false;
  };

  explicit ValueBounds(const Graph& graph);
  size_t Index(Output output) const {
    return first_[static_cast<size_t>(output.node)] + static_cast<size_t>(output.port);
  }
  void Evaluate(const std::vector<NodeId>& order, const Replaced& replaced, const ValueBounds& unreplaced);
  void Replace(const Replaced& replaced, NodeId node, const ValueBounds& unreplaced);
  void EvaluateNode(const Node& node);
  void EvaluateSwitch(const Node& node);
  void EvaluateMerge(const Node& node);
  void EvaluateSelect(const Node& node);
  bool HasDeadInput(const Node& node) const;

  const Graph* graph_;
  std::vector<size_t> first_;  // by node: the index of its output 0
  std::vector<Fact> facts_;    // by output
  std::vector<bool> is_dead_;  // by node
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_VALUE_BOUNDS_H_
