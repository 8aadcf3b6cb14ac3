#include "src/passes/functions/library.h"

#include <algorithm>
#include <vector>

namespace dfrun {
namespace {

std::vector<std::string> FunctionsNamed(const BodyNode& node) {
  std::vector<std::string> names = FunctionsNamed(node.attrs);
  for (const auto& [attr, value] : node.bound_attrs) {
    if (value.has_func()) names.push_back(value.func().name());
    for (const proto::NameAttrList& function : value.list().func()) names.push_back(function.name());
  }
  return names;
}

}  // namespace

std::vector<std::string> FunctionsNamed(const AttrMap& attrs) {
  std::vector<std::string> names;
  for (const auto& [attr, value] : attrs) {
    if (const auto* function = value.get<FunctionName>()) names.push_back(function->name);
    const auto* list = value.get<std::vector<FunctionName>>();
    if (list == nullptr) continue;
    for (const FunctionName& function : *list) names.push_back(function.name);
  }
  return names;
}

FunctionLibrary::FunctionLibrary(const Graph& graph) : ops_(graph.ops()) {
  if (graph.extras() == nullptr) return;
  DF_CHECK(def_.ParseFromString(graph.extras()->graph));
  for (const proto::FunctionDef& function : def_.library().function()) {
    defs_.emplace(function.signature().name(), &function);
  }
}

Result<const FunctionBody*> FunctionLibrary::Find(std::string_view name) {
  if (auto it = bodies_.find(name); it != bodies_.end()) return it->second.get();
  const auto def = defs_.find(name);
  if (def == defs_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, function] : defs_) names.emplace_back(known);
    const std::string near = Nearest(name, names);
    return NotFound("the graph's library has no function '", name, "'",
                    near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
  }
  Result<FunctionBody> body = ReadFunctionBody(*def->second, ops_);
  if (!body.ok()) return body.status().Annotate(StrCat("function '", name, "'"));
  return bodies_.emplace(name, std::make_unique<FunctionBody>(*std::move(body))).first->second.get();
}

bool FunctionLibrary::HasState(std::string_view name) {
  // What calls itself has a state if anything else in it has.
  const auto [at, is_new] = has_state_.emplace(name, false);
  if (!is_new) return at->second;
  const Result<const FunctionBody*> body = Find(name);
  if (!body.ok()) return false;
  const std::vector<BodyNode>& nodes = (*body)->nodes;
  return at->second = std::any_of(nodes.begin(), nodes.end(), [&](const BodyNode& n) { return NodeHasState(n); });
}

// An op that calls functions says less than they do: If is stateful whatever its branches are.
bool FunctionLibrary::NodeHasState(const BodyNode& node) {
  const OpDef* op = ops_.Find(node.op);
  if (op == nullptr) return HasState(node.op);
  const std::vector<std::string> called = FunctionsNamed(node);
  if (!called.empty()) return std::any_of(called.begin(), called.end(), [&](const auto& f) { return HasState(f); });
  return op->is_stateful && node.op != "VarHandleOp";
}

std::string_view FunctionLibrary::GradientOf(std::string_view name) const {
  for (const proto::GradientDef& gradient : def_.library().gradient()) {
    if (gradient.function_name() == name) return gradient.gradient_func();
  }
  return "";
}

}  // namespace dfrun
