#include "src/training/fingerprint_nodes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/sort_unique.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/variable_readers.h"
#include "src/training/checkpoint_nodes.h"

namespace dfrun {
namespace {

constexpr char kOp[] = "_VariableFingerprints";

bool IsWanted(const JobSpec& spec) {
  if (!spec.fingerprint || !spec.run) return spec.fingerprint;
  // The position of an input is a variable, too, but none of the spec's.
  return spec.variables.size() > spec.inputs.size() && spec.run->steps_in_flight == 1;
}

// The nodes of a step that change variables.
class StepUpdates {
 public:
  // The graph must outlive the object and not change. `frames`: its frames.
  StepUpdates(const Graph& graph, const FrameTree& frames, const RunSignature& step)
      : frames_(frames), consumers_(graph.BuildConsumers()), readers_(graph, consumers_) {
    ends_ = step.targets;
    for (const Output fetch : step.fetches) ends_.push_back(fetch.node);
    AncestorWalk walk(graph);
    for (const NodeId end : ends_) walk.Add(end);
    while (const Node* node = walk.Next()) walk.AddSources(*node);
    runs_ = std::move(walk).added();
  }
  StepUpdates(const StepUpdates&) = delete;
  StepUpdates& operator=(const StepUpdates&) = delete;

  // The nodes after which the variable has its last value of the step. They need not have run where they are dead.
  std::vector<NodeId> Of(NodeId variable) const {
    std::vector<NodeId> updates;
    for (const NodeId id : readers_.ChangersOf(variable)) {
      if (!runs_[static_cast<size_t>(id)]) continue;
      if (frames_.of_node[static_cast<size_t>(id)] != 0) return ends_;  // a loop has ended when the step has
      updates.push_back(id);
    }
    return updates;
  }

 private:
  const FrameTree& frames_;
  const Consumers consumers_;
  const VariableReaders readers_;
  std::vector<NodeId> ends_;
  std::vector<bool> runs_;  // by node
};

// The variables of one node.
struct Members {
  std::vector<const Kept*> variables;
  std::map<std::string, std::vector<NodeId>> updates;  // by the device of the variables that they change
};

// The device of the node for a variable: its own, where that has a kernel, or its task's host.
Result<std::string> DeviceFor(const Node& variable, DType dtype) {
  DF_ASSIGN(const DeviceName own, DeviceName::Parse(variable.device));
  if (own.type && IsPlain(dtype) &&
      KernelRegistry::Builtin().Find(kOp, *own.type, {{"T", std::vector<DType>{dtype}}}).ok()) {
    return variable.device;
  }
  return HostOf(variable.device);
}

// `joined`: the op of a node that waits for the updates of a device. `step`: gets the fetch.
Status AddNode(const std::string& device, Members& members, const std::string& joined, JobGraphDraft& draft,
               RunSignature& step) {
  GraphOps ops(draft.job.graph, "fingerprint", device);
  std::vector<NodeId> after;
  for (auto& [of, updates] : members.updates) {
    SortUnique(updates);
    if (updates.empty()) continue;
    ops.set_device(of);
    after.push_back(ops.Add("updated", joined, {}, {}, std::move(updates)).node);
  }
  FingerprintFetch fetch;
  std::vector<Output> values;
  for (const Kept* kept : members.variables) {
    fetch.variables.push_back(kept->parts[0].name);
    values.push_back({kept->source, 0});
  }
  ops.set_device(device);
  step.fetches.push_back(ops.Add("variables", kOp, std::move(values), {}, std::move(after)));
  draft.job.fingerprints.push_back(std::move(fetch));
  return ops.status();
}

}  // namespace

Status AddFingerprints(JobGraphDraft& draft) {
  if (!IsWanted(draft.spec)) return Status();
  // The step of one replica has no state of all.
  const bool has_no_step = draft.job.apart && draft.job.apart->backup == 0;
  RunSignature& signature = has_no_step ? draft.job.apart->state : draft.job.step.signature;
  const Graph& graph = draft.job.graph;
  std::map<std::string, Members> by_device;
  {
    DF_ASSIGN(const FrameTree frames, BuildFrameTree(graph));
    const StepUpdates step(graph, frames, signature);
    for (const Kept& kept : draft.kept) {
      if (!kept.is_variable) continue;
      const Node& variable = graph.node(kept.source);
      DF_ASSIGN(const std::string device, DeviceFor(variable, kept.parts[0].dtype));
      Members& members = by_device[device];
      members.variables.push_back(&kept);
      std::vector<NodeId>& updates = members.updates[variable.device];
      for (const NodeId id : step.Of(kept.source)) updates.push_back(id);
    }
  }
  // A ControlTrigger runs where the updates are dead. It makes a graph one with control flow, of which a GPU records
  // nothing, so that it stands only where there is such flow.
  const std::string joined = HasControlFlow(graph) ? "ControlTrigger" : "NoOp";
  for (auto& [device, members] : by_device) DF_TRY(AddNode(device, members, joined, draft, signature));
  return Status();
}

}  // namespace dfrun
