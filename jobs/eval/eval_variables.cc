#include "jobs/eval/eval_variables.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "jobs/eval/eval_classes.h"
#include "src/base/json/log_line.h"
#include "src/checkpoint/store.h"
#include "src/framework/kernel/object_state.h"
#include "src/graph/object_handle.h"
#include "src/job/init_plan.h"

namespace dfrun::jobs {
namespace {

bool IsRefVariable(const Node& node) {
  return node.op->name == "VariableV2" || node.op->name == "Variable";
}
bool IsVariable(const Node& node) {
  return IsRefVariable(node) || node.op->name == "VarHandleOp";
}

// Returns the state description of an object that outlives steps, such as a queue or a table, if a checkpoint may hold
// its state; otherwise null.
const ObjectState* StateOf(const Node& node) {
  const ObjectState* const state = IsVariable(node) ? nullptr : FindObjectState(node.op->name);
  return state != nullptr && state->parts != nullptr && NamesObject(node) ? state : nullptr;
}

Result<NodeId> AddAssign(Graph& graph, NodeId variable, Output value) {
  const Node& node = graph.node(variable);
  NodeSpec spec;
  spec.name = graph.UniqueName(node.name + "/eval_assign");
  spec.op = IsRefVariable(node) ? "Assign" : "AssignVariableOp";
  spec.inputs = {{variable, 0}, value};
  return graph.AddNode(std::move(spec));
}

Result<Output> AddPlaceholder(Graph& graph, const std::string& name, const Tensor& value) {
  NodeSpec spec;
  spec.name = graph.UniqueName(name + "/eval_value");
  spec.op = "Placeholder";
  spec.attrs = {{"dtype", value.dtype()}, {"shape", value.shape()}};
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

Status CheckFits(const Node& node, const SavedVariable& saved, const std::string& directory) {
  DF_ASSIGN(const DType dtype, node.attrs.Get<DType>("dtype"));
  DF_ASSIGN(const PartialShape shape, node.attrs.Get<PartialShape>("shape"));
  if (dtype == saved.dtype && shape.IsCompatibleWith(saved.shape)) return Status();
  return Error(Code::kBadSpec, "variable '", node.name, "' is ", dtype, shape, " in the graph, but ", saved.dtype,
               saved.shape, " in the checkpoint ", directory);
}

// A node, and what a checkpoint has of it.
struct SavedNode {
  NodeId node = -1;
  std::vector<StatePart> parts = {};  // parts of an object's state
  // Saved variables with their shard numbers; empty: the checkpoint has none
  std::vector<std::pair<size_t, SavedVariable>> saved = {};
  std::vector<Tensor> values = {};
};

Result<SavedNode> FindVariable(const Node& node, const CheckpointStore::Checkpoint& checkpoint, bool must_be_there) {
  SavedNode found{.node = node.id};
  size_t shard = 0;
  const SavedVariable* saved = checkpoint.manifest.Find(NameOfObject(node), &shard);
  if (saved == nullptr) saved = checkpoint.manifest.Find(node.name, &shard);
  if (saved != nullptr) {
    DF_TRY(CheckFits(node, *saved, checkpoint.directory));
    found.saved.emplace_back(shard, *saved);
  } else if (must_be_there) {
    return Error(Code::kBadSpec, "the checkpoint ", checkpoint.directory, " has no variable '", NameOfObject(node),
                 "'; give --init NODE to start it otherwise");
  }
  return found;
}

// Finds all of the state of an object, or nothing.
Result<SavedNode> FindState(const Node& node, const CheckpointStore::Checkpoint& checkpoint) {
  SavedNode found{.node = node.id};
  const Result<std::vector<StatePart>> parts = StateOf(node)->parts(node.attrs);
  if (!parts.ok()) return found;  // no checkpoint can hold it
  for (const StatePart& part : *parts) {
    size_t shard = 0;
    const SavedVariable* const saved = checkpoint.manifest.Find(NameOfPart(node.name, part), &shard);
    if (saved == nullptr) return SavedNode{.node = node.id};
    if (saved->dtype != part.dtype || !part.shape.IsCompatibleWith(saved->shape)) {
      return Error(Code::kBadSpec, "'", saved->name, "' is ", part.dtype, part.shape, " in the graph, but ",
                   saved->dtype, saved->shape, " in the checkpoint ", checkpoint.directory);
    }
    found.saved.emplace_back(shard, *saved);
  }
  found.parts = *parts;
  return found;
}

Status ReadValues(const CheckpointStore::Checkpoint& checkpoint, std::vector<SavedNode>& nodes) {
  struct Load {
    std::vector<SavedVariable> variables;
    std::vector<Tensor*> values;
  };
  std::map<size_t, Load> by_shard;
  for (SavedNode& node : nodes) {
    node.values.resize(node.saved.size());
    for (size_t i = 0; i < node.saved.size(); ++i) {
      Load& load = by_shard[node.saved[i].first];
      load.variables.push_back(node.saved[i].second);
      load.values.push_back(&node.values[i]);
    }
  }
  for (const auto& [shard, load] : by_shard) {
    const std::string path = checkpoint.directory + "/" + checkpoint.manifest.shards[shard].file;
    DF_ASSIGN(std::vector<Tensor> values, ReadShard(path, load.variables, SystemAllocator()));
    for (size_t i = 0; i < values.size(); ++i) *load.values[i] = std::move(values[i]);
  }
  return Status();
}

// Adds a node that gives an object the state that is fed to it.
Status AddRestored(Graph& graph, SavedNode& saved, FedStep& step) {
  DF_ASSIGN(const Output handle, AddHandleOf(graph, saved.node));
  const Node& node = graph.node(saved.node);
  const ObjectState& state = *StateOf(node);
  NodeSpec spec;
  spec.name = graph.UniqueName(node.name + "/eval_restore");
  spec.op = state.restore_op;
  spec.attrs = StateAttrs(state, node.op->name, {node.output_types[0].dtype}, saved.parts);
  spec.colocate_with = node.name;
  spec.inputs = {handle};
  for (Tensor& value : saved.values) {
    DF_ASSIGN(const Output fed, AddPlaceholder(graph, graph.node(saved.node).name, value));
    spec.inputs.push_back(fed);
    step.signature.feeds.push_back(fed);
    step.feeds.push_back(std::move(value));
  }
  DF_ASSIGN(const NodeId restored, graph.AddNode(std::move(spec)));
  step.signature.targets.push_back(restored);
  return Status();
}

Result<CheckpointStore::Checkpoint> OpenCheckpoint(const std::string& directory) {
  Result<CheckpointStore::Checkpoint> opened = CheckpointStore::Open(directory);
  if (opened.status().code() == Code::kNotFound)
    return NoInput("--restore ", directory, ": ", opened.status().message());
  return opened;
}

}  // namespace

Result<FedStep> AddInitialValues(Graph& graph, const JobSpec& job) {
  FedStep step;
  for (const VariableSpec& variable : job.variables) {
    DF_ASSIGN(const NodeId assign, AddAssign(graph, variable.node, variable.init));
    step.signature.targets.push_back(assign);
  }
  return step;
}

Result<std::map<NodeId, Tensor>> ReadInitFrom(const Model& model, const std::vector<std::string>& wanted) {
  DF_ASSIGN(InitPlan plan, InitPlan::Make(*model.job, model.graph, nullptr));
  DF_TRY(plan.CheckWhole());
  std::map<NodeId, Tensor> taken;
  for (const InitPlan::Row& row : plan.rows()) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), row.name) != wanted.end();
    if (!is_wanted || row.fate != InitPlan::Fate::kTaken) continue;
    DF_ASSIGN(Tensor value, plan.Read(row.variable));
    taken.emplace(model.job->variables[row.variable].node, std::move(value));
  }
  WriteLine(stderr, LogLevel::kInfo, "dfrun: ", "the variables begin with the values of " + plan.source());
  return taken;
}

Result<std::map<NodeId, Tensor>> ValuesInCheckpoint(const Graph& graph, const std::vector<NodeId>& variables,
                                                    const std::string& directory) {
  DF_ASSIGN(const CheckpointStore::Checkpoint checkpoint, OpenCheckpoint(directory));
  std::vector<SavedNode> saved;
  for (const NodeId variable : variables) {
    DF_ASSIGN(SavedNode found, FindVariable(graph.node(variable), checkpoint, /*must_be_there=*/true));
    saved.push_back(std::move(found));
  }
  DF_TRY(ReadValues(checkpoint, saved));
  std::map<NodeId, Tensor> values;
  for (SavedNode& node : saved) values.emplace(node.node, std::move(node.values[0]));
  return values;
}

Result<FedStep> AddSavedValues(Model& model, const std::string& directory, const std::vector<const RunSignature*>& runs,
                               const std::vector<std::string>& wanted, bool all) {
  DF_TRY(CheckClassesOfCheckpoint(model, directory, runs));
  DF_ASSIGN(const CheckpointStore::Checkpoint checkpoint, OpenCheckpoint(directory));
  Graph& graph = model.graph;
  std::vector<SavedNode> saved;
  for (const std::string& name : wanted) {
    const Node& node = graph.node(graph.Find(name));
    DF_ASSIGN(SavedNode found, IsVariable(node) ? FindVariable(node, checkpoint, all) : FindState(node, checkpoint));
    if (!found.saved.empty()) saved.push_back(std::move(found));
  }
  DF_TRY(ReadValues(checkpoint, saved));
  FedStep step;
  for (SavedNode& node : saved) {
    DF_TRY(IsVariable(graph.node(node.node)) ? AddAssigned(graph, node.node, std::move(node.values[0]), step)
                                             : AddRestored(graph, node, step));
  }
  return step;
}

Status AddAssigned(Graph& graph, NodeId variable, Tensor value, FedStep& step) {
  DF_ASSIGN(const Output fed, AddPlaceholder(graph, graph.node(variable).name, value));
  DF_ASSIGN(const NodeId assign, AddAssign(graph, variable, fed));
  step.signature.feeds.push_back(fed);
  step.signature.targets.push_back(assign);
  step.feeds.push_back(std::move(value));
  return Status();
}

Result<NodeId> VariableOfName(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (!IsVariable(node)) continue;
    if (node.name == name || NameOfObject(node) == name) return node.id;
    names.push_back(node.name);
  }
  const std::string near = Nearest(name, names);
  return NotFound("there is no variable '", name, "'", near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
}

Result<std::vector<std::string>> VariablesOf(const Graph& graph, const std::vector<const RunSignature*>& runs) {
  std::set<std::string> names;
  for (const RunSignature* run : runs) {
    DF_ASSIGN(const Graph needed, PruneForRun(graph, *run));
    for (const Node& node : needed.nodes()) {
      if (IsVariable(node) || StateOf(node) != nullptr) names.insert(node.name);
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace dfrun::jobs
