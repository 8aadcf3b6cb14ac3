#include "src/spec/schema/function_def.h"

#include <set>

#include "src/graph/graph.h"
#include "src/spec/expr/expr.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

bool IsNodeName(const Yaml& name, Diagnostics& diagnostics) {
  if (IsValueWord(name.text())) {
    diagnostics.Error(name.location(), "'", name.text(), "' is a value in expressions and no name for a node");
    return false;
  }
  if (IsValidNodeName(name.text())) return true;
  diagnostics.Error(name.location(), "'", name.text(),
                    "' is no name for a node: it must be letters, digits and ._/- and ",
                    "begin with a letter, a digit or a dot");
  return false;
}

bool ReadArgs(const Yaml& list, FunctionDef& def, Diagnostics& diagnostics) {
  if (!list.is_sequence()) {
    diagnostics.Error(list.location(), "'args' must be a list of names, not ", list.Describe());
    return false;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Yaml arg = list.item(i);
    if (!arg.is_scalar()) {
      diagnostics.Error(arg.location(), "an argument is a name, not ", arg.Describe());
      return false;
    }
    if (!IsNodeName(arg, diagnostics)) return false;
    def.args.push_back(arg);
  }
  return true;
}

bool ReadAttrs(const Yaml& map, FunctionDef& def, Diagnostics& diagnostics) {
  if (!CheckMap(map, "'attrs'", diagnostics)) return false;
  for (size_t i = 0; i < map.size(); ++i) {
    if (map.value(i).is_map()) {
      diagnostics.Error(map.value(i).location(), "a default is a number, a text, a list or ~, not a mapping");
      return false;
    }
    def.attrs.push_back({map.key(i), map.value(i)});
  }
  return true;
}

bool ReadReturns(const Yaml& key, const Yaml& returns, FunctionDef& def, Diagnostics& diagnostics) {
  if (returns.is_scalar()) {
    def.returns.push_back({key, returns});
  } else {
    ReadGraphEntries(returns, "'returns'", def.returns, diagnostics);
  }
  def.returns_one = def.returns.size() == 1;
  if (!def.returns.empty()) return true;
  diagnostics.Error(key.location(), "function '", def.name, "' returns nothing");
  return false;
}

// Arguments, attrs and local nodes share one namespace.
bool CheckDistinct(const FunctionDef& def, Diagnostics& diagnostics) {
  std::set<std::string_view> seen;
  bool good = true;
  const auto check = [&](const Yaml& name) {
    if (seen.insert(name.text()).second) return;
    diagnostics.Error(name.location(), "function '", def.name, "' has two things named '", name.text(), "'");
    good = false;
  };
  for (const Yaml& arg : def.args) check(arg);
  for (const FunctionDef::AttrArg& attr : def.attrs) check(attr.name);
  for (const GraphEntry& local : def.locals) check(local.name);
  return good;
}

}  // namespace

void ReadGraphEntries(const Yaml& map, std::string_view what, std::vector<GraphEntry>& entries,
                      Diagnostics& diagnostics) {
  if (!CheckMap(map, what, diagnostics)) return;
  entries.reserve(entries.size() + map.size());
  for (size_t i = 0; i < map.size(); ++i) {
    if (IsNodeName(map.key(i), diagnostics)) entries.push_back({map.key(i), map.value(i)});
  }
}

const std::vector<KeyDef>& FunctionKeys() {
  static const std::vector<KeyDef>& keys =
      *new std::vector<KeyDef>{{"args", KeyKind::kTexts},
                               {"attrs", KeyKind::kAnyMapping},
                               {"graph", KeyKind::kNodes},
                               {.name = "returns", .kind = KeyKind::kReturns, .required = true}};
  return keys;
}

std::optional<FunctionDef> ReadFunction(const Yaml& name, const Yaml& value, Diagnostics& diagnostics) {
  FunctionDef def;
  def.name = name.text();
  def.location = name.location();
  def.written = value;
  const std::string what = StrCat("function '", def.name, "'");
  if (!IsNodeName(name, diagnostics)) return {};
  if (!CheckKeys(value, FunctionKeys(), what, diagnostics)) return {};
  bool has_returns = false;
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string_view key = value.key(i).text();
    const Yaml part = value.value(i);
    if (key == "args" && !ReadArgs(part, def, diagnostics)) return {};
    if (key == "attrs" && !ReadAttrs(part, def, diagnostics)) return {};
    if (key == "graph") ReadGraphEntries(part, "'graph'", def.locals, diagnostics);
    if (key == "returns") {
      has_returns = true;
      if (!ReadReturns(value.key(i), part, def, diagnostics)) return {};
    }
  }
  if (!has_returns) {
    diagnostics.Error(def.location, what, " lacks 'returns'");
    return {};
  }
  if (!CheckDistinct(def, diagnostics)) return {};
  return def;
}

}  // namespace dfrun
