#include "src/passes/functions/library.h"

#include <algorithm>
#include <vector>

namespace dfrun {
namespace {

// The functions that are values of the node's attrs, and its op where that is none of `ops`.
std::vector<std::string_view> FunctionsCalled(const proto::NodeDef& node, const OpRegistry& ops) {
  std::vector<std::string_view> names;
  for (const auto& [attr, value] : node.attr()) {
    if (value.has_func()) names.push_back(value.func().name());
    for (const proto::NameAttrList& function : value.list().func()) names.push_back(function.name());
  }
  if (ops.Find(node.op()) == nullptr) names.push_back(node.op());
  return names;
}

// Whether a node that calls no function has state of its own. The op of a node that does call one says less than the
// function: If is stateful whatever its branches are.
bool HasOwnState(const proto::NodeDef& node, const OpRegistry& ops) {
  return ops.Find(node.op())->is_stateful && node.op() != "VarHandleOp";
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
  if (!with_state_) FindStates();
  return with_state_->count(name) != 0;
}

// Marks functions from those that have a state of their own to those that call them, without recursion, since calls may
// be nested ever so deep.
void FunctionLibrary::FindStates() {
  with_state_.emplace();
  std::unordered_map<std::string_view, std::vector<std::string_view>> callers;
  std::vector<std::string_view> todo;
  for (const auto& [name, function] : defs_) {
    for (const proto::NodeDef& node : function->node_def()) {
      const std::vector<std::string_view> called = FunctionsCalled(node, ops_);
      for (std::string_view callee : called) callers[callee].push_back(name);
      if (called.empty() && HasOwnState(node, ops_)) todo.push_back(name);
    }
  }
  while (!todo.empty()) {
    const std::string_view name = todo.back();
    todo.pop_back();
    if (!with_state_->insert(name).second) continue;
    const auto calling = callers.find(name);
    if (calling != callers.end()) todo.insert(todo.end(), calling->second.begin(), calling->second.end());
  }
}

std::string_view FunctionLibrary::GradientOf(std::string_view name) const {
  for (const proto::GradientDef& gradient : def_.library().gradient()) {
    if (gradient.function_name() == name) return gradient.gradient_func();
  }
  return "";
}

}  // namespace dfrun
