#include "src/session/node_capture.h"

#include <algorithm>
#include <utility>

#include "src/base/file.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_ops.h"
#include "src/storage/hdf5_file.h"
#include "src/storage/hdf5_helpers.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {
namespace {

const Graph* GraphOn(const LocalExecutable& part, const std::string& device) {
  const auto found =
      std::find_if(part.graphs.begin(), part.graphs.end(), [&](const auto& graph) { return graph.first == device; });
  return found == part.graphs.end() ? nullptr : &found->second;
}

// The node alone: an input that it reads is a Placeholder, one that it may change a variable.
Result<Graph> GraphOfNode(const Node& node, const OpRegistry& ops, const SeenNode& seen) {
  Graph alone(ops);
  GraphOps inputs(alone, "", seen.device);
  std::vector<Output> edges;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    std::string name = StrCat("input_", i);
    if (name == node.name) name += "_";
    const Tensor& value = seen.inputs[i];
    const AttrMap attrs = {{"dtype", value.dtype()}, {"shape", PartialShape(value.shape())}};
    edges.push_back(inputs.Add(name, node.input_types[i].is_ref ? "VariableV2" : "Placeholder", {}, attrs));
  }
  DF_TRY(inputs.status());
  NodeSpec spec;
  spec.name = node.name;
  spec.op = node.op->name;
  spec.inputs = std::move(edges);
  spec.attrs = node.attrs;
  spec.device = seen.device;
  DF_TRY(alone.AddNode(std::move(spec)).status());
  return alone;
}

Status WriteValues(Hdf5Writer& file, const char* group, const std::vector<Tensor>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].initialized()) DF_TRY(file.Write(StrCat("/", group, "/", i), values[i]).status());
  }
  return Status();
}

Status WriteText(Hdf5Writer& file, const char* name, const std::string& text) {
  return file.Write(name, Tensor::Scalar<std::string>(text)).status();
}

Status WriteNumber(Hdf5Writer& file, const char* name, int64_t number) {
  return file.Write(name, Tensor::Scalar<int64_t>(number)).status();
}

Status WriteAll(Hdf5Writer& file, const KeptFinding& kept, const CaptureRequest& request, int rank) {
  DF_TRY(WriteText(file, "/graph", kept.graph));
  DF_TRY(WriteText(file, "/node", kept.node.name));
  DF_TRY(WriteValues(file, "inputs", kept.node.inputs));
  DF_TRY(WriteValues(file, "outputs", kept.node.outputs));
  DF_TRY(WriteText(file, "/found", request.found));
  DF_TRY(WriteText(file, "/device", kept.node.device));
  DF_TRY(WriteText(file, "/version", request.version));
  DF_TRY(WriteNumber(file, "/step", request.step));
  DF_TRY(WriteNumber(file, "/rank", rank));
  if (request.position) DF_TRY(WriteNumber(file, "/position", *request.position));
  return Status();
}

// Reads the datasets of a capture.
class CaptureReader {
 public:
  CaptureReader(const std::string& path, Hdf5File& file) : path_(path), file_(file) {}

  Result<std::string> Text(const char* name) {
    DF_ASSIGN(const Tensor value, Scalar(name, DType::kString));
    return value.scalar<std::string>();
  }
  Result<int64_t> Number(const char* name) {
    DF_ASSIGN(const Tensor value, Scalar(name, DType::kInt64));
    return value.scalar<int64_t>();
  }
  bool Has(const std::string& name) { return file_.Inspect(name).ok(); }
  // A value of this type, whose dtype HDF5 may not have.
  Result<Tensor> Value(const std::string& name, DType dtype) {
    Result<Tensor> value = file_.Read(name, SystemAllocator());
    if (!value.ok()) return NoCapture(value.status().message());
    if (value->dtype() == dtype) return value;
    if (IsPlain(dtype) && IsPlain(value->dtype()) && DTypeSize(dtype) == DTypeSize(value->dtype())) {
      return value->Viewed(dtype, value->shape());
    }
    return NoCapture(StrCat(name, " is ", value->dtype(), ", and the node has ", dtype, " there"));
  }
  Status NoCapture(const std::string& why) const {
    return Error(Code::kBadSpec, path_, " is no capture of a node: ", why);
  }

 private:
  Result<Tensor> Scalar(const char* name, DType dtype) {
    DF_ASSIGN(Tensor value, Value(name, dtype));
    if (value.num_elements() == 1) return value;
    return NoCapture(StrCat(name, " is not one value"));
  }

  const std::string& path_;
  Hdf5File& file_;
};

// Sets the graph and its node, as the file has them.
Status ReadGraph(CaptureReader& reader, NodeCapture& capture) {
  DF_ASSIGN(const std::string text, reader.Text("/graph"));
  DF_ASSIGN(const std::string name, reader.Text("/node"));
  Result<Graph> graph = ImportGraphDef(text, GraphDefFormat::kText);
  if (!graph.ok()) return reader.NoCapture(graph.status().message());
  capture.graph = *std::move(graph);
  capture.node = capture.graph.Find(name);
  return capture.node < 0 ? reader.NoCapture(StrCat("its graph has no node '", name, "'")) : Status();
}

Status ReadValues(CaptureReader& reader, NodeCapture& capture) {
  const Node& node = capture.graph.node(capture.node);
  for (size_t i = 0; i < node.input_types.size(); ++i) {
    DF_ASSIGN(capture.inputs.emplace_back(), reader.Value(StrCat("/inputs/", i), node.input_types[i].dtype));
  }
  for (size_t i = 0; i < node.output_types.size(); ++i) {
    const std::string name = StrCat("/outputs/", i);
    capture.outputs.emplace_back();
    if (!reader.Has(name)) continue;
    DF_ASSIGN(capture.outputs.back(), reader.Value(name, node.output_types[i].dtype));
  }
  return Status();
}

}  // namespace

KeptFinding KeepFinding(const NumericsCheck::Finding& finding, const LocalExecutable& part) {
  KeptFinding kept{.message = finding.message, .node = finding.node};
  if (!kept.node.missing.empty()) {
    kept.error = kept.node.missing;
    return kept;
  }
  const Graph* const graph = GraphOn(part, kept.node.device);
  const NodeId id = graph == nullptr ? -1 : graph->Find(kept.node.name);
  if (id < 0) {
    kept.error = "its graph was not kept";
    return kept;
  }
  if (graph->node(id).inputs.size() != kept.node.inputs.size()) {
    kept.error = "its plan has another node of this name";
    return kept;
  }
  const Result<Graph> alone = GraphOfNode(graph->node(id), graph->ops(), kept.node);
  if (alone.ok()) {
    kept.graph = ExportGraphDef(*alone, GraphDefFormat::kText);
  } else {
    kept.error = alone.status().message();
  }
  return kept;
}

Status WriteCapture(const KeptFinding& kept, const CaptureRequest& request, int rank) {
  if (kept.message.empty() || !request.found.starts_with(kept.message)) return Status();
  if (!kept.error.empty()) return FailedPrecondition(kept.error);
  DF_TRY(MakeDirectories(ParentDirectory(request.path)));
  DF_ASSIGN(TemporaryFile temporary, TemporaryFile::Create(request.path));
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(const std::unique_ptr<Hdf5Writer> file, library->Create(temporary.path()));
  const Status written = WriteAll(*file, kept, request, rank);
  const Status closed = file->Close();
  DF_TRY(written);
  DF_TRY(closed);
  return temporary.Commit();
}

Result<NodeCapture> ReadCapture(const std::string& path) {
  const Result<std::unique_ptr<Hdf5File>> file = Hdf5File::Open(path, {}, std::make_shared<Hdf5Helpers>());
  if (file.status().code() == Code::kNotFound) return Error(Code::kNoInput, file.status().message());
  DF_TRY(file.status());
  CaptureReader reader(path, **file);
  NodeCapture capture;
  DF_TRY(ReadGraph(reader, capture));
  DF_TRY(ReadValues(reader, capture));
  DF_ASSIGN(capture.found, reader.Text("/found"));
  DF_ASSIGN(capture.device, reader.Text("/device"));
  DF_ASSIGN(capture.version, reader.Text("/version"));
  DF_ASSIGN(capture.step, reader.Number("/step"));
  DF_ASSIGN(capture.rank, reader.Number("/rank"));
  if (!reader.Has("/position")) return capture;
  DF_ASSIGN(capture.position, reader.Number("/position"));
  return capture;
}

}  // namespace dfrun
