#include "src/graph/graph_def/node_def_attrs.h"

#include <algorithm>
#include <utility>

#include "src/graph/colocation.h"
#include "src/graph/graph_def/attr_proto.h"

namespace dfrun {
namespace {

// Returns true for an attr value that asks for nothing: false, 0, "" or an empty list.
bool SaysNothing(const proto::AttrValue& value) {
  switch (value.value_case()) {
    case proto::AttrValue::kB:
      return !value.b();
    case proto::AttrValue::kI:
      return value.i() == 0;
    case proto::AttrValue::kS:
      return value.s().empty();
    case proto::AttrValue::kList:
      return value.list().ByteSizeLong() == 0;
    default:
      return false;
  }
}

// Returns true for an attr that neither the op nor the system knows, and whose value asks for something.
bool IsUnknownAttr(const OpDef& op, const std::string& name, const proto::AttrValue& value) {
  return op.FindAttr(name) == nullptr && !name.starts_with('_') && !SaysNothing(value);
}

// The first node that _class names becomes colocate_with; the others stay in the attr, where placement reads them.
void TakeColocation(NodeSpec& spec) {
  const AttrValue* attr = spec.attrs.Find(kClassAttr);
  const auto* classes = attr == nullptr ? nullptr : attr->get<std::vector<std::string>>();
  if (classes == nullptr) return;
  std::vector<std::string> rest = *classes;
  const auto first =
      std::find_if(rest.begin(), rest.end(), [](const std::string& c) { return !ColocationName(c).empty(); });
  if (first == rest.end()) return;
  spec.colocate_with = ColocationName(*first);
  rest.erase(first);
  if (rest.empty()) {
    spec.attrs.Erase(kClassAttr);
  } else {
    spec.attrs.Set(kClassAttr, std::move(rest));
  }
}

}  // namespace

std::string UnknownAttrOf(const OpDef& op, const ProtoAttrs& attrs) {
  std::string first;
  for (const auto& [name, value] : attrs) {
    if (IsUnknownAttr(op, name, value) && (first.empty() || name < first)) first = name;
  }
  if (first.empty()) return "";
  std::vector<std::string> known;
  for (const AttrDef& def : op.attrs) known.push_back(def.name);
  const std::string near = Nearest(first, known);
  return StrCat("unknown attr '", first, "' of ", op.name, near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
}

Status TakeAttrs(const OpDef& op, ProtoAttrs& attrs, ExpansionBudget& budget, NodeSpec& spec) {
  for (auto it = attrs.begin(); it != attrs.end();) {
    const std::string& name = it->first;
    const AttrDef* known = op.FindAttr(name);
    const bool system = !name.empty() && name[0] == '_';
    if (known == nullptr && !system && SaysNothing(it->second)) {
      ++it;  // an attr of a later version of the op, unused here
      continue;
    }
    Result<AttrValue> value = AttrFromProto(it->second, known == nullptr ? "" : known->type, budget);
    if (!value.ok()) {
      if (known != nullptr || !system) return value.status().Annotate(StrCat("attr '", name, "'"));
      ++it;
      continue;
    }
    spec.attrs.Set(name, *std::move(value));
    it = attrs.erase(it);
  }
  TakeColocation(spec);
  return Status();
}

}  // namespace dfrun
