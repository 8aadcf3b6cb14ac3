#include "src/passes/functions/inliner.h"

#include <algorithm>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/framework/device/device.h"
#include "src/graph/deferred_shapes.h"
#include "src/graph/graph_def/function_calls.h"
#include "src/passes/functions/body_instance.h"
#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

constexpr size_t kMaxNesting = 200;
constexpr int kMaxConditionals = 250;  // one in another
constexpr int64_t kInputsPerNode = 20;
constexpr std::string_view kLoweredAttr = "_lower_using_switch_merge";

// Whether it can be seen when the op runs.
bool OrderMatters(const Node& node) {
  return node.op->is_stateful || node.num_outputs() == 0;
}

// Calls that TensorFlow prunes wherever they stand, but for those by name.
bool IsPartitionedCall(std::string_view op) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall";
}

void Append(std::vector<NodeId>& to, const std::vector<NodeId>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

bool IsFunctional(std::string_view op) {
  return LoweringOf(op) != nullptr;
}

bool RunsAll(std::string_view op, const AttrMap& attrs) {
  const AttrValue* flag = attrs.Find(IsPartitionedCall(op) ? kCalledByNameAttr : kLoweredAttr);
  const bool is_set = flag != nullptr && flag->get<bool>() != nullptr && *flag->get<bool>();
  return is_set == IsPartitionedCall(op);
}

std::string DeviceWithin(const std::string& device, const std::string& outer) {
  if (device.empty() || outer.empty()) return device.empty() ? outer : device;
  Result<DeviceName> name = DeviceName::Parse(device);
  const Result<DeviceName> from = DeviceName::Parse(outer);
  if (!name.ok() || !from.ok()) return device;  // placement reports its error
  if (!name->job) name->job = from->job;
  if (!name->task) name->task = from->task;
  if (!name->index && (!name->type || name->type == from->type)) name->index = from->index;
  if (!name->type) name->type = from->type;
  return name->ToString();
}

bool FunctionInliner::is_full() const {
  return nodes_ > max_nodes_ || inputs_ / kInputsPerNode > max_nodes_;
}

Status FunctionInliner::CountNodes(int64_t more) {
  nodes_ += more;
  if (nodes_ <= max_nodes_) return Status();
  return InvalidArgument("with its functions inlined the graph has more than ", max_nodes_, " nodes and calls");
}

Status FunctionInliner::CountInputs(size_t more) {
  inputs_ += static_cast<int64_t>(more);
  if (inputs_ / kInputsPerNode <= max_nodes_) return Status();
  return InvalidArgument("with its functions inlined the graph's nodes have more than ", kInputsPerNode * max_nodes_,
                         " inputs");
}

Status FunctionInliner::NestConditionals(int more) {
  conditionals_ += more;
  if (conditionals_ <= kMaxConditionals) return Status();
  return InvalidArgument("more than ", kMaxConditionals, " conditionals are nested");
}

std::string FunctionInliner::UniqueName(std::string_view name) const {
  std::string unique = to_->UniqueName(name);
  for (int k = 1; reserved_.Find(unique) >= 0; ++k) unique = to_->UniqueName(StrCat(name, "_", k));
  return unique;
}

// A run may leave the node out: shapes that cannot be are an error of the step that runs it.
Result<NodeId> FunctionInliner::AddToGraph(NodeSpec spec) {
  NodeSpec kept = spec;
  Result<NodeId> added = to_->AddNode(std::move(spec));
  if (added.ok()) return added;
  for (Output& input : kept.inputs) {
    if (!input.valid() || IsHandle(to_->dtype(input)) || to_->is_ref(input)) continue;
    DF_TRY(CountNodes(1));
    DF_ASSIGN(input, HideShape(*to_, input));
  }
  Result<NodeId> without_shapes = to_->AddNode(std::move(kept));
  return without_shapes.ok() ? without_shapes : added;
}

Result<Inlined> FunctionInliner::AddNode(NodeSpec spec, const std::vector<SiteValue>& inputs, bool is_anchored,
                                         const CallSite& site) {
  DF_TRY(CountNodes(1));
  const bool floats = !site.ties.empty() && !is_anchored &&
                      std::all_of(inputs.begin(), inputs.end(), [](const SiteValue& v) { return v.floats; });
  spec.inputs.clear();
  for (const SiteValue& value : inputs) spec.inputs.push_back(value.output);
  spec.device = DeviceWithin(spec.device, site.device);
  DF_ASSIGN(const NodeId id, AddToGraph(std::move(spec)));
  const bool is_tied = site.is_conditional || OrderMatters(to_->node(id));
  if (floats && is_tied) Tie(id, site);
  Inlined made;
  for (int port = 0; port < to_->node(id).num_outputs(); ++port)
    made.outputs.push_back({{id, port}, floats && !is_tied});
  made.effects = {id};
  return made;
}

Result<SiteValue> FunctionInliner::Add(const std::string& name, const std::string& op,
                                       const std::vector<SiteValue>& inputs, const CallSite& site, AttrMap attrs,
                                       std::vector<NodeId> after) {
  NodeSpec spec;
  spec.name = UniqueName(site.prefix + name);
  spec.op = op;
  spec.attrs = std::move(attrs);
  const bool is_anchored = !after.empty();
  spec.control_inputs = std::move(after);
  DF_ASSIGN(const Inlined made, AddNode(std::move(spec), inputs, is_anchored, site));
  return made.outputs.empty() ? SiteValue{{made.effects[0], 0}} : made.outputs[0];
}

// The ties that the node does not read already.
void FunctionInliner::Tie(NodeId node, const CallSite& site) {
  const std::vector<Output>& inputs = to_->node(node).inputs;
  for (NodeId tie : site.ties) {
    const bool reads = std::any_of(inputs.begin(), inputs.end(), [&](Output input) { return input.node == tie; });
    if (!reads) to_->AddControlEdge(tie, node);
  }
}

// A Switch runs whichever of its outputs is alive.
Result<NodeId> FunctionInliner::NodeOf(SiteValue value, const CallSite& site) {
  const Node& source = to_->node(value.output.node);
  if (source.op->traits.control_flow != ControlFlowKind::kSwitch) return source.id;
  CallSite untied = site;
  untied.ties.clear();
  DF_ASSIGN(const SiteValue given, Add("given", "Identity", {value}, untied));
  return given.output.node;
}

Result<SiteValue> FunctionInliner::Anchor(SiteValue value, const CallSite& site) {
  if (!value.floats) return value;
  return Add("begin", "Identity", {value}, site, {}, site.ties);
}

bool FunctionInliner::HasState(const AttrMap& attrs) {
  const std::vector<std::string> called = FunctionsNamed(attrs);
  return std::any_of(called.begin(), called.end(), [&](const std::string& f) { return library_.HasState(f); });
}

// Adds to the site's ties the nodes of the values, but for those that come after nothing.
Status FunctionInliner::TieTo(const std::vector<SiteValue>& values, CallSite& site) {
  for (const SiteValue& value : values) {
    const Node& source = to_->node(value.output.node);
    if (source.num_inputs() == 0 && source.control_inputs.empty()) continue;
    DF_ASSIGN(const NodeId tie, NodeOf(value, site));
    site.ties.push_back(tie);
  }
  return Status();
}

// Many nodes may be tied: to one rather than to many.
Status FunctionInliner::JoinTies(CallSite& site) {
  SortUnique(site.ties);
  if (site.ties.size() <= 2) return Status();
  DF_ASSIGN(const SiteValue begin, Add("begin", "NoOp", {}, site, {}, site.ties));
  site.ties = {begin.output.node};
  return Status();
}

// Reads variables for a call, which takes their values when it begins: after all of its inputs, and its control inputs.
Status FunctionInliner::ReadVariables(const NodeSpec& spec, const CallSite& site, std::vector<SiteValue>& inputs) {
  const auto is_ref = [&](const SiteValue& v) { return v.output.valid() && to_->is_ref(v.output); };
  if (std::none_of(inputs.begin(), inputs.end(), is_ref)) return Status();
  CallSite begin = site;
  begin.prefix = spec.name + "/";
  Append(begin.ties, spec.control_inputs);
  DF_TRY(TieTo(inputs, begin));
  SortUnique(begin.ties);
  for (SiteValue& value : inputs) {
    if (!is_ref(value)) continue;
    DF_ASSIGN(value, Add("read", "Identity", {value}, begin, {}, begin.ties));
  }
  return Status();
}

Result<Inlined> FunctionInliner::AddFunctional(const NodeSpec& spec, const std::vector<SiteValue>& given,
                                               const CallSite& site) {
  std::vector<SiteValue> inputs = given;
  DF_TRY(ReadVariables(spec, site, inputs));
  CallSite inner = site;
  inner.prefix = spec.name + "/";
  inner.device = DeviceWithin(spec.device, site.device);
  Append(inner.ties, spec.control_inputs);
  inner.is_conditional |= site.may_be_dead;
  inner.may_be_dead = false;
  inner.runs_all = RunsAll(spec.op, spec.attrs) || (site.runs_all && !IsPartitionedCall(spec.op));
  inner.ends_whole = true;
  // All inputs are there before a call, or a node that runs as a whole, has any effect that could be seen.
  const bool needs_all = inner.runs_all || IsPartitionedCall(spec.op);
  if (site.may_be_dead || (needs_all && HasState(spec.attrs))) DF_TRY(TieTo(inputs, inner));
  std::vector<SiteValue> values = inputs;
  if (inner.ties.size() > site.ties.size()) {
    DF_TRY(JoinTies(inner));
    for (SiteValue& value : values) value.floats = true;
  }
  return LoweringOf(spec.op)(*this, {spec.op, spec.attrs, values}, inner);
}

Status FunctionInliner::BeginCall(const std::string& function) {
  if (calls_.size() >= kMaxNesting) {
    return InvalidArgument("calls of functions are nested more than ", kMaxNesting, " deep, from '", calls_.front(),
                           "' to '", function, "'");
  }
  const auto begin = std::find(calls_.begin(), calls_.end(), function);
  if (begin == calls_.end()) {
    calls_.push_back(function);
    return Status();
  }
  std::string cycle;
  for (auto it = begin; it != calls_.end(); ++it) cycle += StrCat("'", *it, "' -> ");
  return InvalidArgument("function '", function, "' calls itself, which no function can: ", cycle, "'", function,
                         "'; what repeats is a While");
}

Result<Inlined> FunctionInliner::Call(const FunctionName& function, const std::vector<SiteValue>& arguments,
                                      const CallSite& site) {
  DF_ASSIGN(const FunctionBody* const body, library_.Find(function.name));
  DF_TRY(CountNodes(1));
  DF_TRY(CountInputs(arguments.size()));
  DF_TRY(BeginCall(function.name));
  Result<Inlined> made = BodyInstance(*this, *body, site).Add(function, arguments);
  calls_.pop_back();
  if (!made.ok()) return made.status().Annotate(StrCat("function '", function.name, "'"));
  return made;
}

}  // namespace dfrun
