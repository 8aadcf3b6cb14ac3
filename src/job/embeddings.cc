#include "src/job/embeddings.h"

#include <algorithm>

#include "src/events/projector.h"

namespace dfrun {
namespace {

Result<NodeId> AddConstant(const std::string& name, std::initializer_list<int64_t> values, Graph& graph) {
  Tensor value(DType::kInt64, Shape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), value.data<int64_t>());
  NodeSpec constant;
  constant.name = graph.UniqueName(name);
  constant.op = "Const";
  constant.attrs.Set("value", value);
  constant.attrs.Set("dtype", DType::kInt64);
  return graph.AddNode(std::move(constant));
}

// Adds the first rows of a variable; returns the node's name.
Result<std::string> AddRows(const std::string& variable, Graph& graph) {
  const NodeId node = graph.Find(variable);
  if (node < 0) return Internal("no variable ", variable, " in the graph");
  DF_ASSIGN(const Shape shape, graph.shape({node, 0}).ToShape());
  const int64_t rows = std::min(shape.dim(0), kMaxProjectorRows);
  DF_ASSIGN(const NodeId begin, AddConstant(variable + "/shown_from", {0, 0}, graph));
  DF_ASSIGN(const NodeId size, AddConstant(variable + "/shown_size", {rows, shape.dim(1)}, graph));
  NodeSpec slice;
  slice.name = graph.UniqueName(variable + "/shown");
  slice.op = "Slice";
  slice.inputs = {{node, 0}, {begin, 0}, {size, 0}};
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(slice)));
  return graph.node(id).name;
}

}  // namespace

Status WriteEmbeddings(Session& session, const LoadedSpec& spec, const std::string& run) {
  const std::vector<EmbeddingSpec>& embeddings = spec.job.summaries.embeddings;
  std::vector<std::string> names;
  DF_TRY(session.Extend([&](Graph& graph) -> Status {
    for (const EmbeddingSpec& embedding : embeddings) {
      const NodeId variable = spec.job.variables[embedding.variable].node;
      DF_ASSIGN(names.emplace_back(), AddRows(spec.graph.node(variable).name, graph));
    }
    return Status();
  }));
  DF_ASSIGN(std::vector<Tensor> rows, session.Run({}, names));
  std::vector<ShownEmbedding> shown;
  for (size_t i = 0; i < embeddings.size(); ++i) {
    shown.push_back({embeddings[i].name, std::move(rows[i]), embeddings[i].labels});
  }
  return WriteProjector(run, shown);
}

}  // namespace dfrun
