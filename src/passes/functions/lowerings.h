// Lowers each op that calls functions. `site` is inside of the node: its prefix is the node's name,
// its ties are the nodes that the node waits for.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_LOWERINGS_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_LOWERINGS_H_

#include <string_view>
#include <vector>

#include "src/passes/functions/site_builder.h"

namespace dfrun {

struct FunctionalNode {
  std::string_view op;
  const AttrMap& attrs;
  const std::vector<SiteValue>& inputs;
};

using FunctionLowering = Result<Inlined> (*)(SiteBuilder&, const FunctionalNode&, const CallSite&);

// PartitionedCall and StatefulPartitionedCall: the nodes of f.
Result<Inlined> LowerCall(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site);
// Lowers If: a Switch an argument, the nodes of both branches, a Merge an output.
Result<Inlined> LowerIf(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site);
// Lowers Case: an If for each branch but the last.
Result<Inlined> LowerCase(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site);
// Lowers While: a frame; a value that the body passes on unchanged enters it as a constant.
Result<Inlined> LowerWhile(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site);
// Lowers SymbolicGradient: the nodes of f and of its gradient, or of the function that the library names as its
// gradient.
Result<Inlined> LowerSymbolicGradient(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site);

// Returns null for an op that calls no function.
FunctionLowering LoweringOf(std::string_view op);

// Whether a node of this op calls functions.
bool IsFunctional(std::string_view op);

// The condition of a conditional or a loop as a bool.
Result<SiteValue> AsPredicate(SiteBuilder& inliner, SiteValue value, const CallSite& site);
// Returns InvalidArgument unless `given` is `wanted`.
Status CheckCount(std::string_view what, size_t given, size_t wanted);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_LOWERINGS_H_
