#include "src/spec/entry.h"

#include <algorithm>

#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

// Converts a value of the spec to an expression: a list becomes a list, a scalar is parsed or kept as text.
std::optional<Expr> ParseValue(const Yaml& value, bool as_text, const EntryContext& context) {
  Expr expr;
  expr.location = value.location();
  if (value.is_sequence()) {
    expr.kind = Expr::Kind::kList;
    expr.items.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i) {
      std::optional<Expr> item = ParseValue(value.item(i), as_text, context);
      if (!item) return {};
      expr.items.push_back(*std::move(item));
    }
    return expr;
  }
  if (!value.is_scalar()) {
    context.diagnostics.Error(value.location(), "expected a value, not ", value.Describe());
    return {};
  }
  if (!as_text) return ParseScalar(value, context);
  const LocatedText* text = context.params.Substitute(value, context.pool, context.diagnostics);
  if (text == nullptr) return {};
  expr.kind = Expr::Kind::kString;
  expr.text = text->text();
  return expr;
}

// Reads one mapping; every function that fails has reported why.
class MappingParser {
 public:
  MappingParser(const Yaml& map, Entry& entry, const EntryContext& context)
      : map_(map), entry_(entry), context_(context) {}

  bool Parse() {
    const std::optional<Yaml> op = FindKey(map_, "op");
    if (!op) {
      std::vector<std::string> keys;
      for (size_t i = 0; i < map_.size(); ++i) keys.emplace_back(map_.key(i).text());
      const std::string near = Nearest("op", keys);
      context_.diagnostics.Error(entry_.location, "node '", entry_.name, "' lacks 'op'",
                                 near.empty() ? AboutCallee() : StrCat("; is '", near, "' meant for it?"));
      return false;
    }
    LocatedView callee;
    if (!Text(*op, "'op'", callee)) return false;
    entry_.expr.kind = Expr::Kind::kCall;
    entry_.expr.location = callee.location;
    entry_.expr.text = callee.text;
    target_ = FindCallTarget(callee.text, context_.functions, context_.ops);
    bool good = true;
    for (size_t i = 0; i < map_.size(); ++i) good = ParseKey(map_.key(i), map_.value(i)) && good;
    return good;
  }

 private:
  // Explains a key that is the name of an op or of a function; "" where there is none.
  std::string AboutCallee() const {
    for (size_t i = 0; i < map_.size(); ++i) {
      const std::string_view name = map_.key(i).text();
      const CallTarget target = FindCallTarget(name, context_.functions, context_.ops);
      if (target.function != nullptr || target.op != nullptr || target.form != CallTarget::Form::kNone)
        return StrCat("; write {op: ", name, ", inputs: [...]}, or ", name, "(...)");
    }
    return "";
  }

  bool ParseKey(const Yaml& key, const Yaml& value) {
    const std::string_view name = key.text();
    if (name == "op" || name == "each") return true;
    if (name == "inputs") return Inputs(value);
    if (name == "control") return Controls(value);
    if (name == "device") return Text(value, "'device'", entry_.device);
    if (name == "colocate_with") return Text(value, "'colocate_with'", entry_.colocate_with);
    if (name == "compress") return Flag(value, "'compress'", entry_.compress);
    if (name == "if" && !IsOfFunction(name)) return Condition(value);
    const bool is_part_of_while = target_.form == CallTarget::Form::kWhile && (name == "vars" || name == "body");
    // The value of an unknown keyword is not parsed, so that the keyword itself is the reported error.
    const bool as_text = TakesText(target_, name) || IsUnknown(name);
    std::optional<Expr> expr = is_part_of_while && value.is_map() ? Names(value) : ParseValue(value, as_text, context_);
    if (!expr) return false;
    entry_.expr.keywords.push_back({name, key.location(), *std::move(expr), true});
    return true;
  }

  // Whether the called function has an argument or an attr of this name, which comes before the key of all nodes.
  bool IsOfFunction(std::string_view name) const {
    if (target_.function == nullptr) return false;
    const std::vector<Yaml>& args = target_.function->args;
    return TakesText(target_, name) ||
           std::any_of(args.begin(), args.end(), [&](const Yaml& arg) { return arg.text() == name; });
  }

  bool Condition(const Yaml& value) {
    if (!value.is_scalar()) {
      context_.diagnostics.Error(value.location(), "'if' is an expression, such as `training`, not ", value.Describe());
      return false;
    }
    entry_.condition = ParseScalar(value, context_);
    return entry_.condition.has_value();
  }

  bool IsUnknown(std::string_view name) const {
    return target_.op != nullptr && target_.form == CallTarget::Form::kNone && !FindKeyword(*target_.op, name).known();
  }

  // Reads names with expressions, the variables of a loop.
  std::optional<Expr> Names(const Yaml& value) {
    Expr map;
    map.kind = Expr::Kind::kMap;
    map.location = value.location();
    for (size_t i = 0; i < value.size(); ++i) {
      std::optional<Expr> item = ParseValue(value.value(i), false, context_);
      if (!item) return {};
      map.keywords.push_back({value.key(i).text(), value.key(i).location(), *std::move(item)});
    }
    return map;
  }

  bool Flag(const Yaml& value, std::string_view what, bool& out) {
    const std::optional<bool> flag = ValueReader(context_.params, context_.diagnostics).Bool(value, std::string(what));
    out = flag.value_or(false);
    return flag.has_value();
  }

  bool Text(const Yaml& value, std::string_view what, LocatedView& out) {
    if (!value.is_scalar()) {
      context_.diagnostics.Error(value.location(), what, " must be a text, not ", value.Describe());
      return false;
    }
    const LocatedText* text = context_.params.Substitute(value, context_.pool, context_.diagnostics);
    if (text != nullptr) out = {text->text(), text->LocationOf(0)};
    return text != nullptr;
  }

  bool Inputs(const Yaml& value) {
    if (!value.is_sequence()) {
      context_.diagnostics.Error(value.location(), "'inputs' must be a list, not ", value.Describe());
      return false;
    }
    std::optional<Expr> list = ParseValue(value, false, context_);
    if (list) entry_.expr.items = std::move(list->items);
    return list.has_value();
  }

  // Reads names with or without '^'.
  bool Controls(const Yaml& value) {
    std::optional<Expr> list = ParseValue(value, false, context_);
    if (!list) return false;
    if (!list->is(Expr::Kind::kList)) list->items = {*list};
    for (Expr& item : list->items) {
      if (item.is(Expr::Kind::kControl) || (item.is(Expr::Kind::kName) && item.port < 0)) {
        item.kind = Expr::Kind::kControl;
        entry_.controls.push_back(std::move(item));
      } else {
        context_.diagnostics.Error(item.location, "'control' lists names of nodes: [^a, ^b]");
        return false;
      }
    }
    return true;
  }

  const Yaml& map_;
  Entry& entry_;
  const EntryContext& context_;
  CallTarget target_;
};

}  // namespace

void ParseEntry(const GraphEntry& from, Entry& entry, const EntryContext& context) {
  entry.name = from.name.text();
  entry.location = from.name.location();
  if (from.value.is_map()) {
    entry.failed = !MappingParser(from.value, entry, context).Parse();
    return;
  }
  std::optional<Expr> expr;
  if (from.value.is_null()) {
    context.diagnostics.Error(entry.location, "node '", entry.name, "' has no value: write an expression or a mapping");
  } else {
    expr = ParseValue(from.value, false, context);
  }
  entry.failed = !expr;
  if (expr) entry.expr = *std::move(expr);
}

std::optional<Expr> ParseScalar(const Yaml& scalar, const EntryContext& context) {
  const LocatedText* text = context.params.SubstituteInExpr(scalar, context.pool, context.diagnostics);
  if (text == nullptr) return {};
  return ParseExpr(*text, context.diagnostics);
}

}  // namespace dfrun
