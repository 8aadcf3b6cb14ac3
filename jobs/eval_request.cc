#include "jobs/eval_request.h"

#include <set>
#include <utility>

#include "src/base/hdf5.h"
#include "src/framework/hdf5_file.h"
#include "src/framework/tensor_hdf5.h"
#include "src/graph/named_node.h"

namespace dfrun::jobs {

Result<Feed> ReadFeed(const Model& model, const std::string& text, const std::vector<std::string>& allow_paths) {
  const Graph& graph = model.graph;
  const size_t equals = text.find('=');
  const size_t colon = text.rfind(":/");
  if (equals == std::string::npos || colon == std::string::npos || colon < equals) {
    return Error(Code::kUsage, "--feed ", text, ": it must be NAME=FILE.h5:/path/of/dataset");
  }
  const Result<Output> output = model.ParseOutput(text.substr(0, equals));
  if (!output.ok()) return Error(Code::kUsage, "--feed ", text, ": ", output.status().message());
  const std::string path = text.substr(equals + 1, colon - equals - 1);
  const auto annotate = [&](const Status& status) {
    const bool is_refused = status.code() == Code::kBadSpec || status.code() == Code::kResourceExhausted;
    return Error(is_refused ? status.code() : Code::kIo, "--feed ", text, ": ", status.message());
  };
  const Result<std::unique_ptr<Hdf5File>> file = Hdf5File::Open(path, {.roots = allow_paths});
  if (!file.ok()) return annotate(file.status());
  Result<Tensor> value = (*file)->Read(text.substr(colon + 1), SystemAllocator());
  if (!value.ok()) return annotate(value.status());
  if (value->dtype() != graph.dtype(*output)) {
    return Error(Code::kUsage, "--feed ", text, ": the dataset is ", value->dtype(), value->shape(), ", but '",
                 OutputName(graph, *output), "' is ", graph.dtype(*output));
  }
  if (!graph.shape(*output).IsCompatibleWith(value->shape())) {
    return Error(Code::kUsage, "--feed ", text, ": the dataset has the shape ", value->shape(), ", but '",
                 OutputName(graph, *output), "' is ", graph.shape(*output));
  }
  return Feed{*output, *std::move(value)};
}

Result<std::vector<Output>> ResolveFetches(const Model& model, const std::vector<std::string>& fetches) {
  std::vector<Output> outputs;
  for (const std::string& text : fetches) {
    const Result<Output> output = model.ParseOutput(text);
    if (!output.ok()) return Error(Code::kUsage, "--fetch ", text, ": ", output.status().message());
    outputs.push_back(*output);
  }
  return outputs;
}

Result<std::vector<NodeId>> ResolveNodes(const Graph& graph, const char* flag, const std::vector<std::string>& names) {
  std::vector<NodeId> nodes;
  for (const std::string& name : names) {
    const Result<NodeId> id = NamedNode(graph, name);
    if (!id.ok()) return Error(Code::kUsage, flag, " ", name, ": ", id.status().message());
    nodes.push_back(*id);
  }
  return nodes;
}

Status CheckFed(const Graph& graph, const RunSignature& signature) {
  DF_ASSIGN(const Graph needed, PruneForRun(graph, signature));
  for (const Node& node : needed.nodes()) {
    if (node.op->name != "Placeholder") continue;
    return Error(Code::kUsage, "the placeholder '", node.name, "' (", node.output_types[0].dtype, node.output_shapes[0],
                 ") has no value: give --feed ", node.name, "=FILE.h5:/path");
  }
  return Status();
}

Status CheckFetchNames(const std::vector<std::string>& fetches) {
  const std::set<std::string> names(fetches.begin(), fetches.end());
  for (const std::string& name : names) {
    const auto below = names.lower_bound(name + "/");
    if (below == names.end() || below->compare(0, name.size() + 1, name + "/") != 0) continue;
    return Error(Code::kUsage, "--fetch ", name, ": the file cannot hold '", name, "' beside '", *below,
                 "', which lies below it; write --fetch ", name, ":0");
  }
  return Status();
}

Status WriteFetches(const std::string& path, const std::vector<std::string>& names, const std::vector<Tensor>& values) {
  DF_ASSIGN(h5::Handle file, h5::CreateFile(path));
  std::set<std::string> written;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!written.insert(names[i]).second) continue;  // fetched twice under one name
    DF_TRY(WriteTensor(file, "/" + names[i], values[i]).status().Annotate("writing the fetch '" + names[i] + "'"));
  }
  return h5::CloseFile(std::move(file), path);
}

}  // namespace dfrun::jobs
