#include "jobs/eval_variables.h"

#include <map>
#include <optional>
#include <utility>

#include "src/checkpoint/store.h"
#include "src/graph/file_kind.h"

namespace dfrun::jobs {
namespace {

bool IsRefVariable(const Node& node) {
  return node.op->name == "VariableV2" || node.op->name == "Variable";
}
bool IsVariable(const Node& node) {
  return IsRefVariable(node) || node.op->name == "VarHandleOp";
}

// What a checkpoint calls it.
std::string SavedName(const Node& node) {
  const AttrValue* shared = node.attrs.Find("shared_name");
  const std::string* name = shared == nullptr ? nullptr : shared->get<std::string>();
  return name == nullptr || name->empty() ? node.name : *name;
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

}  // namespace

Result<FedStep> AddInitialValues(Graph& graph, const JobSpec& job) {
  FedStep step;
  for (const VariableSpec& variable : job.variables) {
    DF_ASSIGN(const NodeId assign, AddAssign(graph, variable.node, variable.init));
    step.signature.targets.push_back(assign);
  }
  return step;
}

Result<std::string> FindCheckpoint(const std::string& path) {
  const Result<FileIdentity> identity = IdentifyFile(path);
  if (!identity.ok()) return IoError("--restore ", path, ": ", identity.status().message());
  if (identity->kind == FileKind::kCheckpoint) return path;
  if (identity->kind != FileKind::kRunDirectory) {
    const bool is_model = identity->kind == FileKind::kSavedModel || identity->kind == FileKind::kProtobuf;
    return Error(Code::kBadSpec, "--restore ", path, ": this is ", identity->what, ", no checkpoint of dfrun",
                 is_model ? ", and the values of its variables are not read; give them one by one by --assign" : "",
                 "; a checkpoint is a directory like RUN/checkpoints/step-100, or RUN for its newest");
  }
  const std::string store = path + "/checkpoints";
  DF_ASSIGN(const std::optional<CheckpointStore::Checkpoint> newest, CheckpointStore(store, 0).FindNewest());
  if (newest) return newest->directory;
  return Error(Code::kBadSpec, "--restore ", path, ": the run directory has no committed checkpoint in ", store);
}

Result<FedStep> AddSavedValues(Graph& graph, const std::vector<std::string>& wanted, const std::string& directory,
                               bool all) {
  const Result<CheckpointStore::Checkpoint> opened = CheckpointStore::Open(directory);
  if (opened.status().code() == Code::kNotFound)
    return IoError("--restore ", directory, ": ", opened.status().message());
  DF_TRY(opened.status());
  const CheckpointStore::Checkpoint& checkpoint = *opened;
  struct Load {
    std::vector<SavedVariable> variables;
    std::vector<NodeId> nodes;
  };
  std::map<size_t, Load> by_shard;
  for (const std::string& name : wanted) {
    const Node& node = graph.node(graph.Find(name));
    size_t shard = 0;
    const SavedVariable* saved = checkpoint.manifest.Find(SavedName(node), &shard);
    if (saved == nullptr) {
      if (!all) continue;
      return Error(Code::kBadSpec, "the checkpoint ", directory, " has no variable '", SavedName(node),
                   "'; give --init NODE to start it otherwise");
    }
    DF_TRY(CheckFits(node, *saved, directory));
    by_shard[shard].variables.push_back(*saved);
    by_shard[shard].nodes.push_back(node.id);
  }
  FedStep step;
  for (const auto& [shard, load] : by_shard) {
    const std::string path = directory + "/" + checkpoint.manifest.shards[shard].file;
    DF_ASSIGN(std::vector<Tensor> values, ReadShard(path, load.variables, SystemAllocator()));
    for (size_t i = 0; i < values.size(); ++i) {
      DF_TRY(AddAssigned(graph, load.nodes[i], std::move(values[i]), step));
    }
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
    if (node.name == name || SavedName(node) == name) return node.id;
    names.push_back(node.name);
  }
  const std::string near = Nearest(name, names);
  return NotFound("there is no variable '", name, "'", near.empty() ? "" : StrCat(", did you mean '", near, "'?"));
}

Result<std::vector<std::string>> VariablesOf(const Graph& graph, const RunSignature& signature) {
  DF_ASSIGN(const Graph needed, PruneForRun(graph, signature));
  std::vector<std::string> names;
  for (const Node& node : needed.nodes()) {
    if (IsVariable(node)) names.push_back(node.name);
  }
  return names;
}

}  // namespace dfrun::jobs
