// Adds nodes to a graph one after the other, for code that writes graphs by hand. Errors are sticky: after the first,
// further calls add nothing and return an invalid Output; status() holds it.
#ifndef DFRUN_SRC_GRAPH_GRAPH_OPS_H_
#define DFRUN_SRC_GRAPH_GRAPH_OPS_H_

#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Adds nodes to one graph.
// Thread safety: one thread, which alone uses the graph.
class GraphOps {
 public:
  // Further nodes are constrained to `device` (empty: not) and named `scope/name`, made unique.
  GraphOps(Graph& graph, std::string scope, std::string device = "")
      : graph_(graph), scope_(std::move(scope)), device_(std::move(device)) {}

  void set_device(std::string device) { device_ = std::move(device); }

  Output Add(const std::string& name, const std::string& op, std::vector<Output> inputs, AttrMap attrs = {},
             std::vector<NodeId> control_inputs = {}) {
    if (!status_.ok()) return {};
    NodeSpec spec;
    spec.name = graph_.UniqueName(scope_.empty() ? name : scope_ + "/" + name);
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    spec.control_inputs = std::move(control_inputs);
    spec.device = device_;
    Result<NodeId> added = graph_.AddNode(std::move(spec));
    if (!added.ok()) {
      status_ = added.status();
      return {};
    }
    return {*added, 0};
  }

  Output Const(const std::string& name, Tensor value) {
    const DType dtype = value.dtype();
    return Add(name, "Const", {}, {{"value", AttrValue(std::move(value))}, {"dtype", dtype}});
  }

  const Status& status() const { return status_; }

 private:
  Graph& graph_;
  const std::string scope_;
  std::string device_;
  Status status_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_OPS_H_
