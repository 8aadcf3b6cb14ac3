// Finds the names that expressions read and wait for.
#include <algorithm>
#include <utility>

#include "src/spec/entry.h"
#include "src/spec/expr/expr_walk.h"

namespace dfrun {
namespace {

class NameFinder {
 public:
  explicit NameFinder(const EntryContext& context) : context_(context) {}

  std::vector<EntryName> In(const Expr& expr) {
    Walk(expr);
    return std::move(found_);
  }
  std::vector<EntryName> InAttrs(const Expr& call) {
    const CallTarget target = FindCallTarget(call.text, context_.functions, context_.ops);
    for (const KeywordArg& k : call.keywords) {
      if (IsAttr(target, k.name)) WalkAttr(k.value);
    }
    return std::move(found_);
  }

 private:
  void Walk(const Expr& expr) {
    WalkExpr(
        expr, [&](const Expr& name) { Add(name); }, [&](const Expr& call) { WalkCall(call); });
  }

  void WalkCall(const Expr& call) {
    for (const Expr& item : call.items) Walk(item);
    if (call.keywords.empty()) return;
    const CallTarget target = FindCallTarget(call.text, context_.functions, context_.ops);
    if (target.form == CallTarget::Form::kWhile && target.function == nullptr) return WalkWhile(call);
    for (const KeywordArg& k : call.keywords) {
      if (IsAttr(target, k.name)) {
        WalkAttr(k.value);
      } else {
        Walk(k.value);
      }
    }
  }

  // The variables of a loop hide entries of the same names.
  void WalkWhile(const Expr& call) {
    std::vector<std::string_view> hidden;
    for (const KeywordArg& k : call.keywords) {
      if (k.name == "max_iterations") Walk(k.value);
      if (k.name != "vars") continue;
      for (const KeywordArg& var : k.value.keywords) hidden.push_back(var.name);
      Walk(k.value);
    }
    hidden_.insert(hidden_.end(), hidden.begin(), hidden.end());
    for (const KeywordArg& k : call.keywords) {
      if (k.name == "cond" || k.name == "body") Walk(k.value);
    }
    hidden_.resize(hidden_.size() - hidden.size());
  }

  static bool IsAttr(const CallTarget& target, std::string_view keyword) {
    if (target.function != nullptr) return TakesText(target, keyword);
    if (target.form == CallTarget::Form::kVariable && keyword == "reduce") return true;
    return target.op != nullptr && FindKeyword(*target.op, keyword).attr != nullptr;
  }

  // Words in an attr are texts; only dim() looks at nodes.
  void WalkAttr(const Expr& expr) {
    if (expr.is(Expr::Kind::kCall) && expr.text == "dim") return Walk(expr);
    for (const Expr& item : expr.items) WalkAttr(item);
    for (const KeywordArg& k : expr.keywords) WalkAttr(k.value);
  }

  void Add(const Expr& name) {
    if (std::find(hidden_.begin(), hidden_.end(), name.text) != hidden_.end()) return;
    found_.push_back({name.text, name.is(Expr::Kind::kControl)});
  }

  const EntryContext& context_;
  std::vector<EntryName> found_;
  std::vector<std::string_view> hidden_;
};

}  // namespace

std::vector<EntryName> NamesIn(const Expr& expr, const EntryContext& context) {
  return NameFinder(context).In(expr);
}

std::vector<EntryName> NamesInAttrs(const Expr& call, const EntryContext& context) {
  return NameFinder(context).InAttrs(call);
}

std::vector<EntryName> NamesIn(const Entry& entry, const EntryContext& context) {
  std::vector<EntryName> names = NamesIn(entry.expr, context);
  if (entry.condition) {
    const std::vector<EntryName> decide = NamesIn(*entry.condition, context);
    names.insert(names.end(), decide.begin(), decide.end());
  }
  for (const Expr& control : entry.controls) names.push_back({control.text, true});
  return names;
}

}  // namespace dfrun
