// The nodes of one graph, added to another at a site.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_GRAPH_COPY_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_GRAPH_COPY_H_

#include <string>
#include <utility>
#include <vector>

#include "src/passes/functions/site_builder.h"

namespace dfrun {

// A copy of a graph at a call site, for one call of Add().
// Thread safety: one thread.
class GraphCopy {
 public:
  // `from` outlives this. Its first nodes stand for the arguments: node i, a Placeholder, for arguments[i].
  GraphCopy(SiteBuilder& inliner, const Graph& from, std::vector<SiteValue> arguments, const CallSite& site)
      : inliner_(inliner), from_(from), arguments_(std::move(arguments)), site_(site) {}

  // Adds the nodes after those of the arguments. Names are made unique, in nodes and wherever a node refers to another.
  // Values that float at the site are tied to it as AddNode() does, a loop where it is entered.
  Status Add();

  // An output of `from`, as it is now.
  SiteValue Copied(Output value) const;
  // The node that replaces a node of `from`, no argument, as a control input.
  NodeId CopiedNode(NodeId node) const { return nodes_[static_cast<size_t>(node)]; }

 private:
  struct BackEdge {
    NodeId reader;
    int input;
    Output from;
  };

  bool IsArgument(NodeId node) const { return static_cast<size_t>(node) < arguments_.size(); }
  Status AddNode(const Node& node);
  Result<bool> AddControls(const Node& node, std::vector<NodeId>& controls);
  std::string NameOf(const std::string& name) const;
  AttrMap AttrsOf(const Node& node) const;

  SiteBuilder& inliner_;
  const Graph& from_;
  const std::vector<SiteValue> arguments_;
  const CallSite& site_;
  std::vector<NodeId> nodes_;                    // by old id
  std::vector<std::vector<SiteValue>> outputs_;  // by old id
  std::vector<BackEdge> back_edges_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_GRAPH_COPY_H_
