#include "src/graph/unknown_ops.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/printable.h"

namespace dfrun {
namespace {

// There are fewer ops than this; a hostile file can name more.
constexpr size_t kMaxShown = 2000;

class UnknownOps {
 public:
  UnknownOps(const proto::GraphDef& def, const OpRegistry& ops) : ops_(ops) {
    for (const proto::FunctionDef& function : def.library().function()) {
      functions_.emplace(function.signature().name(), &function);
    }
  }

  void AddNode(const proto::NodeDef& node, std::string_view function) {
    for (const auto& [name, value] : node.attr()) AddFunctionsOf(value);
    if (ops_.Find(node.op()) != nullptr) return;
    if (functions_.count(node.op()) != 0) return AddFunction(node.op());
    auto [it, added] = unknown_.try_emplace(node.op(), Use{node.name(), function, 0});
    ++it->second.count;
  }

  // Those that nodes so far have asked for, and those that they ask for in turn.
  void AddUsedFunctions() {
    while (!pending_.empty()) {
      const proto::FunctionDef& function = *pending_.back();
      pending_.pop_back();
      for (const proto::NodeDef& node : function.node_def()) AddNode(node, function.signature().name());
    }
  }

  Status Report() const {
    if (unknown_.empty()) return Status();
    std::string text;
    size_t shown = 0;
    for (const auto& [op, use] : unknown_) {
      if (++shown > kMaxShown) {
        text += StrCat("\n  ... and ", unknown_.size() - kMaxShown, " more unknown ops");
        break;
      }
      text += StrCat(unknown_.size() > 1 ? "\n  " : "", "node '", PrintableLine(use.node), "'",
                     use.function.empty() ? "" : StrCat(" of function '", PrintableLine(use.function), "'"),
                     use.count > 1 ? StrCat(" and ", use.count - 1, " more") : "", ": ", ops_.UnknownOp(op).message());
    }
    return InvalidArgument(unknown_.size() > 1 ? StrCat(unknown_.size(), " unknown ops:") : "", text);
  }

 private:
  struct Use {
    std::string_view node;      // the first
    std::string_view function;  // that it is in; empty: the graph
    int count;
  };

  void AddFunction(std::string_view name) {
    const auto it = functions_.find(name);
    if (it != functions_.end() && seen_.insert(name).second) pending_.push_back(it->second);
  }

  void AddFunctionsOf(const proto::AttrValue& value) {
    if (value.has_func()) AddFunction(value.func().name());
    for (const proto::NameAttrList& function : value.list().func()) AddFunction(function.name());
  }

  const OpRegistry& ops_;
  std::map<std::string_view, const proto::FunctionDef*> functions_;
  std::set<std::string_view> seen_;
  std::vector<const proto::FunctionDef*> pending_;
  std::map<std::string_view, Use> unknown_;
};

}  // namespace

Status CheckOpsKnown(const proto::GraphDef& def, const OpRegistry& ops) {
  UnknownOps unknown(def, ops);
  for (const proto::NodeDef& node : def.node()) unknown.AddNode(node, "");
  unknown.AddUsedFunctions();
  return unknown.Report();
}

}  // namespace dfrun
