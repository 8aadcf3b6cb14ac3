// Adds the nodes of a gradient to the graph: named under one prefix, colocated with one node.
#ifndef DFRUN_SRC_AUTODIFF_NODE_ADDER_H_
#define DFRUN_SRC_AUTODIFF_NODE_ADDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The prefix of the names of the nodes that differentiate node `name`.
std::string GradientPrefix(std::string_view scope, std::string_view name);

// A receiver of new nodes, where they are not added to the graph as they are.
class NodeSink {
 public:
  virtual ~NodeSink() = default;
  virtual Result<NodeId> AddNode(NodeSpec spec) = 0;
};

// Errors are sticky: after the first, Add() adds nothing and returns an invalid node.
class NodeAdder {
 public:
  // Names are `prefix` and the op's name, made unique. `colocate_with` may be empty; `sink` is the graph itself where
  // it is null.
  NodeAdder(Graph& graph, std::string prefix, std::string colocate_with, NodeSink* sink = nullptr)
      : graph_(graph), sink_(sink), prefix_(std::move(prefix)), colocate_with_(std::move(colocate_with)) {}

  AddedNode Add(std::string_view op, const std::vector<Output>& inputs, AttrMap attrs = {});
  Output Const(Tensor value);
  // A scalar of a numeric dtype.
  Output Scalar(DType dtype, double value);

  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const Status& status() const { return status_; }

 private:
  Graph& graph_;
  NodeSink* const sink_;
  const std::string prefix_;
  const std::string colocate_with_;
  Status status_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_NODE_ADDER_H_
