// Modes: decides, while the graph is built, what `training` decides.
#include <algorithm>

#include "src/spec/lowering.h"
#include "src/spec/schema/node_keys.h"

namespace dfrun {
namespace {

constexpr std::string_view kMode = "training";

bool HasName(const std::vector<Yaml>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const Yaml& n) { return n.text() == name; });
}

bool HasAttr(const FunctionDef& def, std::string_view name) {
  return std::any_of(def.attrs.begin(), def.attrs.end(), [&](const auto& attr) { return attr.name.text() == name; });
}

// The argument of a Cond, in order or by name; null where it is not given.
const Expr* ArgumentOf(const Expr& cond, size_t i) {
  if (i < cond.items.size()) return &cond.items[i];
  return FindKeywordArg(cond, CondKeys()[i].name);
}

bool HasFraction(const Constant& constant) {
  return std::any_of(constant.elements.begin(), constant.elements.end(),
                     [](const Constant::Scalar& e) { return std::holds_alternative<double>(e); });
}

// Makes fractions of its numbers.
void Widen(Constant& constant) {
  for (Constant::Scalar& element : constant.elements) {
    if (const std::optional<double> number = AsDouble(element)) element = *number;
  }
}

bool AreAlike(const Constant& a, const Constant& b) {
  if (a.dims != b.dims) return false;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    const bool are_numbers = AsDouble(a.elements[i]) && AsDouble(b.elements[i]);
    if (!are_numbers && a.elements[i].index() != b.elements[i].index()) return false;
  }
  return true;
}

}  // namespace

bool Lowering::IsMode(const CallFrame& frame, const Expr& expr) const {
  if (!expr.is(Expr::Kind::kName) || expr.text != kMode || expr.port >= 0) return false;
  for (const CallFrame* f = &frame; f != nullptr; f = f->around) {
    if (f->values.contains(kMode) || f->entries.contains(kMode)) return false;
  }
  if (frame.function == nullptr) return frame.params->Find(kMode) == nullptr && graph_.Find(std::string(kMode)) < 0;
  return !HasName(frame.function->args, kMode) && !HasAttr(*frame.function, kMode);
}

std::optional<Lowering::ModeBool> Lowering::ModeBoolOf(const ExprContext& context, const Expr& expr, ModeNodes nodes) {
  if (expr.is(Expr::Kind::kBool)) return ModeBool{expr.int_value != 0, expr.int_value != 0, false};
  if (expr.is(Expr::Kind::kName)) return ModeBoolOfName(context, expr, nodes);
  return expr.is(Expr::Kind::kCall) ? ModeBoolOfCall(context, expr, nodes) : std::nullopt;
}

std::optional<Lowering::ModeBool> Lowering::ModeBoolOfName(const ExprContext& context, const Expr& name,
                                                           ModeNodes nodes) {
  if (IsMode(context.frame, name)) {
    ++mode_reads_;
    if (in_init_) {
      diagnostics_.ErrorOfCall(name.location,
                               "the 'init' of a variable is the same in all modes, since it is made before any step: ",
                               "it cannot depend on `training`");
    }
    return ModeBool{in_.training, in_.training || context.frame.as_for_training, true};
  }
  if (nodes == ModeNodes::kUnread || mode_bools_.empty() || name.port > 0) return {};
  Value storage;
  const Value* value = FindValue(context.frame, name.text, storage);
  if (value == nullptr || value->failed || value->absent || value->outputs.size() != 1) return {};
  const auto found = mode_bools_.find(value->outputs[0].node);
  if (found == mode_bools_.end()) return {};
  ++mode_reads_;
  return found->second;
}

std::optional<Lowering::ModeBool> Lowering::ModeBoolOfCall(const ExprContext& context, const Expr& call,
                                                           ModeNodes nodes) {
  const bool is_not = call.text == "LogicalNot";
  const bool is_and = call.text == "LogicalAnd";
  const bool is_or = call.text == "LogicalOr";
  const bool is_equal = call.text == "Equal";
  const bool is_unequal = call.text == "NotEqual";
  const size_t operands = is_not ? 1 : 2;
  if (!(is_not || is_and || is_or || is_equal || is_unequal) || call.items.size() != operands || !call.keywords.empty())
    return {};
  const std::optional<ModeBool> a = ModeBoolOf(context, call.items[0], nodes);
  const std::optional<ModeBool> b = is_not ? ModeBool() : ModeBoolOf(context, call.items[1], nodes);
  if (!a || !b) return {};
  const auto apply = [&](bool x, bool y) {
    if (is_not) return !x;
    if (is_and) return x && y;
    if (is_or) return x || y;
    return (x == y) == is_equal;
  };
  return ModeBool{apply(a->value, b->value), apply(a->choice, b->choice), a->depends_on_mode || b->depends_on_mode};
}

std::optional<bool> Lowering::ModeChoice(const ExprContext& context, const Expr& pred) {
  const std::optional<ModeBool> decided = ModeBoolOf(context, pred, ModeNodes::kRead);
  return decided && decided->depends_on_mode ? std::optional(decided->choice) : std::nullopt;
}

Folded Lowering::FoldDecidedCond(const ExprContext& context, const Expr& call) {
  const Expr* const pred = ArgumentOf(call, 0);
  const Expr* const sides[] = {ArgumentOf(call, 2), ArgumentOf(call, 1)};
  if (pred == nullptr || sides[0] == nullptr || sides[1] == nullptr) return {};
  const std::optional<ModeBool> decided = ModeBoolOf(context, *pred, ModeNodes::kUnread);
  if (!decided || !decided->depends_on_mode) return {};
  Folded taken = Fold(context, *sides[decided->value ? 1 : 0]);
  if (!taken.is_constant()) return taken;
  Diagnostics unheeded;  // the side is not built here
  const Folded other = FoldExpr(*sides[decided->value ? 0 : 1], unheeded);
  if (!other.is_constant()) return {};
  if (!AreAlike(taken.value, other.value)) {
    const Constant& then = decided->value ? taken.value : other.value;
    const Constant& or_else = decided->value ? other.value : taken.value;
    diagnostics_.Error(sides[0]->location, "the sides of a Cond give ", ToText(then), " and ", ToText(or_else),
                       "; both must give the same dtype and shape");
    return {Folded::Kind::kError, {}};
  }
  if (HasFraction(other.value)) Widen(taken.value);
  return taken;
}

std::optional<Value> Lowering::LowerDecidedSide(const ExprContext& context, const Expr& side,
                                                const std::string& own_name) {
  const NodeId first = graph_.num_nodes();
  std::optional<Value> value;
  if (side.is(Expr::Kind::kList) && !Fold(context, side).is_constant()) {
    value.emplace();
    for (size_t i = 0; i < side.items.size(); ++i) {
      const std::string name = own_name.empty() ? "" : StrCat(own_name, "/", i);
      const std::optional<Output> item = LowerOne(context, side.items[i], name);
      if (!item) return {};
      value->outputs.push_back(*item);
    }
  } else {
    value = LowerExpr(context, side, own_name);
  }
  if (!value) return {};
  for (const Output output : value->outputs) {
    if (output.node >= first && graph_.node(output.node).op->name == "Const") mode_constants_.insert(output.node);
  }
  if (!value->outputs.empty()) return value;
  diagnostics_.Error(side.location, "the side of a Cond gives no value; both must give as many, and at least one");
  return {};
}

// The form of the other mode has the other side.
bool Lowering::CheckDecidedSides(const ExprContext& context, const Expr& call, const Expr& otherwise,
                                 const Value& value) {
  const SourceLocation at = call.location;
  const std::string key = StrCat(context.frame.scope, " ", context.scope, " ", at.file, ":", at.line, ":", at.column);
  std::vector<std::pair<DType, PartialShape>>& own = decided_sides_[key];
  own.clear();
  for (const Output output : value.outputs) own.emplace_back(graph_.dtype(output), graph_.shape(output));
  if (in_.other_sides == nullptr) return true;
  const auto found = in_.other_sides->find(key);
  if (found == in_.other_sides->end()) return true;
  const auto& other = found->second;
  if (own.size() != other.size()) {
    diagnostics_.ErrorOfCall(call.location, "the sides of a Cond give ", (in_.training ? own : other).size(), " and ",
                             (in_.training ? other : own).size(), " values; both must give as many");
    return false;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i].first == other[i].first && own[i].second.IsCompatibleWith(other[i].second)) continue;
    const auto& then = in_.training ? own[i] : other[i];
    const auto& or_else = in_.training ? other[i] : own[i];
    diagnostics_.ErrorOfCall(otherwise.location, "the sides of a Cond give ", then.first, then.second,
                             " in training and ", or_else.first, or_else.second,
                             " elsewhere; both must give the same dtype and shape");
    return false;
  }
  return true;
}

void Lowering::NoteModeConstant(const ExprContext& context, const Expr& expr, NodeId node) {
  mode_constants_.insert(node);
  const std::optional<ModeBool> decided = ModeBoolOf(context, expr, ModeNodes::kUnread);
  if (decided) mode_bools_[node] = *decided;
}

std::optional<bool> Lowering::IsPresent(CallFrame& frame, const Entry& entry) {
  if (!entry.condition) return true;
  const Expr& condition = *entry.condition;
  const NodeOptions options;
  const std::string scope(entry.name);
  const ExprContext context{frame, scope, options};
  if (const std::optional<ModeBool> decided = ModeBoolOf(context, condition, ModeNodes::kRead)) return decided->choice;
  Value storage;
  const bool is_unknown = condition.is(Expr::Kind::kName) && FindValue(frame, condition.text, storage) == nullptr;
  if (is_unknown) {
    ReportUnknownName(frame, condition);
  } else {
    diagnostics_.Error(condition.location,
                       "'if' says whether there is a node, and so is known when the graph is built: `training`, ",
                       "LogicalNot(training), true or false, not '", condition.source,
                       "'; Cond(condition, a, b) decides in each step");
  }
  return {};
}

void Lowering::ReportAbsent(const Expr& name, const Value& absent) {
  diagnostics_.ErrorOfCall(name.location, "'", name.text, "' is not there ",
                           in_.training ? "in training" : "outside of training", ", by its 'if' (",
                           diagnostics_.Print(absent.absent_by), "), and this reads it there: give this an 'if' too, ",
                           "or choose by Cond(training, a, b)");
}

bool Lowering::PassesMode(const ExprContext& context, const Expr& value, const Expr& call) {
  const std::optional<ModeBool> decided = ModeBoolOf(context, value, ModeNodes::kUnread);
  if (!decided || !decided->depends_on_mode || value.source.empty()) return false;
  const auto callee = in_.functions.find(call.text);
  if (callee == in_.functions.end()) return false;
  const FunctionDef& def = callee->second;
  return !HasName(def.args, kMode) && !HasAttr(def, kMode) &&
         std::none_of(def.locals.begin(), def.locals.end(),
                      [](const GraphEntry& entry) { return entry.name.text() == kMode; });
}

std::string Lowering::AboutHiddenMode(const CallFrame& frame, std::string_view name) const {
  if (name != kMode) return "";
  const bool has_attr = frame.function != nullptr && HasAttr(*frame.function, kMode);
  const bool has_param = frame.function == nullptr && frame.params->Find(kMode) != nullptr;
  if (!has_attr && !has_param) return "; it is the mode, which is a value and no node to wait for";
  const char* const what = has_attr ? "attr" : "param";
  return StrCat("; the ", what, " of this name is written ${training}, and hides the mode, which another name of the ",
                what, " shows again");
}

}  // namespace dfrun
