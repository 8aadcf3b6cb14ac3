#include "src/passes/functions/site_builder.h"

#include <algorithm>

#include "src/framework/device/device_name.h"
#include "src/graph/deferred_shapes.h"

namespace dfrun {
namespace {

constexpr int kMaxConditionals = 250;  // one in another
constexpr int64_t kInputsPerNode = 20;

// Whether it can be seen when the op runs.
bool OrderMatters(const Node& node) {
  return node.op->is_stateful || node.num_outputs() == 0;
}

}  // namespace

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

bool SiteBuilder::is_full() const {
  return nodes_ > max_nodes_ || inputs_ / kInputsPerNode > max_nodes_;
}

Status SiteBuilder::CountNodes(int64_t more) {
  nodes_ += more;
  if (nodes_ <= max_nodes_) return Status();
  return InvalidArgument("with its functions inlined the graph has more than ", max_nodes_, " nodes and calls");
}

Status SiteBuilder::CountInputs(size_t more) {
  inputs_ += static_cast<int64_t>(more);
  if (inputs_ / kInputsPerNode <= max_nodes_) return Status();
  return InvalidArgument("with its functions inlined the graph's nodes have more than ", kInputsPerNode * max_nodes_,
                         " inputs");
}

Status SiteBuilder::NestConditionals(int more) {
  conditionals_ += more;
  if (conditionals_ <= kMaxConditionals) return Status();
  return InvalidArgument("more than ", kMaxConditionals, " conditionals are nested");
}

std::string SiteBuilder::UniqueName(std::string_view name) const {
  std::string unique = to_->UniqueName(name);
  for (int k = 1; reserved_.Find(unique) >= 0; ++k) unique = to_->UniqueName(StrCat(name, "_", k));
  return unique;
}

// A run may leave the node out: shapes that cannot be are an error of the step that runs it.
Result<NodeId> SiteBuilder::AddToGraph(NodeSpec spec) {
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

Result<Inlined> SiteBuilder::AddNode(NodeSpec spec, const std::vector<SiteValue>& inputs, bool is_anchored,
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

Result<SiteValue> SiteBuilder::Add(const std::string& name, const std::string& op, const std::vector<SiteValue>& inputs,
                                   const CallSite& site, AttrMap attrs, std::vector<NodeId> after) {
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
void SiteBuilder::Tie(NodeId node, const CallSite& site) {
  const std::vector<Output>& inputs = to_->node(node).inputs;
  for (NodeId tie : site.ties) {
    const bool reads = std::any_of(inputs.begin(), inputs.end(), [&](Output input) { return input.node == tie; });
    if (!reads) to_->AddControlEdge(tie, node);
  }
}

// A Switch runs whichever of its outputs is alive.
Result<NodeId> SiteBuilder::NodeOf(SiteValue value, const CallSite& site) {
  const Node& source = to_->node(value.output.node);
  if (source.op->traits.control_flow != ControlFlowKind::kSwitch) return source.id;
  CallSite untied = site;
  untied.ties.clear();
  DF_ASSIGN(const SiteValue given, Add("given", "Identity", {value}, untied));
  return given.output.node;
}

Result<SiteValue> SiteBuilder::Anchor(SiteValue value, const CallSite& site) {
  if (!value.floats) return value;
  return Add("begin", "Identity", {value}, site, {}, site.ties);
}

}  // namespace dfrun
