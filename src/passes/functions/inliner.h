// Puts the nodes of functions into a graph, instead of the nodes that call them.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_INLINER_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_INLINER_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/passes/functions/site_builder.h"

namespace dfrun {

// Thread safety: one thread.
class FunctionInliner final : public SiteBuilder {
 public:
  using SiteBuilder::SiteBuilder;

  Result<Inlined> AddFunctional(const NodeSpec& spec, const std::vector<SiteValue>& given,
                                const CallSite& site) override;
  Result<Inlined> Call(const FunctionName& function, const std::vector<SiteValue>& arguments,
                       const CallSite& site) override;

 private:
  Status JoinTies(CallSite& site);
  bool HasState(const AttrMap& attrs);
  Status ReadVariables(const NodeSpec& spec, const CallSite& site, std::vector<SiteValue>& inputs);
  Status TieTo(const std::vector<SiteValue>& values, CallSite& site);
  Status BeginCall(const std::string& function);

  std::vector<std::string> calls_;  // the functions that are being inlined, outermost first
};

// Whether the node runs everything in its functions that has an effect: TensorFlow calls them by a kernel, which
// ignores control_ret. It inlines others: calls by PartitionedCall and nodes with _lower_using_switch_merge.
bool RunsAll(std::string_view op, const AttrMap& attrs);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_INLINER_H_
