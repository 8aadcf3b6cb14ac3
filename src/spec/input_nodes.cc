#include "src/spec/input_nodes.h"

#include <algorithm>
#include <utility>

#include "src/graph/graph_ops.h"
#include "src/spec/seed.h"
#include "src/spec/tied_inputs.h"

namespace dfrun {
namespace {

PartialShape BatchShape(const InputTensor& tensor, int64_t batch) {
  std::vector<int64_t> sizes = {batch};
  sizes.insert(sizes.end(), tensor.field.shape.dims().begin(), tensor.field.shape.dims().end());
  return PartialShape(std::move(sizes));
}

// HDF5Reader reads datasets of one file as they are, SampleReader any input.
bool IsPlainHdf5(const InputSpec& input) {
  return input.format == kHdf5 && input.config.files.size() == 1 && input.config.options.empty() &&
         std::none_of(input.tensors.begin(), input.tensors.end(),
                      [](const InputTensor& t) { return t.field.fallback.has_value(); });
}

void SetFiles(const InputSpec& input, AttrMap& attrs) {
  std::vector<std::string> fields;
  std::vector<std::string> defaults;
  std::vector<int64_t> exact;
  std::vector<PartialShape> shapes;
  for (const InputTensor& t : input.tensors) {
    if (t.field.is_exact) exact.push_back(static_cast<int64_t>(fields.size()));
    if (t.field.fallback) defaults.push_back(StrCat(fields.size(), "=", *t.field.fallback));
    fields.push_back(t.field.from);
    shapes.push_back(t.field.shape);
  }
  if (!input.config.layouts.empty()) attrs.Set("layouts", input.config.layouts);
  if (IsPlainHdf5(input)) {
    attrs.Set("path", input.config.files[0]);
    attrs.Set("datasets", std::move(fields));
    return;
  }
  std::vector<int64_t> pieces;
  for (const RecordIndex::Piece& p : input.record_index.pieces) {
    pieces.insert(pieces.end(), {p.file, p.begin, p.records});
  }
  std::vector<std::string> options;
  for (const auto& [name, value] : input.config.options) options.push_back(StrCat(name, "=", value));
  attrs.Set("format", input.format);
  attrs.Set("files", input.config.files);
  attrs.Set("options", std::move(options));
  attrs.Set("fields", std::move(fields));
  attrs.Set("sample_shapes", std::move(shapes));
  attrs.Set("defaults", std::move(defaults));
  attrs.Set("exact", std::move(exact));
  attrs.Set("pieces", std::move(pieces));
  attrs.Set("left_out", input.record_index.left_out);
}

NodeSpec ReaderNode(const InputSpec& input, int64_t seed) {
  const char* op = IsPlainHdf5(input) ? "HDF5Reader" : "SampleReader";
  NodeSpec read{input.name + "/read", op, {{input.position, 0}}, {}, {}, "", "", {}};
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (const InputTensor& t : input.tensors) {
    dtypes.push_back(t.field.dtype);
    shapes.push_back(BatchShape(t, PartialShape::kUnknown));
  }
  read.attrs.Set("component_types", std::move(dtypes));
  read.attrs.Set("shapes", std::move(shapes));
  read.attrs.Set("batch", input.all ? int64_t{-1} : input.batch);
  read.attrs.Set("shuffle", input.shuffle);
  read.attrs.Set("shuffle_buffer", input.shuffle_buffer);
  read.attrs.Set("seed", seed);
  read.attrs.Set("readers", input.readers);
  read.attrs.Set("prefetch", input.prefetch);
  SetFiles(input, read.attrs);
  return read;
}

void SetBatchSize(const InputSpec& input, int64_t size, Graph& graph) {
  std::vector<PartialShape> shapes;
  for (const InputTensor& t : input.tensors) shapes.push_back(BatchShape(t, size));
  graph.mutable_node(input.read).attrs.Set("shapes", std::move(shapes));
}

}  // namespace

Status CountSamples(SampleSource& source, InputSpec& input) {
  DF_ASSIGN(input.record_index, source.Count());
  input.config.layouts = source.layouts();
  for (const auto& [name, value] : source.Settled()) input.config.options[name] = value;
  input.num_samples = input.record_index.samples();
  return Status();
}

bool AddInputNodes(InputSpec& input, const std::vector<InputSpec>& inputs, int64_t seed, Lowering& lowering) {
  const InputSpec& leader = LeaderOf(input, inputs);
  if (!input.follows()) {
    const std::optional<NodeId> position = lowering.AddCounter(input.name + "/position", input.location);
    if (!position) return false;
    input.position = *position;
  }
  input.position = leader.position;
  const std::optional<NodeId> read =
      lowering.AddNode(ReaderNode(input, SeedsOf(seed, leader.name + "/read").seed), input.location);
  if (!read) return false;
  input.read = *read;
  for (size_t i = 0; i < input.tensors.size(); ++i) {
    InputTensor& tensor = input.tensors[i];
    NodeSpec identity{
        StrCat(input.name, "/", tensor.name), "Identity", {{*read, static_cast<int32_t>(i)}}, {}, {}, "", "", {}};
    const std::optional<NodeId> id = lowering.AddNode(std::move(identity), tensor.location);
    if (!id) return false;
    tensor.value = {*id, 0};
  }
  return true;
}

Status AddInputNodes(InputSpec& input, Graph& graph) {
  GraphOps ops(graph, "");
  const Output position = ops.Add(input.name + "/position", "Placeholder", {},
                                  {{"dtype", DType::kInt64}, {"shape", PartialShape::Scalar()}});
  DF_TRY(ops.status());
  input.position = position.node;
  NodeSpec read = ReaderNode(input, /*seed=*/0);
  read.location = input.location;
  DF_ASSIGN(input.read, graph.AddNode(std::move(read)));
  for (size_t i = 0; i < input.tensors.size(); ++i) {
    InputTensor& tensor = input.tensors[i];
    tensor.value = ops.Add(StrCat(input.name, "/", tensor.name), "Identity", {{input.read, static_cast<int32_t>(i)}});
  }
  return ops.status();
}

Status FixBatchSizes(const std::vector<InputSpec>& inputs, Graph& graph) {
  if (inputs.empty()) return Status();
  for (const InputSpec& input : inputs) SetBatchSize(input, input.batch, graph);
  return graph.InferShapes();
}

Status FreeBatchSizes(const std::vector<InputSpec>& inputs, Graph& graph) {
  if (inputs.empty()) return Status();
  for (const InputSpec& input : inputs) SetBatchSize(input, PartialShape::kUnknown, graph);
  return graph.InferShapes();
}

}  // namespace dfrun
