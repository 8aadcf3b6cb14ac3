#include "src/framework/op/op.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "src/base/printable.h"

namespace dfrun {
namespace {

std::vector<OpBuilder>& PendingOps() {
  static std::vector<OpBuilder>& pending = *new std::vector<OpBuilder>();
  return pending;
}

std::string PrintArgs(const std::vector<ArgDef>& args) {
  std::string out = "(";
  for (const ArgDef& a : args) {
    if (out.size() > 1) out += ", ";
    out += a.name + ": ";
    if (!a.number_attr.empty()) out += a.number_attr + " * ";
    std::string type = a.dtype != DType::kInvalid ? std::string(DTypeName(a.dtype)) : a.type_attr + a.type_list_attr;
    out += a.is_ref ? "Ref(" + type + ")" : type;
  }
  return out + ")";
}

std::string PrintAttr(const AttrDef& a) {
  std::string out = a.name + ": ";
  if (!a.allowed_types.empty()) {
    out += a.type == "list(type)" ? "list({" : "{";
    for (size_t i = 0; i < a.allowed_types.size(); ++i)
      out += (i > 0 ? ", " : "") + std::string(DTypeName(a.allowed_types[i]));
    out += a.type == "list(type)" ? "})" : "}";
  } else if (!a.allowed_strings.empty()) {
    out += "{";
    for (size_t i = 0; i < a.allowed_strings.size(); ++i) out += (i > 0 ? ", '" : "'") + a.allowed_strings[i] + "'";
    out += "}";
  } else {
    out += a.type;
  }
  if (a.minimum) out += " >= " + std::to_string(*a.minimum);
  if (!a.default_value.empty()) out += " = " + a.default_value.ToString();
  return out;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] =
          std::min({above + 1, row[j - 1] + 1, diagonal + (std::tolower(a[i - 1]) == std::tolower(b[j - 1]) ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Nearest(std::string_view text, const std::vector<std::string>& candidates) {
  std::string best;
  // A suggestion must share at least one letter with the text.
  size_t best_distance = std::min(std::max<size_t>(2, text.size() / 3) + 1, text.size());
  for (const std::string& c : candidates) {
    if (c.size() > text.size() + best_distance || text.size() > c.size() + best_distance) continue;
    const size_t d = EditDistance(text, c);
    if (d < best_distance) {
      best_distance = d;
      best = c;
    }
  }
  return best;
}

const AttrDef* OpDef::FindAttr(std::string_view attr) const {
  for (const AttrDef& a : attrs) {
    if (a.name == attr) return &a;
  }
  return nullptr;
}

GradientFlow OpDef::FlowBetween(int input, int output) const {
  const auto names = [&](const GradientFlowOf& of) {
    return (of.input < 0 || of.input == input) && (of.output < 0 || of.output == output);
  };
  const auto last = std::find_if(gradient_flow_of.rbegin(), gradient_flow_of.rend(), names);
  return last == gradient_flow_of.rend() ? gradient_flow : last->flow;
}

std::string OpDef::Signature() const {
  std::string out = name + PrintArgs(inputs) + " -> " + PrintArgs(outputs);
  for (const AttrDef& a : attrs) out += "; " + PrintAttr(a);
  return out;
}

Status OpRegistry::Register(const OpBuilder& builder) {
  DF_ASSIGN(OpDef def, builder.Finish());
  const std::string name = def.name;
  auto [it, added] = ops_.emplace(name, std::move(def));
  if (!added) return Error(Code::kAlreadyExists, "op '", name, "' is registered twice");
  for (const std::string& alias : it->second.aliases) {
    if (!aliases_.emplace(alias, &it->second).second)
      return Error(Code::kAlreadyExists, "alias '", alias, "' is registered twice");
  }
  return Status();
}

const OpRegistry& OpRegistry::Builtin() {
  static const OpRegistry& registry = *[] {
    auto* made = new OpRegistry();
    for (const OpBuilder& builder : PendingOps()) {
      if (Status s = made->Register(builder); !s.ok()) {
        std::fprintf(stderr, "dfrun: %s\n", s.ToString().c_str());
        std::abort();
      }
    }
    std::vector<OpBuilder>().swap(PendingOps());
    return made;
  }();
  return registry;
}

const OpDef* OpRegistry::Find(std::string_view name) const {
  auto it = ops_.find(name);
  return it == ops_.end() ? nullptr : &it->second;
}

const OpDef* OpRegistry::FindByNameOrAlias(std::string_view name) const {
  if (const OpDef* op = Find(name)) return op;
  auto it = aliases_.find(name);
  return it == aliases_.end() ? nullptr : it->second;
}

Status OpRegistry::UnknownOp(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& [known, def] : ops_) names.push_back(known);
  for (const auto& [alias, def] : aliases_) names.push_back(alias);
  const std::string near = Nearest(name, names);
  return InvalidArgument("unknown op '", PrintableLine(name), "'",
                         near.empty() ? "; `dfrun ops` lists them" : StrCat(", did you mean '", near, "'?"));
}

std::vector<const OpDef*> OpRegistry::List() const {
  std::vector<const OpDef*> list;
  for (const auto& [name, def] : ops_) list.push_back(&def);
  return list;
}

namespace internal {
OpRegistration::OpRegistration(OpBuilder& builder) {
  PendingOps().push_back(std::move(builder));  // the temporary of OP()
}
}  // namespace internal

}  // namespace dfrun
