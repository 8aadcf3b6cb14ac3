// One call of a function: the nodes of its body, added at a site.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_BODY_INSTANCE_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_BODY_INSTANCE_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/passes/functions/site_builder.h"

namespace dfrun {

// Names become `prefix/name`, frames too; devices are completed by the call's; nodes that were colocated still are.
// Thread safety: one thread. For one call of Add().
class BodyInstance {
 public:
  BodyInstance(SiteBuilder& inliner, const FunctionBody& body, const CallSite& site);

  Result<Inlined> Add(const FunctionName& function, const std::vector<SiteValue>& arguments);

 private:
  struct OpenInput {
    NodeId reader;
    int input;
    const BodyInput* from;
  };
  // The nodes and values that replace a node of the body.
  struct Made {
    std::string name;
    std::vector<SiteValue> outputs;
    std::vector<std::pair<std::string_view, int>> counts;  // the number of `outputs` in each output of the signature
    std::vector<NodeId> done;                              // readers by control edges wait for these nodes
    bool floats = false;
  };

  Status BindAttrs(const FunctionName& function, const std::vector<SiteValue>& arguments);
  Status SplitArguments(const std::vector<SiteValue>& arguments);
  Status AddNode(size_t index);
  Result<AttrMap> AttrsOf(const BodyNode& node, const OpDef* op) const;
  Status AddPlain(const BodyNode& node, NodeSpec spec, const std::vector<SiteValue>& inputs, bool is_anchored,
                  Made& made);
  Status AddFunctional(const BodyNode& node, NodeSpec spec, const std::vector<SiteValue>& inputs, Made& made);
  Status EndWithOutputs(Made& made);
  Result<std::vector<SiteValue>> Values(const BodyInput& input) const;
  Result<bool> AddControls(const BodyNode& node, std::vector<NodeId>& controls);
  bool IsCall(const BodyNode& node) const;
  std::string NewNameOf(const std::string& name) const;
  Status CloseLoops();
  Result<std::vector<SiteValue>> Returned(size_t k) const;
  Result<Inlined> Return();

  SiteBuilder& inliner_;
  const FunctionBody& body_;
  CallSite site_;
  AttrMap attrs_;                                  // the function's attrs
  std::map<std::string, proto::AttrValue> bound_;  // the function's attrs, as messages
  std::vector<std::vector<SiteValue>> arguments_;  // by argument of the signature
  std::vector<Made> made_;                         // by index in the body
  std::vector<OpenInput> open_;
  std::vector<NodeId> effects_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_BODY_INSTANCE_H_
