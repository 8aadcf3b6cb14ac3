// Lowers calls of functions: each call builds the function's nodes in a scope of its own.
#include <algorithm>

#include "src/spec/family.h"
#include "src/spec/lowering.h"
#include "src/spec/schema/schema.h"

namespace dfrun {

std::vector<SourceCall> Lowering::CallsOf(const CallFrame& frame) {
  std::vector<SourceCall> calls;
  for (const CallFrame* f = &frame; f->function != nullptr; f = f->caller)
    calls.push_back({f->function->name, f->call_location});
  return calls;
}

Lowering::InCall::InCall(Lowering& lowering, FunctionCall& made)
    : lowering_(lowering),
      around_(lowering.call_),
      errors_(lowering.diagnostics_, [&frame = made.frame] { return CallsOf(frame); }) {
  if (made.number < 0) {
    SourceLocation location = made.frame.call_location;
    location.call = around_;
    made.number = static_cast<int32_t>(lowering.graph_.calls().size());
    lowering.graph_.calls().push_back({made.frame.function->name, location});
  }
  lowering.call_ = made.number;
}

bool Lowering::CheckCallCount(const FunctionDef& def, SourceLocation location) {
  if (++num_calls_ <= kMaxCalls && graph_.num_nodes() <= kMaxNodes) return true;
  diagnostics_.Error(location, "with this call of '", def.name, "' the spec has more than ", kMaxCalls,
                     " calls of functions or ", kMaxNodes, " nodes");
  return false;
}

bool Lowering::CheckCallDepth(const CallFrame& frame, const FunctionDef& def, SourceLocation location) {
  // Prints the chain of calls from `first`, one of the callers, to the call of `def`.
  const auto chain = [&](const CallFrame* first) {
    std::string names = def.name;
    for (const CallFrame* f = &frame;; f = f->caller) {
      names.insert(0, StrCat(f->function->name, " -> "));
      if (f == first) return names;
    }
  };
  int depth = 0;
  for (const CallFrame* f = &frame; f->function != nullptr; f = f->caller) {
    if (f->function == &def) {
      diagnostics_.Error(location, "function '", def.name, "' calls itself: ", chain(f));
      return false;
    }
    if (++depth >= kMaxCallDepth) {
      diagnostics_.Error(location, "functions call each other deeper than ", kMaxCallDepth, " levels: ", chain(f));
      return false;
    }
  }
  return true;
}

// Numbers are computed at the call; other texts are read where the function uses them.
std::optional<std::string> Lowering::AttrText(const ExprContext& context, const Expr& value) {
  if (value.is(Expr::Kind::kString)) return std::string(value.text);
  const Folded folded = Fold(context, value);
  if (folded.is_error()) return {};
  if (folded.is_constant()) return ToText(folded.value);
  if (!value.source.empty()) return std::string(value.source);
  std::string out;
  for (const Expr& item : value.items) {
    const std::optional<std::string> text = AttrText(context, item);
    if (!text) return {};
    out += (out.empty() ? "" : ", ") + *text;
  }
  return "[" + out + "]";
}

bool Lowering::BindAttr(const ExprContext& context, const FunctionDef::AttrArg& attr, const Expr* given,
                        const Expr& call, Params& params) {
  std::optional<ParamText> text;
  if (given != nullptr) {
    if (const std::optional<std::string> of_call = AttrText(context, *given)) text = ParamText{*of_call, *of_call};
    if (text && PassesMode(context, *given, call))
      text = ParamText{std::string(given->source), std::string(given->source)};
  } else if (attr.default_value.is_null()) {
    diagnostics_.Error(call.location, "function '", call.text, "' needs the attr '", attr.name.text(), "'");
  } else {
    text = params.SubstituteAll(attr.default_value, diagnostics_);
  }
  if (!text) return false;
  params.Set(attr.name.text(), *std::move(text));
  return true;
}

// Finds the expression of each argument.
bool Lowering::MatchArgumentsOf(const ExprContext& context, const Expr& call, FunctionCall& made) {
  std::vector<const Expr*> plain;
  bool good = true;
  for (const Expr& item : call.items) {
    if (!item.is(Expr::Kind::kControl)) {
      plain.push_back(&item);
      continue;
    }
    good = AddControl(context.frame, item, made.frame.options.controls) && good;
  }
  size_t at = 0;
  for (const Yaml& arg : made.def.args) {
    const Expr* given = FindKeywordArg(call, arg.text());
    if (given == nullptr && at < plain.size()) given = plain[at++];
    if (given == nullptr) {
      diagnostics_.Error(call.location, "function '", made.def.name, "' lacks its argument '", arg.text(), "'");
      return false;
    }
    made.arguments.push_back(given);
  }
  if (at == plain.size()) return good;
  diagnostics_.Error(plain[at]->location, "function '", made.def.name, "' takes ", at,
                     at == 1 ? " argument" : " arguments", ", this is one more (attrs are written name=value)");
  return false;
}

// The argument is lowered as an operand; a constant is named after the argument.
bool Lowering::BindArgument(const ExprContext& context, size_t i, FunctionCall& made) {
  const std::string_view arg = made.def.args[i].text();
  const Expr& given = *made.arguments[i];
  const bool is_constant = Fold(context, given).is_constant();
  const std::string name = is_constant ? FreshName(context.frame, made.frame.scope, arg) : "";
  const std::optional<Output> output = LowerOne(context, given, name);
  if (output) made.frame.values.emplace(arg, Value{{*output}});
  return output.has_value();
}

bool Lowering::BeginCall(const ExprContext& context, const Expr& call, const std::string& own_name,
                         FunctionCall& made) {
  const FunctionDef& def = made.def;
  if (!CheckCallCount(def, call.location) || !CheckCallDepth(context.frame, def, call.location)) return false;
  CallFrame& frame = made.frame;
  frame.scope = own_name.empty() ? FreshName(context.frame, context.scope, def.name) : own_name;
  frame.params = &made.params;
  frame.options = context.frame.options;
  frame.function = &def;
  frame.caller = &context.frame;
  frame.call_location = call.location;
  frame.as_for_training = context.frame.as_for_training || in_.fed_calls.contains(frame.scope);
  scopes_.insert(frame.scope);
  called_.insert(&def);
  if (!context.own.device.empty()) frame.options.device = context.own.device;
  frame.options.compress |= context.own.compress;
  if (!own_name.empty()) {
    if (!context.own.colocate_with.empty()) frame.options.colocate_with = context.own.colocate_with;
    frame.options.controls.insert(frame.options.controls.end(), context.own.controls.begin(),
                                  context.own.controls.end());
  }
  bool good = CheckFunctionKeywords(def, call, diagnostics_);
  for (const FunctionDef::AttrArg& attr : def.attrs)
    good = BindAttr(context, attr, FindKeywordArg(call, attr.name.text()), call, made.params) && good;
  return MatchArgumentsOf(context, call, made) && good;
}

std::optional<Value> Lowering::LowerFunction(const ExprContext& context, const FunctionDef& def, const Expr& call,
                                             const std::string& own_name) {
  FunctionCall made(def, in_.params);
  bool good = BeginCall(context, call, own_name, made);
  for (size_t i = 0; i < made.arguments.size(); ++i) good = BindArgument(context, i, made) && good;
  if (!good) return {};
  const InCall in_call(*this, made);
  LowerEntries(made.frame, def.locals);
  std::vector<Entry> returns = ParseEntries(def.returns, Parsing(made.frame));
  return LowerReturns(made.frame, def, returns);
}

std::optional<Value> Lowering::LowerReturns(CallFrame& frame, const FunctionDef& def, std::vector<Entry>& returns) {
  Value returned;
  bool good = true;
  for (Entry& entry : returns) {
    if (entry.failed) return {};
    if (entry.condition) {
      diagnostics_.Error(entry.condition->location, "a function gives its values in both modes: 'if' is no key within ",
                         "'returns'; write Cond(training, a, b) for the value, or 'if' at the node of the call");
      return {};
    }
    const std::optional<NodeOptions> options = EntryOptions(frame, entry);
    if (!options) return {};
    const bool is_itself = entry.expr.is(Expr::Kind::kName) && entry.expr.text == entry.name;
    std::string name = def.returns_one ? frame.scope : StrCat(frame.scope, "/", entry.name);
    if (is_itself && !def.returns_one) name.clear();
    const std::string& scope = name.empty() ? frame.scope : name;
    const std::optional<Output> output = LowerOne({frame, scope, *options}, entry.expr, name);
    if (output) returned.outputs.push_back(*output);
    good = good && output.has_value();
  }
  if (!good) return {};
  return returned;
}

}  // namespace dfrun
