#include "jobs/commands/frozen_graph.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "jobs/eval/eval_request.h"
#include "jobs/eval/eval_variables.h"
#include "src/base/counted.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/graph/order/has_refs.h"
#include "src/job/find_checkpoint.h"
#include "src/passes/export/freeze.h"
#include "src/passes/export/portable.h"
#include "src/passes/prune.h"

namespace dfrun::jobs {
namespace {

// Protocol buffers have at most so many bytes.
constexpr int64_t kMaxGraphBytes = (int64_t{1} << 31) - 1;

// Whether all that reads the node is first values of variables.
bool IsFirstValue(const Model& model, NodeId id) {
  return model.job && std::any_of(model.job->variables.begin(), model.job->variables.end(),
                                  [&](const VariableSpec& variable) { return variable.init.node == id; });
}

Result<std::vector<std::string>> NamesOfFetches(const Model& model, const std::vector<std::string>& fetches) {
  std::vector<std::string> names;
  DF_ASSIGN(const std::vector<Output> outputs, ResolveFetches(model, fetches));
  for (const Output output : outputs) names.push_back(model.graph.node(output.node).name);
  return names;
}

// The nodes that no other reads, but for variables, their first values and nodes that write them.
std::vector<std::string> NamesOfAll(const Model& model) {
  std::vector<std::string> names;
  for (const NodeId id : Sinks(model.graph)) {
    const Node& node = model.graph.node(id);
    if (node.op->traits.is_variable || HasRefInput(node) || HasHandleInput(node) || IsFirstValue(model, id)) continue;
    names.push_back(node.name);
  }
  return names;
}

Result<Graph> PrunedTo(const Graph& graph, const std::vector<std::string>& names) {
  RunSignature wanted;
  for (const std::string& name : names) {
    if (const NodeId id = graph.Find(name); id >= 0) wanted.targets.push_back(id);
  }
  return PruneForRun(graph, wanted);
}

Status CheckSize(const std::map<NodeId, Tensor>& values) {
  int64_t bytes = 0;
  for (const auto& [variable, value] : values) bytes += static_cast<int64_t>(value.num_bytes());
  if (bytes < kMaxGraphBytes) return Status();
  return Error(Code::kUsage, "--frozen: the variables have ", bytes, " bytes, and a GraphDef has at most ",
               kMaxGraphBytes, ": export the graph without --frozen and restore the checkpoint where it is used");
}

Status CheckFetched(const std::vector<std::string>& names, const std::vector<std::string>& left_out) {
  for (const std::string& name : names) {
    if (std::find(left_out.begin(), left_out.end(), name) == left_out.end()) continue;
    return Error(Code::kUsage, "--frozen --fetch ", name,
                 ": this writes a variable or reads what such a node gives, and a frozen graph has no variables");
  }
  return Status();
}

void SayLeftOut(const std::vector<std::string>& left_out) {
  constexpr size_t kMaxNamed = 5;
  if (left_out.empty()) return;
  const std::vector<std::string> named(left_out.begin(), left_out.begin() + std::min(kMaxNamed, left_out.size()));
  const std::string text =
      StrCat("left out, since variables are constants now: ", Join(named),
             left_out.size() > kMaxNamed ? StrCat(" and ", left_out.size() - kMaxNamed, " more") : "");
  std::fprintf(stderr, "dfrun: %s\n", PrintableLine(text).c_str());
}

}  // namespace

Result<Graph> MakeFrozen(const Model& model, const FreezeOptions& options) {
  DF_ASSIGN(const std::string checkpoint, FindCheckpoint("--restore", options.restore));
  std::vector<std::string> names = NamesOfAll(model);
  if (!options.fetches.empty()) {
    DF_ASSIGN(names, NamesOfFetches(model, options.fetches));
  }
  DF_ASSIGN(Graph graph, PrunedTo(model.graph, names));
  if (options.portable) {
    DF_ASSIGN(graph, MakePortable(graph));
    DF_ASSIGN(graph, PrunedTo(graph, names));  // placeholders need no position
  }
  DF_ASSIGN(const auto values, ValuesInCheckpoint(graph, VariablesIn(graph), checkpoint));
  DF_TRY(CheckSize(values));
  DF_ASSIGN(FrozenGraph frozen, FreezeVariables(graph, values));
  if (!options.fetches.empty()) DF_TRY(CheckFetched(names, frozen.left_out));
  SayLeftOut(frozen.left_out);
  for (NodeId id = 0; id < frozen.graph.num_nodes(); ++id) {
    Node& node = frozen.graph.mutable_node(id);
    node.device.clear();
    node.colocate_with.clear();
  }
  return std::move(frozen.graph);
}

}  // namespace dfrun::jobs
