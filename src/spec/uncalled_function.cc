#include "src/spec/uncalled_function.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "src/spec/entry.h"
#include "src/spec/expr/expr_walk.h"
#include "src/spec/family.h"
#include "src/spec/op_arguments.h"

namespace dfrun {
namespace {

// The text of an attr without a default: to the parser it is a part of a name, and nobody writes such a name.
constexpr std::string_view kAnyText = "\\\\";

bool IsOpen(std::string_view text) {
  return text.find(kAnyText) != std::string_view::npos;
}

bool IsOpen(const Expr& expr) {
  const auto is_open = [](const auto& part) { return IsOpen(part); };
  return IsOpen(expr.text) || std::any_of(expr.items.begin(), expr.items.end(), is_open) ||
         std::any_of(expr.keywords.begin(), expr.keywords.end(),
                     [](const KeywordArg& k) { return IsOpen(k.name) || IsOpen(k.value); });
}

// Returns true if a text in `value` uses one of the attrs.
bool Uses(const Yaml& value, const std::vector<std::string>& attrs) {
  if (value.is_scalar()) {
    return std::any_of(attrs.begin(), attrs.end(), [&](const std::string& attr) {
      return value.text().find("${" + attr + "}") != std::string_view::npos;
    });
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (Uses(value.is_map() ? value.value(i) : value.item(i), attrs)) return true;
  }
  return false;
}

class UncalledFunction {
 public:
  UncalledFunction(const FunctionDef& def, const EntryContext& context, Params& params)
      : def_(def), context_(context), params_(params) {}

  void Check() {
    SetAttrs();
    for (const Yaml& arg : def_.args) values_.insert(arg.text());
    for (const GraphEntry& local : def_.locals) entries_.insert(local.name.text());
    std::vector<Entry> locals = Parse(def_.locals);
    for (const Entry& entry : locals) CheckEntry(entry);
    CheckCycles(locals, context_);
    for (const Entry& entry : Parse(def_.returns)) CheckEntry(entry);
  }

 private:
  void SetAttrs() {
    for (const FunctionDef::AttrArg& attr : def_.attrs) {
      std::optional<ParamText> text;
      if (!attr.default_value.is_null()) text = params_.SubstituteAll(attr.default_value, context_.diagnostics);
      if (!text) open_attrs_.emplace_back(attr.name.text());
      params_.Set(attr.name.text(), text ? *std::move(text) : ParamText{std::string(kAnyText), std::string(kAnyText)});
    }
    params_.Set("i", "0");
  }

  // A family gives its first member. An entry that an attr without a value makes unreadable is no error, because a
  // value may make it readable.
  std::vector<Entry> Parse(const std::vector<GraphEntry>& list) {
    std::vector<Entry> entries;
    entries.reserve(list.size());
    for (const GraphEntry& from : list) {
      Diagnostics unheeded;
      const EntryContext lenient{context_.functions, context_.ops,  context_.params, context_.cluster,
                                 context_.families,  context_.pool, unheeded};
      ParseEntry(from, entries.emplace_back(), Uses(from.value, open_attrs_) ? lenient : context_);
    }
    return entries;
  }

  void CheckEntry(const Entry& entry) {
    if (entry.failed) return;
    Walk(entry.expr);
    if (entry.condition) Walk(*entry.condition);
    for (const Expr& control : entry.controls) CheckName(control);
    if (!entry.device.text.empty() && !IsOpen(entry.device.text)) {
      if (Status status = context_.cluster.CheckDevice(entry.device.text); !status.ok())
        context_.diagnostics.Error(entry.device.location, status);
    }
  }

  void Walk(const Expr& expr) {
    WalkExpr(
        expr, [&](const Expr& name) { CheckName(name); }, [&](const Expr& call) { WalkCall(call); });
  }

  bool IsMode(const Expr& name) const {
    return name.is(Expr::Kind::kName) && name.text == "training" &&
           std::none_of(def_.attrs.begin(), def_.attrs.end(),
                        [](const FunctionDef::AttrArg& attr) { return attr.name.text() == "training"; });
  }

  // "h/W" may be a node within the entry "h".
  void CheckName(const Expr& name) {
    if (IsOpen(name.text) || IsMode(name) || values_.contains(name.text) || loop_values_.contains(name.text)) return;
    for (std::string_view entry = name.text;; entry = entry.substr(0, entry.rfind('/'))) {
      if (entries_.contains(entry)) return;
      if (entry.find('/') == std::string_view::npos) break;
    }
    std::vector<std::string> known(values_.begin(), values_.end());
    known.insert(known.end(), entries_.begin(), entries_.end());
    const std::string near = DidYouMean(name.text, known);
    context_.diagnostics.Error(
        name.location, "unknown node '", name.text, "'",
        near.empty() ? StrCat("; function '", def_.name, "' sees its arguments and its own nodes") : near);
  }

  void WalkCall(const Expr& call) {
    if (call.is_operator || IsOpen(call.text)) return WalkItems(call);
    const CallTarget target = FindCallTarget(call.text, context_.functions, context_.ops);
    using Form = CallTarget::Form;
    if (target.function != nullptr) return WalkFunction(*target.function, call);
    if (target.form == Form::kWhile) return WalkWhile(call);
    if (target.form == Form::kCond) return WalkArguments(call, [](const KeywordArg&) { return true; });
    if (target.form == Form::kDim) return WalkItems(call);
    if (target.form != Form::kNone) return;
    if (target.op == nullptr) return ReportUnknownCallee(call, context_.functions, context_.ops, context_.diagnostics);
    WalkOp(*target.op, call);
  }

  void WalkItems(const Expr& call) {
    for (const Expr& item : call.items) Walk(item);
  }

  template <class IsValue>
  void WalkArguments(const Expr& call, const IsValue& is_value) {
    WalkItems(call);
    for (const KeywordArg& k : call.keywords) {
      if (is_value(k)) Walk(k.value);
    }
  }

  void WalkFunction(const FunctionDef& callee, const Expr& call) {
    CheckFunctionKeywords(callee, call, context_.diagnostics);
    WalkArguments(call, [&](const KeywordArg& k) {
      return std::any_of(callee.args.begin(), callee.args.end(), [&](const Yaml& arg) { return arg.text() == k.name; });
    });
  }

  void WalkOp(const OpDef& op, const Expr& call) {
    if (IsOpen(call)) {
      return WalkArguments(call, [&](const KeywordArg& k) { return FindKeyword(op, k.name).input >= 0; });
    }
    const std::optional<OpArguments> arguments = MatchArguments(op, call, context_.diagnostics);
    if (!arguments) return;
    for (const std::vector<const Expr*>& input : arguments->inputs) {
      for (const Expr* expr : input) Walk(*expr);
    }
    for (const Expr* control : arguments->controls) CheckName(*control);
  }

  // Condition and body see the variables, or are functions of them.
  void WalkWhile(const Expr& call) {
    WalkItems(call);
    const std::unordered_set<std::string_view> outer = loop_values_;
    for (const KeywordArg& k : call.keywords) {
      if (k.name == "max_iterations") Walk(k.value);
      if (k.name != "vars") continue;
      Walk(k.value);
      for (const KeywordArg& var : k.value.keywords) loop_values_.insert(var.name);
    }
    for (const KeywordArg& k : call.keywords) {
      const bool names_function = k.value.is(Expr::Kind::kName) && context_.functions.contains(k.value.text);
      if ((k.name == "cond" || k.name == "body") && !names_function) Walk(k.value);
    }
    loop_values_ = outer;
  }

  const FunctionDef& def_;
  const EntryContext& context_;
  Params& params_;
  std::vector<std::string> open_attrs_;
  std::unordered_set<std::string_view> values_;   // arguments
  std::unordered_set<std::string_view> entries_;  // nodes of its own
  std::unordered_set<std::string_view> loop_values_;
};

}  // namespace

void CheckUncalled(const FunctionDef& def, const FunctionMap& functions, const OpRegistry& ops, const Params& params,
                   const ClusterSpec& cluster, Diagnostics& diagnostics) {
  Params with_attrs(&params);
  FamilyMap families;
  TextPool pool;
  const EntryContext context{functions, ops, with_attrs, cluster, families, pool, diagnostics};
  UncalledFunction(def, context, with_attrs).Check();
}

}  // namespace dfrun
