#include "src/graph/graph_def/unknown_ops.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/node_def_attrs.h"

namespace dfrun {
namespace {

// The bound of the ops that a list shows: there are fewer ops, but a hostile file can name more.
constexpr size_t kMaxShown = 2000;

using Functions = std::map<std::string_view, const proto::FunctionDef*>;

// The functions that a node names, in attrs or by its op.
std::vector<std::string_view> FunctionsNamed(const proto::NodeDef& node) {
  std::vector<std::string_view> names = {node.op()};
  for (const auto& [name, value] : node.attr()) {
    if (value.has_func()) names.push_back(value.func().name());
    for (const proto::NameAttrList& function : value.list().func()) names.push_back(function.name());
  }
  return names;
}

// The first dtype in the op's attrs that is not supported here.
std::string UnsupportedDType(const OpDef& op, const proto::NodeDef& node) {
  for (const auto& [name, value] : node.attr()) {
    if (op.FindAttr(name) == nullptr) continue;
    std::vector<int> types(value.list().type().begin(), value.list().type().end());
    if (value.value_case() == proto::AttrValue::kType) types.push_back(value.type());
    for (const int type : types) {
      const Result<DType> dtype = DTypeFromProto(type);
      if (!dtype.ok()) return StrCat("attr '", name, "' of ", node.op(), ": ", dtype.status().message());
    }
  }
  return "";
}

// The reason for which a node cannot be read, apart from the functions that it calls.
std::string WhyUnknown(const proto::NodeDef& node, const Functions& functions, const OpRegistry& ops) {
  if (const OpDef* op = ops.Find(node.op())) {
    std::string attr = UnknownAttrOf(*op, node.attr());
    return attr.empty() ? UnsupportedDType(*op, node) : attr;
  }
  return functions.contains(node.op()) ? "" : std::string(ops.UnknownOp(node.op()).message());
}

// The functions with an unknown node, their own or that of a function that they call, each with the reason.
class UnknownFunctions {
 public:
  UnknownFunctions(const proto::GraphDef& def, const OpRegistry& ops) {
    for (const proto::FunctionDef& function : def.library().function()) {
      functions_.emplace(function.signature().name(), &function);
    }
    for (const auto& [name, function] : functions_) Look(name, *function, ops);
    while (!todo_.empty()) {  // from functions to their callers; calls may be nested to any depth
      const std::string_view name = todo_.back();
      todo_.pop_back();
      for (const std::string_view caller : callers_[name]) Note(caller, why_.at(name));
    }
  }

  const Functions& functions() const { return functions_; }
  // Empty if the functions that the node calls can be read.
  std::string WhyOf(const proto::NodeDef& node) const {
    if (why_.empty()) return "";
    for (const std::string_view name : FunctionsNamed(node)) {
      if (const auto found = why_.find(name); found != why_.end()) return found->second;
    }
    return "";
  }

 private:
  void Look(std::string_view name, const proto::FunctionDef& function, const OpRegistry& ops) {
    for (const proto::NodeDef& node : function.node_def()) {
      for (const std::string_view called : FunctionsNamed(node)) callers_[called].push_back(name);
      const std::string why = WhyUnknown(node, functions_, ops);
      if (!why.empty()) Note(name, StrCat("node '", node.name(), "' of function '", name, "': ", why));
    }
  }

  void Note(std::string_view name, const std::string& why) {
    if (why_.emplace(name, why).second) todo_.push_back(name);
  }

  Functions functions_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> callers_;
  std::map<std::string_view, std::string> why_;
  std::vector<std::string_view> todo_;
};

struct InputText {
  std::string_view node;
  int32_t port = 0;
};

// Reads "node" or "node:port"; the node of a control input is empty. The importer refuses malformed text.
InputText ReadInput(std::string_view text) {
  if (text.starts_with('^')) return {};
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, 0};
  return {text.substr(0, colon), std::max(0, ParseAs<int32_t>(text.substr(colon + 1)).value_or(0))};
}

// The input types that follow from the node's attrs; none if they are incomplete.
std::vector<TypedArg> InputTypes(const proto::NodeDef& node, const OpRegistry& ops) {
  const OpDef* op = ops.Find(node.op());
  if (op == nullptr) return {};
  AttrMap attrs;
  for (const AttrDef& known : op->attrs) {
    const auto given = node.attr().find(known.name);
    if (given == node.attr().end()) {
      if (!known.default_value.empty()) attrs.Set(known.name, known.default_value);
    } else if (known.type == "type" || known.type == "int" || known.type == "list(type)") {
      ExpansionBudget budget;
      Result<AttrValue> value = AttrFromProto(given->second, known.type, budget);
      if (value.ok()) attrs.Set(known.name, *std::move(value));
    }
  }
  Result<std::vector<TypedArg>> types = ExpandArgs(op->inputs, attrs);
  return types.ok() ? *std::move(types) : std::vector<TypedArg>();
}

std::unordered_map<std::string_view, int> IndexByName(const proto::GraphDef& def) {
  std::unordered_map<std::string_view, int> index;
  index.reserve(static_cast<size_t>(def.node_size()));
  for (int i = 0; i < def.node_size(); ++i) index.emplace(def.node(i).name(), i);
  return index;
}

// Calls f(producer, port, type) for each data edge from an unknown node; `type` is null if the reader's is not known.
template <class F>
void ForEachReader(const proto::GraphDef& def, const std::vector<std::string>& why, const OpRegistry& ops, F&& f) {
  const std::unordered_map<std::string_view, int> index = IndexByName(def);
  for (int i = 0; i < def.node_size(); ++i) {
    const proto::NodeDef& reader = def.node(i);
    std::vector<TypedArg> types;
    bool typed = !why[static_cast<size_t>(i)].empty();  // an unknown reader tells nothing
    for (int k = 0; k < reader.input_size(); ++k) {
      const InputText input = ReadInput(reader.input(k));
      const auto producer = index.find(input.node);
      if (producer == index.end() || why[static_cast<size_t>(producer->second)].empty()) continue;
      if (!typed) types = InputTypes(reader, ops);
      typed = true;
      f(producer->second, input.port, static_cast<size_t>(k) < types.size() ? &types[static_cast<size_t>(k)] : nullptr);
    }
  }
}

// A node that takes a ref from an unknown node is unknown too, because the outputs of `_UnknownOp` are values.
void SpreadAlongRefs(const proto::GraphDef& def, const OpRegistry& ops, std::vector<std::string>& why) {
  const std::unordered_map<std::string_view, int> index = IndexByName(def);
  std::vector<std::vector<int>> takers(why.size());
  std::vector<int> todo;
  for (int i = 0; i < def.node_size(); ++i) {
    if (!why[static_cast<size_t>(i)].empty()) todo.push_back(i);
    const OpDef* op = ops.Find(def.node(i).op());
    if (op == nullptr || std::none_of(op->inputs.begin(), op->inputs.end(), [](const ArgDef& a) { return a.is_ref; })) {
      continue;
    }
    const std::vector<TypedArg> types = InputTypes(def.node(i), ops);
    for (size_t k = 0; k < types.size() && k < static_cast<size_t>(def.node(i).input_size()); ++k) {
      const auto producer = index.find(ReadInput(def.node(i).input(static_cast<int>(k))).node);
      if (types[k].is_ref && producer != index.end()) takers[static_cast<size_t>(producer->second)].push_back(i);
    }
  }
  while (!todo.empty()) {
    const int producer = todo.back();
    todo.pop_back();
    for (const int taker : takers[static_cast<size_t>(producer)]) {
      std::string& own = why[static_cast<size_t>(taker)];
      if (!own.empty()) continue;
      own = StrCat("it takes a reference to what '", def.node(producer).name(), "' makes, which cannot be read");
      todo.push_back(taker);
    }
  }
}

DType DTypeOrInvalid(int number) {
  const Result<DType> dtype = DTypeFromProto(number);
  return dtype.ok() ? *dtype : DType::kInvalid;
}

// The dtype of output `port` in the node's own attrs, by the names that TensorFlow's ops use.
DType DTypeByAttrs(const proto::NodeDef& node, size_t port) {
  for (const char* name : {"output_types", "Toutput_types", "Tout", "component_types", "out_types"}) {
    const auto found = node.attr().find(name);
    if (found == node.attr().end() || static_cast<size_t>(found->second.list().type_size()) <= port) continue;
    return DTypeOrInvalid(found->second.list().type(static_cast<int>(port)));
  }
  for (const char* name : {"dtype", "out_type", "output_type", "T"}) {
    const auto found = node.attr().find(name);
    if (found == node.attr().end() || found->second.value_case() != proto::AttrValue::kType) continue;
    return DTypeOrInvalid(found->second.type());
  }
  return DType::kInvalid;
}

}  // namespace

std::vector<std::string> FindUnknownNodes(const proto::GraphDef& def, const OpRegistry& ops) {
  const UnknownFunctions functions(def, ops);
  std::vector<std::string> why(static_cast<size_t>(def.node_size()));
  bool any = false;
  for (int i = 0; i < def.node_size(); ++i) {
    std::string& own = why[static_cast<size_t>(i)];
    own = WhyUnknown(def.node(i), functions.functions(), ops);
    if (own.empty()) own = functions.WhyOf(def.node(i));
    any = any || !own.empty();
  }
  if (any) SpreadAlongRefs(def, ops, why);
  return why;
}

Result<UnknownNodeOutputs> TypeUnknownOutputs(const proto::GraphDef& def, const std::vector<std::string>& why,
                                              const OpRegistry& ops) {
  constexpr size_t kMaxOutputs = 4'000'000;
  UnknownNodeOutputs outputs(why.size());
  size_t total = 0;
  for (size_t i = 0; i < why.size(); ++i) {
    if (!why[i].empty()) outputs[i] = {DTypeByAttrs(def.node(static_cast<int>(i)), 0)};
  }
  ForEachReader(def, why, ops, [&](int producer, int32_t port, const TypedArg* type) {
    std::vector<DType>& own = outputs[static_cast<size_t>(producer)];
    const auto wanted = static_cast<size_t>(port);
    if (wanted >= own.size()) total += wanted + 1 - own.size();
    if (total > kMaxOutputs) return;
    while (wanted >= own.size()) own.push_back(DTypeByAttrs(def.node(producer), own.size()));
    if (type != nullptr) own[wanted] = type->dtype;
  });
  if (total > kMaxOutputs) return InvalidArgument("the nodes have more than ", kMaxOutputs, " outputs");
  return outputs;
}

std::string OpNameOf(const Node& node) {
  return IsUnknown(node) ? *node.attrs.Get<std::string>("op") : node.op->name;
}

std::string ListUnknown(const Graph& graph, const std::vector<bool>& needed) {
  struct Use {
    std::string_view node;  // the first
    int count = 0;
  };
  std::map<std::string, Use> unknown;
  for (const Node& node : graph.nodes()) {
    if (!IsUnknown(node) || !needed[static_cast<size_t>(node.id)]) continue;
    Use& use = unknown[*node.attrs.Get<std::string>("why")];
    if (use.count++ == 0) use.node = node.name;
  }
  std::string text;
  size_t shown = 0;
  for (const auto& [why, use] : unknown) {
    if (++shown > kMaxShown) {
      text += StrCat("\n... and ", unknown.size() - kMaxShown, " more");
      break;
    }
    const std::string more = use.count > 1 ? StrCat(" and ", use.count - 1, " more") : "";
    text += StrCat(shown > 1 ? "\n" : "", PrintableLine(StrCat("node '", use.node, "'", more, ": ", why)));
  }
  return text;
}

std::string ListUnknown(const Graph& graph) {
  return ListUnknown(graph, std::vector<bool>(static_cast<size_t>(graph.num_nodes()), true));
}

Status CheckKnown(const Graph& graph, const std::vector<bool>& needed) {
  const std::string unknown = ListUnknown(graph, needed);
  if (unknown.empty()) return Status();
  return InvalidArgument("the run needs what is not known here, or cannot be:\n", unknown,
                         "\nFeed an output of such a node, or of a node after it, to do without it.");
}

}  // namespace dfrun
