#include "src/training/checkpoint_nodes.h"

#include <algorithm>

#include "src/framework/device_factory.h"
#include "src/training/variable_copies.h"

namespace dfrun {
namespace {

// What the nodes of a shard say of its members.
struct ShardAttrs {
  std::vector<std::string> names;
  std::vector<PartialShape> shapes;
  std::vector<DType> dtypes;
};

Result<ShardAttrs> AttrsOf(const std::vector<NodeId>& members, JobGraph& job) {
  ShardAttrs attrs;
  for (NodeId v : members) {
    const Node& node = job.graph.node(v);
    Result<Shape> shape = node.output_shapes[0].ToShape();
    if (!shape.ok()) return shape.status().Annotate(job.graph.Describe(v));
    attrs.names.push_back(node.name);
    attrs.shapes.push_back(node.output_shapes[0]);
    attrs.dtypes.push_back(node.output_types[0].dtype);
    job.variables.push_back({node.name, attrs.dtypes.back(), *shape});
  }
  return attrs;
}

// The device of the same task that reads and writes files: values come to it and go from it as to any other.
Result<std::string> HostOf(const std::string& device) {
  DF_ASSIGN(DeviceName name, DeviceName::Parse(device));
  name.type = HostDeviceType();
  name.index = 0;
  return name.ToString();
}

// The node that gives a member its value back, on the member's device.
NodeId AddRestored(const Node& member, Output value, GraphOps& ops) {
  if (member.op->name == "VariableV2") return ops.Add("restore/assign", "Assign", {{member.id, 0}, value}).node;
  return ops.Add("restore/position", "SetRandomPosition", {value}, member.attrs).node;
}

// Whether a value that is not finite must not be saved.
bool IsChecked(const JobGraphDraft& draft, NodeId member) {
  const DType dtype = draft.job.graph.node(member).output_types[0].dtype;
  if (!IsFloating(dtype) && !IsComplex(dtype)) return false;
  return std::none_of(draft.spec.variables.begin(), draft.spec.variables.end(),
                      [&](const VariableSpec& v) { return !v.finite && draft.shared.nodes.at(v.node) == member; });
}

void AddCheck(const std::vector<NodeId>& members, const JobGraphDraft& draft, GraphOps& ops, JobGraph& job) {
  std::vector<Output> values;
  std::vector<std::string> names;
  for (NodeId v : members) {
    if (!IsChecked(draft, v)) continue;
    values.push_back({v, 0});
    names.push_back(job.graph.node(v).name);
  }
  if (values.empty()) return;
  job.not_finite.fetches.push_back(ops.Add("check", "_NotFiniteValues", std::move(values), {{"names", names}}));
}

Status AddShard(const std::vector<NodeId>& members, const std::string& file, Output directory, GraphOps& ops,
                JobGraphDraft& draft) {
  JobGraph& job = draft.job;
  DF_ASSIGN(const ShardAttrs attrs, AttrsOf(members, job));
  std::vector<Output> values = {directory};
  for (NodeId v : members) values.push_back({v, 0});
  job.save.fetches.push_back(ops.Add("save", "SaveShard", values, {{"names", attrs.names}, {"file", file}}));
  const Output restored = ops.Add("restore", "RestoreShard", {directory},
                                  {{"names", attrs.names}, {"dtypes", attrs.dtypes}, {"shapes", attrs.shapes}});
  DF_TRY(ops.status());
  for (size_t i = 0; i < members.size(); ++i) {
    const Node member = job.graph.node(members[i]);
    ops.set_device(member.device);
    job.restore.targets.push_back(AddRestored(member, {restored.node, static_cast<int32_t>(i)}, ops));
    DF_TRY(ops.status());
    const NodeId assigned = job.restore.targets.back();
    job.graph.mutable_node(assigned).colocate_with = member.name;
    DF_TRY(AssignCopies(draft, member.id, {assigned, 0}, job.restore));
  }
  return Status();
}

}  // namespace

Status AddSaveAndRestore(JobGraphDraft& draft) {
  JobGraph& job = draft.job;
  std::map<std::string, std::vector<NodeId>> by_device;
  for (NodeId v : draft.saved) {
    DF_ASSIGN(const std::string host, HostOf(job.graph.node(v).device));
    by_device[host].push_back(v);
  }
  GraphOps ops(job.graph, "checkpoint", draft.workers[0]);
  const Output directory = ops.Add("directory", "Placeholder", {}, {{"dtype", DType::kString}, {"shape", Shape()}});
  job.save.feeds = job.restore.feeds = {directory};
  job.save.feed_shapes = job.restore.feed_shapes = {PartialShape::Scalar()};
  int shard = 0;
  for (const auto& [device, members] : by_device) {
    ops.set_device(device);
    AddCheck(members, draft, ops, job);
    DF_TRY(AddShard(members, StrCat("shard-", shard++, ".h5"), directory, ops, draft));
  }
  return ops.status();
}

}  // namespace dfrun
