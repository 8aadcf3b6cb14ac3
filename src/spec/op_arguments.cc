#include "src/spec/op_arguments.h"

#include "src/spec/schema/node_keys.h"
#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

bool IsRepeated(const ArgDef& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

bool MayBeLeftOut(const ArgDef& arg) {
  return arg.name == "reduction_indices";
}

void ReportUnknownKeyword(const OpDef& op, const KeywordArg& keyword, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const AttrDef& attr : op.attrs) known.push_back(attr.name);
  for (const ArgDef& arg : op.inputs) known.push_back(arg.name);
  const bool is_of_node = FindKeyDef(NodeKeys(), keyword.name) != nullptr;
  for (const KeyDef& key : NodeKeys()) {
    if (keyword.of_mapping && key.name != "op") known.push_back(key.name);
  }
  std::string near = DidYouMean(keyword.name, known);
  if (is_of_node && !keyword.of_mapping)
    near = StrCat("; it is a key of a mapping: {op: ", op.name, ", inputs: [...], ", keyword.name, ": ...}");
  if (near.empty()) near = StrCat("; its signature is ", op.Signature());
  diagnostics.Error(keyword.location, "unknown attr '", keyword.name, "' of ", op.name, near);
}

std::vector<const Expr*> Elements(const Expr& value, bool repeated) {
  std::vector<const Expr*> out;
  if (!repeated || !value.is(Expr::Kind::kList)) return {&value};
  for (const Expr& item : value.items) out.push_back(&item);
  return out;
}

bool MatchKeywords(const OpDef& op, const Expr& call, OpArguments& out, std::vector<bool>& given,
                   Diagnostics& diagnostics) {
  for (const KeywordArg& k : call.keywords) {
    const Keyword found = FindKeyword(op, k.name);
    if (found.attr != nullptr) {
      out.attrs.emplace_back(found.attr, &k.value);
    } else if (found.input >= 0 && !given[found.input]) {
      given[found.input] = true;
      out.inputs[found.input] = Elements(k.value, IsRepeated(op.inputs[found.input]));
    } else if (found.input >= 0) {
      diagnostics.Error(k.location, "input '", op.inputs[found.input].name, "' of ", op.name, " is given twice");
      return false;
    } else {
      ReportUnknownKeyword(op, k, diagnostics);
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<OpArguments> MatchArguments(const OpDef& op, const Expr& call, Diagnostics& diagnostics) {
  OpArguments out;
  out.inputs.resize(op.inputs.size());
  std::vector<bool> given(op.inputs.size());
  if (!MatchKeywords(op, call, out, given, diagnostics)) return {};

  std::vector<const Expr*> plain;
  for (const Expr& item : call.items) (item.is(Expr::Kind::kControl) ? out.controls : plain).push_back(&item);
  size_t at = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (given[i]) continue;
    const ArgDef& arg = op.inputs[i];
    size_t later = 0;
    for (size_t j = i + 1; j < op.inputs.size(); ++j) later += given[j] || MayBeLeftOut(op.inputs[j]) ? 0 : 1;
    const size_t left = plain.size() - at;
    if (IsRepeated(arg) && (left == 0 || !plain[at]->is(Expr::Kind::kList))) {
      for (size_t n = left > later ? left - later : 0; n > 0; --n) out.inputs[i].push_back(plain[at++]);
    } else if (left > 0) {
      out.inputs[i] = Elements(*plain[at++], IsRepeated(arg));
    } else if (!MayBeLeftOut(arg)) {
      diagnostics.Error(call.location, op.name, " lacks its input '", arg.name, "'; its signature is ", op.Signature());
      return {};
    }
  }
  if (at < plain.size()) {
    diagnostics.Error(plain[at]->location, op.name, " takes ", at, at == 1 ? " input" : " inputs",
                      ", this is one more (attrs are written name=value); its signature is ", op.Signature());
    return {};
  }
  return out;
}

}  // namespace dfrun
