#include "src/spec/update_finder.h"

#include <algorithm>

namespace dfrun {
namespace {

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '/';
}

// A param may be any op.
bool IsParam(std::string_view op) {
  return op.find("${") != std::string_view::npos;
}

}  // namespace

bool TakesVariables(const OpDef& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [](const ArgDef& arg) { return arg.is_ref; });
}

bool TakesVariable(const OpDef& op, size_t input) {
  for (const ArgDef& arg : op.inputs) {
    const bool is_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    if (is_list || input == 0) return arg.is_ref;  // no op has a variable behind a list
    --input;
  }
  return false;
}

bool UpdateFinder::MayUpdate(const Expr& expr) {
  const bool is_named = expr.is(Expr::Kind::kCall) || expr.is(Expr::Kind::kName);
  if (is_named && !expr.is_operator && IsUpdate(expr.text)) return true;
  return std::any_of(expr.items.begin(), expr.items.end(), [this](const Expr& item) { return MayUpdate(item); }) ||
         std::any_of(expr.keywords.begin(), expr.keywords.end(),
                     [this](const KeywordArg& k) { return MayUpdate(k.value); });
}

bool UpdateFinder::IsUpdate(std::string_view word) {
  if (const auto function = functions_.find(word); function != functions_.end()) return Holds(function->second);
  const OpDef* const op = ops_.FindByNameOrAlias(word);
  return op != nullptr && TakesVariables(*op);
}

bool UpdateFinder::Holds(const FunctionDef& def) {
  const auto [known, is_new] = known_.emplace(&def, false);  // a function that calls itself is refused elsewhere
  if (!is_new) return known->second;
  const auto holds = [this](const GraphEntry& entry) { return Holds(entry.value); };
  const bool found = std::any_of(def.locals.begin(), def.locals.end(), holds) ||
                     std::any_of(def.returns.begin(), def.returns.end(), holds);
  return known_[&def] = found;
}

bool UpdateFinder::Holds(const Yaml& value) {
  if (value.is_scalar()) return value.text().find("}(") != std::string_view::npos || HoldsWord(value.text());
  for (size_t i = 0; i < value.size(); ++i) {
    const Yaml part = value.is_map() ? value.value(i) : value.item(i);
    if (Holds(part) || (value.is_map() && value.key(i).text() == "op" && part.is_scalar() && IsParam(part.text())))
      return true;
  }
  return false;
}

bool UpdateFinder::HoldsWord(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && IsWordChar(text[end])) ++end;
    if (end > begin && IsUpdate(text.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace dfrun
