#include "src/graph/graph.h"

#include <algorithm>
#include <utility>

#include "src/base/configs_folder.h"
#include "src/base/sort_unique.h"
#include "src/base/text.h"
#include "src/graph/source_calls.h"

namespace dfrun {
namespace {

// An open input gets the dtype that follows from the signature and the given attrs.
Status TypeOpenInputs(const OpDef& op, const NodeSpec& spec, std::vector<TypedArg>& types) {
  AttrMap attrs = spec.attrs;
  for (const ArgDef& arg : op.inputs) {
    if (arg.number_attr.empty() || attrs.Has(arg.number_attr)) continue;
    attrs.Set(arg.number_attr, static_cast<int64_t>(spec.inputs.size()) - static_cast<int64_t>(op.inputs.size()) + 1);
  }
  Result<std::vector<TypedArg>> expected = ExpandArgs(op.inputs, attrs);
  if (!expected.ok()) return expected.status().Annotate("an input that is connected later needs its type attr");
  if (expected->size() != spec.inputs.size()) {
    return InvalidArgument(op.name, " got ", spec.inputs.size(), " inputs, but its attrs make it ", expected->size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (!spec.inputs[i].valid()) types[i] = (*expected)[i];
  }
  return Status();
}

Status CheckConnected(const Graph& graph, Output value) {
  if (value.node >= graph.num_nodes())
    return InvalidArgument("an input names node ", value.node, ", which is not there");
  const Node& source = graph.node(value.node);
  if (value.port < 0 || value.port >= source.num_outputs()) {
    return InvalidArgument("there is no output '", source.name, ":", value.port, "': node '", source.name, "' (op ",
                           source.op->name, ") has ", source.num_outputs());
  }
  return Status();
}

Result<std::vector<TypedArg>> TypesOfInputs(const Graph& graph, const OpDef& op, const NodeSpec& spec) {
  std::vector<TypedArg> types;
  types.reserve(spec.inputs.size());
  bool open = false;
  for (Output value : spec.inputs) {
    if (!value.valid()) {
      open = true;
      types.push_back({DType::kInvalid, false});
      continue;
    }
    DF_TRY(CheckConnected(graph, value));
    types.push_back(graph.node(value.node).output_types[value.port]);
  }
  if (open) DF_TRY(TypeOpenInputs(op, spec, types));
  return types;
}

std::string DescribeInputs(const Graph& graph, const std::vector<Output>& inputs) {
  constexpr size_t kMaxShown = 8;
  std::string out;
  for (size_t i = 0; i < inputs.size() && i < kMaxShown; ++i) {
    out += out.empty() ? "; inputs: " : ", ";
    if (!inputs[i].valid() || !CheckConnected(graph, inputs[i]).ok()) {
      out += "(open)";
    } else {
      out += StrCat("'", OutputName(graph, inputs[i]), "' ", graph.dtype(inputs[i]), graph.shape(inputs[i]));
    }
  }
  return inputs.size() > kMaxShown ? StrCat(out, ", ... ", inputs.size(), " in all") : out;
}

std::string LocationText(const Graph& graph, const SourceLocation& location) {
  return StrCat(graph.files()[static_cast<size_t>(location.file)], ":", location.line, ":", location.column);
}

std::string DescribeNode(const Graph& graph, const SourceLocation& location, std::string_view name,
                         std::string_view op) {
  std::vector<SourceCall> chain;
  for (int32_t call = location.call; call >= 0; call = chain.back().location.call)
    chain.push_back(graph.calls()[static_cast<size_t>(call)]);
  const ShownLocation shown = ShowLocation(
      location, chain,
      [&](int32_t file) { return file >= 0 && IsFileOfLibrary(graph.files()[static_cast<size_t>(file)]); },
      [&](const SourceLocation& at) { return LocationText(graph, at); });
  const std::string where = shown.location.file < 0 ? "" : LocationText(graph, shown.location) + ": ";
  return StrCat(where, "node '", name, "' (op ", op, shown.calls, ")");
}

// Splits "base_12" into {base, 12}; the number is 0 if the name has no such end.
std::pair<std::string_view, int> SplitSuffix(std::string_view name) {
  const size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos || underscore + 1 == name.size() || name[underscore + 1] == '0') return {};
  const std::optional<int> count = ParseAs<int>(name.substr(underscore + 1));
  if (!count || *count < 0) return {};
  return {name.substr(0, underscore), *count};
}

bool IsNameChar(char c, bool first) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.') return true;
  return !first && (c == '_' || c == '\\' || c == '/' || c == '>' || c == '-');
}

// Names that begin with '_' are the system's own.
bool IsNodeName(std::string_view name) {
  return IsValidNodeName(name) || (name.size() > 1 && name[0] == '_' && IsValidNodeName(StrCat("s", name)));
}

}  // namespace

bool IsValidNodeName(std::string_view name) {
  if (name.empty() || !IsNameChar(name[0], true)) return false;
  return std::all_of(name.begin() + 1, name.end(), [](char c) { return IsNameChar(c, false); });
}

std::string OutputName(const Graph& graph, Output output) {
  const std::string& name = graph.node(output.node).name;
  return output.port == 0 ? name : StrCat(name, ":", output.port);
}

Graph::Graph(const OpRegistry& ops) : ops_(&ops) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;
Graph::Graph(const Graph&) = default;

Graph Graph::Clone() const {
  return *this;
}

Status Graph::FillNode(NodeSpec spec, Node& node) const {
  if (!IsNodeName(spec.name)) {
    return InvalidArgument("'", spec.name, "' is no name for a node: it must be letters, digits and ._/>\\- and begin ",
                           "with a letter, a digit or a dot");
  }
  if (Find(spec.name) >= 0) return InvalidArgument("there is a node of that name already");
  const OpDef* op = ops_->Find(spec.op);
  if (op == nullptr) return ops_->UnknownOp(spec.op);
  for (NodeId id : spec.control_inputs) {
    if (id < 0 || id >= num_nodes()) return InvalidArgument("a control input names node ", id, ", which is not there");
  }
  DF_ASSIGN(const std::vector<TypedArg> given, TypesOfInputs(*this, *op, spec));
  DF_TRY(ResolveAttrs(*op, given, spec.attrs));
  DF_ASSIGN(node.input_types, ExpandArgs(op->inputs, spec.attrs));
  DF_ASSIGN(node.output_types, ExpandArgs(op->outputs, spec.attrs));
  SortUnique(spec.control_inputs);
  node.name = std::move(spec.name);
  node.op = op;
  node.attrs = std::move(spec.attrs);
  node.inputs = std::move(spec.inputs);
  node.control_inputs = std::move(spec.control_inputs);
  node.device = std::move(spec.device);
  node.colocate_with = std::move(spec.colocate_with);
  node.location = spec.location;
  return Status();
}

Result<NodeId> Graph::AddNode(NodeSpec spec) {
  const std::string name = spec.name;
  const std::string op = spec.op;
  const std::vector<Output> inputs = spec.inputs;
  const SourceLocation location = spec.location;
  Node node;
  node.id = num_nodes();
  Status status = FillNode(std::move(spec), node);
  if (status.ok()) status = InferNode(node);
  if (!status.ok()) {
    return InvalidArgument(DescribeNode(*this, location, name, op), ": ", status.message(),
                           DescribeInputs(*this, inputs));
  }
  NoteName(node.name, node.id);
  nodes_.push_back(std::move(node));
  return num_nodes() - 1;
}

NodeId Graph::AddResolved(Node node) {
  node.id = num_nodes();
  NoteName(node.name, node.id);
  nodes_.push_back(std::move(node));
  return num_nodes() - 1;
}

void Graph::NoteName(const std::string& name, NodeId id) {
  DF_CHECK(by_name_.emplace(name, id).second);
  const auto [base, count] = SplitSuffix(name);
  if (count == 0) return;
  auto it = free_suffix_.find(base);
  if (count != (it == free_suffix_.end() ? 1 : it->second)) return;
  int next = count + 1;
  while (by_name_.contains(StrCat(base, "_", next))) ++next;
  if (it == free_suffix_.end()) {
    free_suffix_.emplace(base, next);
  } else {
    it->second = next;
  }
}

Status Graph::SetInput(NodeId id, int input, Output value) {
  Node& reader = nodes_[id];
  if (input < 0 || input >= reader.num_inputs()) {
    return InvalidArgument(Describe(id), " has ", reader.num_inputs(), " inputs; input ", input, " cannot be set");
  }
  if (!value.valid()) return InvalidArgument(Describe(id), ": input ", input, " is set to no node");
  DF_TRY(CheckConnected(*this, value).Annotate(Describe(id)));
  const TypedArg& wanted = reader.input_types[input];
  const TypedArg& given = nodes_[value.node].output_types[value.port];
  if (wanted.dtype != given.dtype || (wanted.is_ref && !given.is_ref)) {
    return InvalidArgument(Describe(id), ": input ", input, " must be ", wanted.is_ref ? "a ref to " : "", wanted.dtype,
                           ", but '", OutputName(*this, value), "' is ", given.is_ref ? "a ref to " : "", given.dtype);
  }
  reader.inputs[input] = value;
  return Status();
}

void Graph::AddControlEdge(NodeId from, NodeId to) {
  std::vector<NodeId>& inputs = nodes_[to].control_inputs;
  auto it = std::lower_bound(inputs.begin(), inputs.end(), from);
  if (it == inputs.end() || *it != from) inputs.insert(it, from);
}

bool Graph::IsBackEdge(const Node& reader, int input) const {
  if (reader.op->traits.control_flow != ControlFlowKind::kMerge) return false;
  const Output value = reader.inputs[input];
  if (!value.valid()) return false;
  return nodes_[value.node].op->traits.control_flow == ControlFlowKind::kNextIteration;
}

Status Graph::AtNode(const Node& node, const Status& status) const {
  return InvalidArgument(Describe(node.id), ": ", status.message(), DescribeInputs(*this, node.inputs));
}

const Tensor* Graph::ConstantValue(Output value) const {
  const Node& source = nodes_[value.node];
  if (source.op->name == "Const") {
    const AttrValue* tensor = source.attrs.Find("value");
    return tensor == nullptr ? nullptr : tensor->get<Tensor>();
  }
  const PartialConstant* known = PartialConstantOf(value);
  return known != nullptr && known->complete() ? &known->tensor : nullptr;
}

const PartialConstant* Graph::PartialConstantOf(Output value) const {
  auto it = known_.find(value.node);
  if (it == known_.end()) return nullptr;
  const PartialConstant& first = *it->second;
  if (value.port == 0) return first.nothing() ? nullptr : &first;
  const auto later = static_cast<size_t>(value.port) - 1;
  return later < first.later_outputs.size() ? first.later_outputs[later].get() : nullptr;
}

NodeId Graph::Find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? -1 : it->second;
}

std::string Graph::UniqueName(std::string_view name) const {
  if (!by_name_.contains(name)) return std::string(name);
  auto it = free_suffix_.find(name);
  return StrCat(name, "_", it == free_suffix_.end() ? 1 : it->second);
}

Consumers Graph::BuildConsumers() const {
  Consumers out;
  out.begin.assign(nodes_.size() + 1, 0);
  for (const Node& n : nodes_) {
    for (Output o : n.inputs) {
      if (o.valid()) ++out.begin[o.node + 1];
    }
    for (NodeId id : n.control_inputs) ++out.begin[id + 1];
  }
  for (size_t i = 1; i < out.begin.size(); ++i) out.begin[i] += out.begin[i - 1];
  out.edges.resize(static_cast<size_t>(out.begin.back()));
  std::vector<int32_t> at(out.begin.begin(), out.begin.end() - 1);
  for (const Node& n : nodes_) {
    for (int i = 0; i < n.num_inputs(); ++i) {
      const Output o = n.inputs[i];
      if (o.valid()) out.edges[at[o.node]++] = {n.id, o.port, i};
    }
    for (NodeId id : n.control_inputs) out.edges[at[id]++] = {n.id, -1, -1};
  }
  return out;
}

Graph Graph::Subset(const std::vector<bool>& keep, std::vector<NodeId>* new_ids) const {
  std::vector<NodeId> ids(nodes_.size(), -1);
  NodeId next = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (keep[i]) ids[i] = next++;
  }
  Graph out(*ops_);
  out.TakeLocations(*this);
  out.extras_ = extras_;
  for (const Node& n : nodes_) {
    if (!keep[n.id]) continue;
    Node& copy = out.nodes_.emplace_back(n);
    copy.id = ids[n.id];
    for (Output& o : copy.inputs) {
      if (!o.valid()) continue;
      DF_CHECK(ids[o.node] >= 0);
      o.node = ids[o.node];
    }
    for (NodeId& id : copy.control_inputs) {
      DF_CHECK(ids[id] >= 0);
      id = ids[id];
    }
    out.NoteName(copy.name, copy.id);
    if (auto it = known_.find(n.id); it != known_.end()) out.known_.emplace(copy.id, it->second);
  }
  if (new_ids != nullptr) *new_ids = std::move(ids);
  return out;
}

void Graph::TakeLocations(const Graph& other) {
  files_ = other.files_;
  calls_ = other.calls_;
}

std::string Graph::Describe(NodeId id) const {
  const Node& n = nodes_[id];
  return DescribeNode(*this, n.location, n.name, n.op->name);
}

}  // namespace dfrun
