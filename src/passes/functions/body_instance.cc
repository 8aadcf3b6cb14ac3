#include "src/passes/functions/body_instance.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/graph/colocation.h"
#include "src/graph/control_flow.h"
#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/function_calls.h"
#include "src/graph/graph_def/node_def_attrs.h"
#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

// Stateful ops that change nothing: nobody has to wait for one whose value is not read.
constexpr std::array<std::string_view, 8> kReads = {"Placeholder",      "ReadVariableOp", "ResourceGather",
                                                    "ResourceGatherNd", "VarHandleOp",    "VarIsInitializedOp",
                                                    "Variable",         "VariableV2"};

bool HasEffect(const OpDef& op) {
  return op.is_stateful && std::find(kReads.begin(), kReads.end(), op.name) == kReads.end();
}

// The function's attrs put in for their names.
Status Bind(const std::map<std::string, proto::AttrValue>& bound, proto::AttrValue& value) {
  const auto in_function = [&](proto::NameAttrList& function) -> Status {
    for (auto& [name, attr] : *function.mutable_attr()) DF_TRY(Bind(bound, attr));
    return Status();
  };
  if (value.value_case() == proto::AttrValue::kPlaceholder) {
    const auto it = bound.find(value.placeholder());
    if (it == bound.end()) return InvalidArgument("the function has no attr '", value.placeholder(), "'");
    value = proto::AttrValue(it->second);
    return Status();
  }
  if (value.has_func()) return in_function(*value.mutable_func());
  if (!value.has_list()) return Status();
  for (proto::NameAttrList& function : *value.mutable_list()->mutable_func()) DF_TRY(in_function(function));
  return Status();
}

Result<int> CountOf(const ArgDef& arg, const AttrMap& attrs) {
  DF_ASSIGN(const std::vector<TypedArg> types, ExpandArgs({arg}, attrs));
  return static_cast<int>(types.size());
}

}  // namespace

BodyInstance::BodyInstance(SiteBuilder& inliner, const FunctionBody& body, const CallSite& site)
    : inliner_(inliner), body_(body), site_(site), made_(body.nodes.size()) {
  site_.may_be_dead =
      std::any_of(body.nodes.begin(), body.nodes.end(), [](const BodyNode& node) { return node.is_below_primitive; });
}

Result<Inlined> BodyInstance::Add(const FunctionName& function, const std::vector<SiteValue>& arguments) {
  DF_TRY(BindAttrs(function, arguments));
  DF_TRY(SplitArguments(arguments));
  for (size_t index = 0; index < body_.nodes.size(); ++index) {
    DF_TRY(AddNode(index).Annotate(StrCat("node '", body_.nodes[index].name, "'")));
  }
  DF_TRY(CloseLoops());
  return Return();
}

// Binds the function's attrs: values of the call, then those that the arguments' types imply, then defaults.
Status BodyInstance::BindAttrs(const FunctionName& function, const std::vector<SiteValue>& arguments) {
  ExpansionBudget budget;
  for (const auto& [name, value] : function.attrs) {
    const AttrDef* known = body_.signature.FindAttr(name);
    if (known == nullptr) continue;
    proto::AttrValue read;
    AttrToProto(value, read);
    DF_ASSIGN(AttrValue typed, AttrFromProto(read, known->type, budget));
    attrs_.Set(name, std::move(typed));
  }
  std::vector<TypedArg> types;
  types.reserve(arguments.size());
  for (const SiteValue& value : arguments) types.push_back({inliner_.to().dtype(value.output), false});
  DF_TRY(ResolveAttrs(body_.signature, types, attrs_).Annotate("its arguments"));
  for (const auto& [name, value] : attrs_) AttrToProto(value, bound_[name]);
  return Status();
}

Status BodyInstance::SplitArguments(const std::vector<SiteValue>& arguments) {
  auto at = arguments.begin();
  for (const ArgDef& arg : body_.signature.inputs) {
    DF_ASSIGN(const int count, CountOf(arg, attrs_));
    arguments_.emplace_back(at, at + count);
    at += count;
  }
  return Status();
}

Status BodyInstance::AddNode(size_t index) {
  const BodyNode& node = body_.nodes[index];
  Made& made = made_[index];
  NodeSpec spec;
  spec.name = inliner_.UniqueName(site_.prefix + node.name);
  spec.op = node.op;
  spec.device = node.device;
  made.name = spec.name;
  const OpDef* op = inliner_.to().ops().Find(node.op);
  DF_ASSIGN(spec.attrs, AttrsOf(node, op));
  if (!node.colocate_with.empty()) spec.colocate_with = NewNameOf(node.colocate_with);
  std::vector<SiteValue> inputs;
  const size_t open = open_.size();
  for (const BodyInput& input : node.inputs) {
    if (input.closes_a_loop) open_.push_back({-1, static_cast<int>(inputs.size()), &input});
    DF_ASSIGN(const std::vector<SiteValue> values, Values(input));
    DF_TRY(inliner_.CountInputs(values.size()));
    inputs.insert(inputs.end(), values.begin(), values.end());
  }
  DF_ASSIGN(const bool is_anchored, AddControls(node, spec.control_inputs));
  if (IsCall(node)) return AddFunctional(node, std::move(spec), inputs, made);
  DF_TRY(AddPlain(node, std::move(spec), inputs, is_anchored, made));
  for (size_t i = open; i < open_.size(); ++i) open_[i].reader = made.done[0];
  return Status();
}

Result<AttrMap> BodyInstance::AttrsOf(const BodyNode& node, const OpDef* op) const {
  if (node.bound_attrs.empty() && !node.attrs.Has("frame_name") && !node.attrs.Has(kClassAttr)) return node.attrs;
  NodeSpec spec;
  ProtoAttrs attrs;
  for (const auto& [name, value] : node.bound_attrs) {
    attrs[name] = value;
    DF_TRY(Bind(bound_, attrs[name]).Annotate(StrCat("attr '", name, "'")));
  }
  ExpansionBudget budget;
  static const OpDef kCallByName;
  DF_TRY(TakeAttrs(op == nullptr ? kCallByName : *op, attrs, budget, spec));
  for (const auto& [name, value] : node.attrs) spec.attrs.Set(name, value);
  if (ControlFlowKindOf(node.op) == ControlFlowKind::kEnter) {
    DF_ASSIGN(const std::string frame, spec.attrs.Get<std::string>("frame_name"));
    spec.attrs.Set("frame_name", site_.prefix + frame);
  }
  if (const AttrValue* value = spec.attrs.Find(kClassAttr); value != nullptr) {
    std::vector<std::string> classes;
    for (std::string_view name : ColocationNames(spec.attrs)) {
      if (std::string now = NewNameOf(std::string(name)); !now.empty()) classes.push_back(ColocationEntry(now));
    }
    spec.attrs.Set(kClassAttr, std::move(classes));
  }
  return std::move(spec.attrs);
}

bool BodyInstance::IsCall(const BodyNode& node) const {
  return inliner_.to().ops().Find(node.op) == nullptr || IsFunctional(node.op);
}

// The new name of a node of the body, or of an argument's node; empty where the function has none of that name, or a
// call, of which no node is left.
std::string BodyInstance::NewNameOf(const std::string& name) const {
  if (auto it = body_.index_of.find(name); it != body_.index_of.end()) {
    if (IsCall(body_.nodes[static_cast<size_t>(it->second)])) return "";
    const std::string& made = made_[static_cast<size_t>(it->second)].name;
    return made.empty() ? site_.prefix + name : made;
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (body_.signature.inputs[i].name == name && !arguments_[i].empty()) {
      return inliner_.to().node(arguments_[i][0].output.node).name;
    }
  }
  return "";
}

// The nodes that the node waits for; true where one of them comes after the ties.
Result<bool> BodyInstance::AddControls(const BodyNode& node, std::vector<NodeId>& controls) {
  bool is_anchored = false;
  for (int32_t before : node.control_inputs) {
    const Made& made = made_[static_cast<size_t>(before)];
    controls.insert(controls.end(), made.done.begin(), made.done.end());
    is_anchored |= !made.floats && !made.done.empty();
  }
  for (int32_t argument : node.control_arguments) {
    for (const SiteValue& value : arguments_[static_cast<size_t>(argument)]) {
      DF_ASSIGN(const NodeId before, inliner_.NodeOf(value, site_));
      controls.push_back(before);
      is_anchored |= !value.floats;
    }
  }
  return is_anchored;
}

Status BodyInstance::AddPlain(const BodyNode& node, NodeSpec spec, const std::vector<SiteValue>& inputs,
                              bool is_anchored, Made& made) {
  DF_ASSIGN(Inlined inlined, inliner_.AddNode(std::move(spec), inputs, is_anchored, site_));
  const Node& added = inliner_.to().node(inlined.effects[0]);
  made.done = {added.id};
  made.floats = !inlined.outputs.empty() && inlined.outputs[0].floats;
  made.outputs = std::move(inlined.outputs);
  for (const ArgDef& arg : added.op->outputs) {
    DF_ASSIGN(const int count, CountOf(arg, added.attrs));
    made.counts.emplace_back(arg.name, count);
  }
  if (site_.runs_all && HasEffect(*added.op) && !node.is_below_primitive) effects_.push_back(added.id);
  return Status();
}

Status BodyInstance::AddFunctional(const BodyNode& node, NodeSpec spec, const std::vector<SiteValue>& inputs,
                                   Made& made) {
  const OpDef* signature = inliner_.to().ops().Find(node.op);
  if (signature == nullptr) {
    DF_ASSIGN(const FunctionBody* const called, inliner_.library().Find(node.op));
    signature = &called->signature;
    spec.attrs = {{"f", FunctionName{node.op, {spec.attrs.begin(), spec.attrs.end()}}}};
    spec.op = signature->is_stateful ? "StatefulPartitionedCall" : "PartitionedCall";
    spec.attrs.Set(kCalledByNameAttr, true);
  }
  DF_ASSIGN(Inlined inlined, inliner_.AddFunctional(spec, inputs, site_));
  const bool must_run = site_.runs_all && signature->is_stateful && !node.is_below_primitive;
  const bool by_name = signature->name == node.op && inlined.counts.size() == signature->outputs.size();
  for (size_t i = 0; i < signature->outputs.size(); ++i) {
    made.counts.emplace_back(signature->outputs[i].name,
                             by_name ? inlined.counts[i] : static_cast<int>(inlined.outputs.size()));
  }
  made.floats = inlined.effects.empty() && spec.control_inputs.empty();
  made.done = std::move(spec.control_inputs);
  made.done.insert(made.done.end(), inlined.effects.begin(), inlined.effects.end());
  made.outputs = std::move(inlined.outputs);
  const bool ends_with_outputs = inlined.is_whole || inlined.effects.empty();
  if (ends_with_outputs) DF_TRY(EndWithOutputs(made));
  if (must_run && (inlined.is_whole || !ends_with_outputs)) {
    effects_.insert(effects_.end(), made.done.begin(), made.done.end());
  }
  return Status();
}

Status BodyInstance::EndWithOutputs(Made& made) {
  for (const SiteValue& value : made.outputs) {
    DF_ASSIGN(const NodeId done, inliner_.NodeOf(value, site_));
    made.done.push_back(done);
    made.floats &= value.floats;
  }
  return Status();
}

Result<std::vector<SiteValue>> BodyInstance::Values(const BodyInput& input) const {
  if (input.closes_a_loop) return std::vector<SiteValue>{SiteValue{}};
  const std::vector<SiteValue>* values = nullptr;
  size_t begin = 0;
  size_t count = 0;
  std::string what;
  if (input.is_argument) {
    values = &arguments_[static_cast<size_t>(input.source)];
    count = values->size();
    what = body_.signature.inputs[static_cast<size_t>(input.source)].name;
  } else {
    const Made& made = made_[static_cast<size_t>(input.source)];
    values = &made.outputs;
    what = StrCat(body_.nodes[static_cast<size_t>(input.source)].name, ":", input.output);
    auto at = made.counts.begin();
    for (; at != made.counts.end() && at->first != input.output; ++at) begin += static_cast<size_t>(at->second);
    if (at == made.counts.end()) return InvalidArgument("there is no output '", what, "'");
    count = static_cast<size_t>(at->second);
  }
  if (input.index == BodyInput::kWhole) {
    return std::vector<SiteValue>(values->begin() + static_cast<std::ptrdiff_t>(begin),
                                  values->begin() + static_cast<std::ptrdiff_t>(begin + count));
  }
  if (static_cast<size_t>(input.index) >= count) {
    return InvalidArgument("there is no '", what, ":", input.index, "': '", what, "' has ", count, " values");
  }
  return std::vector<SiteValue>{(*values)[begin + static_cast<size_t>(input.index)]};
}

Status BodyInstance::CloseLoops() {
  for (const OpenInput& open : open_) {
    BodyInput from = *open.from;
    from.closes_a_loop = false;
    DF_ASSIGN(const std::vector<SiteValue> values, Values(from));
    if (values.size() != 1) return InvalidArgument("a Merge is closed by ", values.size(), " values");
    DF_TRY(inliner_.to().SetInput(open.reader, open.input, values[0].output));
  }
  return Status();
}

// The values of an output of the signature, as many and of the dtypes that it says.
Result<std::vector<SiteValue>> BodyInstance::Returned(size_t k) const {
  const ArgDef& wanted = body_.signature.outputs[k];
  const std::string what = StrCat("output '", wanted.name, "'");
  Result<std::vector<SiteValue>> values = Values(body_.returns[k]);
  if (!values.ok()) return values.status().Annotate(what);
  const Result<std::vector<TypedArg>> types = ExpandArgs({wanted}, attrs_);
  if (!types.ok()) return types.status().Annotate(what);
  if (values->size() != types->size()) {
    return InvalidArgument(what, " is of ", types->size(), " values, but ", values->size(), " are returned for it");
  }
  for (size_t i = 0; i < values->size(); ++i) {
    const DType given = inliner_.to().dtype((*values)[i].output);
    if (given == (*types)[i].dtype) continue;
    return InvalidArgument(what, " must be ", (*types)[i].dtype, ", but is ", given);
  }
  DF_TRY(inliner_.CountInputs(values->size()));
  return values;
}

// Returns the call's results. With effects, one node ends after them, and where the call ends as a whole the outputs
// come after it.
Result<Inlined> BodyInstance::Return() {
  Inlined out;
  for (int32_t index : body_.control_returns) {
    const std::vector<NodeId>& done = made_[static_cast<size_t>(index)].done;
    effects_.insert(effects_.end(), done.begin(), done.end());
  }
  SortUnique(effects_);
  if (!effects_.empty()) {
    DF_ASSIGN(const SiteValue ended, inliner_.Add("effects", "NoOp", {}, site_, {}, effects_));
    out.effects = {ended.output.node};
  }
  for (size_t k = 0; k < body_.returns.size(); ++k) {
    DF_ASSIGN(const std::vector<SiteValue> values, Returned(k));
    out.counts.push_back(static_cast<int>(values.size()));
    for (SiteValue value : values) {
      if (!out.effects.empty() && site_.ends_whole) {
        DF_ASSIGN(value, inliner_.Add("output", "Identity", {value}, site_, {}, out.effects));
      } else if (site_.is_conditional) {
        DF_ASSIGN(value, inliner_.Anchor(value, site_));
      }
      out.outputs.push_back(value);
    }
  }
  return out;
}

}  // namespace dfrun
