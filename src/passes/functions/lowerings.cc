#include "src/passes/functions/lowerings.h"

#include <algorithm>
#include <utility>

namespace dfrun {
namespace {

struct NamedLowering {
  std::string_view op;
  FunctionLowering lower;
};

// Marks the values of function `f` where the library names another function as its gradient: autodiff must not go
// through the nodes of f then.
Status NoteGradient(SiteBuilder& inliner, const std::string& f, const CallSite& site, Inlined& made) {
  const std::string gradient(inliner.library().GradientOf(f));
  if (gradient.empty()) return Status();
  for (SiteValue& value : made.outputs) {
    const DType dtype = inliner.to().dtype(value.output);
    if (!IsFloating(dtype) && !IsComplex(dtype)) continue;
    DF_ASSIGN(value, inliner.Add("y", "Identity", {value}, site, {{"_gradient_op_type", gradient}}));
  }
  return Status();
}

constexpr NamedLowering kLowerings[] = {
    {"Case", &LowerCase},
    {"If", &LowerIf},
    {"PartitionedCall", &LowerCall},
    {"StatefulPartitionedCall", &LowerCall},
    {"StatelessCase", &LowerCase},
    {"StatelessIf", &LowerIf},
    {"StatelessWhile", &LowerWhile},
    {"SymbolicGradient", &LowerSymbolicGradient},
    {"While", &LowerWhile},
};

}  // namespace

FunctionLowering LoweringOf(std::string_view op) {
  const auto* found =
      std::find_if(std::begin(kLowerings), std::end(kLowerings), [&](const NamedLowering& l) { return l.op == op; });
  return found == std::end(kLowerings) ? nullptr : found->lower;
}

bool IsFunctional(std::string_view op) {
  return LoweringOf(op) != nullptr;
}

Result<Inlined> LowerCall(SiteBuilder& inliner, const FunctionalNode& node, const CallSite& site) {
  DF_ASSIGN(const FunctionName f, node.attrs.Get<FunctionName>("f"));
  DF_ASSIGN(Inlined made, inliner.Call(f, node.inputs, site));
  DF_TRY(NoteGradient(inliner, f.name, site, made));
  made.is_whole = site.runs_all;
  return made;
}

Result<SiteValue> AsPredicate(SiteBuilder& inliner, SiteValue value, const CallSite& site) {
  if (inliner.to().dtype(value.output) == DType::kBool) return value;
  return inliner.Add("holds", "ToBool", {value}, site);
}

Status CheckCount(std::string_view what, size_t given, size_t wanted) {
  if (given == wanted) return Status();
  return InvalidArgument(what, " gives ", given, given == 1 ? " output" : " outputs", ", but ", wanted,
                         wanted == 1 ? " is" : " are", " wanted");
}

}  // namespace dfrun
