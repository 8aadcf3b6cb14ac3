#include "src/spec/call_target.h"

#include <algorithm>
#include <cctype>

#include "src/spec/schema/schema.h"
#include "src/spec/spec_library.h"

namespace dfrun {
namespace {

struct Spelling {
  std::string_view written;
  std::string_view name;
};
// Spellings of attrs. If an op has several of these, the first in this order counts.
constexpr Spelling kSpellings[] = {
    {"axis", "reduction_indices"},
    {"axis", "dimension"},
    {"axis", "dim"},
    {"axis", "concat_dim"},
    {"axis", "split_dim"},
    {"axis", "squeeze_dims"},
    {"axis", "dims"},
    {"keepdims", "keep_dims"},
    {"shape", "dims"},
    {"dtype", "DstT"},
    {"dtype", "out_type"},
    {"dtype", "output_type"},
    {"num_splits", "num_split"},
    {"values", "inputs"},
};

struct FormName {
  std::string_view name;
  CallTarget::Form form;
};
constexpr FormName kForms[] = {
    {"Variable", CallTarget::Form::kVariable},
    {"VariableV2", CallTarget::Form::kVariable},
    {"Const", CallTarget::Form::kConst},
    {"Constant", CallTarget::Form::kConst},
    {"dim", CallTarget::Form::kDim},
    {"tasks", CallTarget::Form::kTasks},
    {"Cond", CallTarget::Form::kCond},
    {"While", CallTarget::Form::kWhile},
    {"VarianceScaling", CallTarget::Form::kRandom},
    {"RandomUniform", CallTarget::Form::kRandom},
    {"RandomNormal", CallTarget::Form::kRandom},
    {"RandomStandardNormal", CallTarget::Form::kRandom},
    {"TruncatedNormal", CallTarget::Form::kRandom},
};

Keyword FindExact(const OpDef& op, std::string_view name) {
  if (const AttrDef* attr = op.FindAttr(name)) return {attr, -1};
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name == name) return {nullptr, static_cast<int>(i)};
  }
  return {};
}

// Whether two words are equal but for upper and lower case.
bool IsSameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

CallTarget FindCallTarget(std::string_view callee, const FunctionMap& functions, const OpRegistry& ops) {
  CallTarget target;
  if (auto it = functions.find(callee); it != functions.end()) {
    target.function = &it->second;
    return target;
  }
  for (const FormName& f : kForms) {
    if (f.name == callee) target.form = f.form;
  }
  target.op = ops.FindByNameOrAlias(target.form == CallTarget::Form::kVariable ? "VariableV2" : callee);
  return target;
}

Keyword FindKeyword(const OpDef& op, std::string_view name) {
  Keyword keyword = FindExact(op, name);
  for (const Spelling& s : kSpellings) {
    if (!keyword.known() && s.written == name) keyword = FindExact(op, s.name);
  }
  return keyword;
}

std::vector<std::string_view> FurtherSpellings() {
  std::vector<std::string_view> out;
  for (const Spelling& s : kSpellings) {
    if (std::find(out.begin(), out.end(), s.written) == out.end()) out.push_back(s.written);
  }
  return out;
}

bool TakesText(const CallTarget& target, std::string_view keyword) {
  if (target.function != nullptr) {
    const auto& attrs = target.function->attrs;
    return std::any_of(attrs.begin(), attrs.end(),
                       [&](const FunctionDef::AttrArg& a) { return a.name.text() == keyword; });
  }
  if (target.op == nullptr) return false;
  const Keyword found = FindKeyword(*target.op, keyword);
  return found.attr != nullptr && (found.attr->type == "string" || found.attr->type == "list(string)");
}

bool CheckFunctionKeywords(const FunctionDef& def, const Expr& call, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const FunctionDef::AttrArg& attr : def.attrs) known.emplace_back(attr.name.text());
  for (const Yaml& arg : def.args) known.emplace_back(arg.text());
  bool good = true;
  for (const KeywordArg& k : call.keywords) {
    if (std::find(known.begin(), known.end(), k.name) != known.end()) continue;
    std::string near = DidYouMean(k.name, known);
    if (near.empty()) {
      for (const std::string& name : known) near += (near.empty() ? "; it takes " : ", ") + name;
    }
    diagnostics.Error(k.location, "unknown attr '", k.name, "' of function '", def.name, "'", near);
    good = false;
  }
  return good;
}

void ReportUnknownCallee(const Expr& call, const FunctionMap& functions, const OpRegistry& ops,
                         Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const auto& [name, def] : functions) names.push_back(name);
  const std::string_view last = call.text.substr(call.text.rfind('.') + 1);  // "relu" in "tf.nn.relu"
  std::string near = DidYouMean(last, names);
  if (near.empty()) near = AboutLibraryFunction(last);
  if (!near.empty()) {
    diagnostics.Error(call.location, "unknown op or function '", call.text, "'", near);
    return;
  }
  const std::vector<const OpDef*> all = ops.List();
  const auto same = std::find_if(all.begin(), all.end(), [&](const OpDef* op) { return IsSameWord(op->name, last); });
  if (same != all.end()) {
    diagnostics.Error(call.location, "unknown op '", call.text, "', did you mean '", (*same)->name, "'?");
  } else {
    diagnostics.Error(call.location, ops.UnknownOp(call.text));
  }
}

}  // namespace dfrun
