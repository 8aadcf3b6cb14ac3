#include "src/passes/functions/library.h"

#include <vector>

namespace dfrun {

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

std::string_view FunctionLibrary::GradientOf(std::string_view name) const {
  for (const proto::GradientDef& gradient : def_.library().gradient()) {
    if (gradient.function_name() == name) return gradient.gradient_func();
  }
  return "";
}

}  // namespace dfrun
