// Finds the values on a differentiable path from the xs to the ys. A value popped off a stack depends on the values
// pushed on it.
#ifndef DFRUN_SRC_AUTODIFF_DEPENDENCY_H_
#define DFRUN_SRC_AUTODIFF_DEPENDENCY_H_

#include <span>
#include <string>
#include <vector>

#include "src/autodiff/gradient_rule.h"
#include "src/autodiff/stacks.h"

namespace dfrun {

// A gradient can be with respect to it: floating-point, complex, or the handle of a variable.
bool IsDifferentiable(DType dtype);

// The dependencies in the graph as it was when this object was made. Ask only about nodes that the graph had then.
// `graph` outlives this object.
// Thread safety: const methods from any thread while the graph does not change.
class Dependency {
 public:
  Dependency(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs);

  // The value is an x or depends on one.
  bool DependsOnX(Output value) const { return depends_[Index(value)]; }
  // An output of the node lies on a path from an x to a y, its ends included.
  bool IsBetween(NodeId node) const { return between_[node]; }
  // The node has an input through which a gradient flows on.
  bool IsPassedThrough(NodeId node) const;
  // Outputs of nodes, numbered through.
  size_t Index(Output value) const {
    return static_cast<size_t>(first_output_[value.node]) + static_cast<size_t>(value.port);
  }
  size_t num_values() const { return depends_.size(); }

  const Stacks& stacks() const { return stacks_; }

  // "'W' -> 'product' -> 'loss'": a path from an x to a y through the node, by way of this source of it if one is
  // given. For errors.
  std::string PathThrough(NodeId node, NodeId source = -1) const;

 private:
  void MarkDependent();
  // Marks the nodes from which a y is reached along values that depend on an x, through differentiable nodes.
  void MarkBetween();
  // A gradient that reaches an output of the node that depends on an x goes on to this input.
  bool PassesTo(const Node& node, int input) const;
  // Visits the sources that a gradient of the node goes on to: its inputs, or for a pop the pushed values. An
  // open input is visited as an invalid Output.
  template <class Visit>
  void ForSources(const Node& node, const Visit& visit) const;
  std::vector<NodeId> PathFromX(NodeId node) const;
  std::vector<NodeId> PathToY(NodeId node) const;

  const Graph& graph_;
  const std::vector<Output> ys_;
  const std::vector<Output> xs_;
  const Stacks stacks_;
  std::vector<int32_t> first_output_;
  std::vector<bool> depends_;  // by Index()
  std::vector<bool> between_;  // by node
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_DEPENDENCY_H_
