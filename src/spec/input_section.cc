#include <algorithm>
#include <filesystem>

#include "src/framework/tensor_hdf5.h"
#include "src/spec/section.h"
#include "src/spec/seed.h"

namespace dfrun {
namespace {

// Reads one section of `inputs:`; a function that fails has reported why.
class InputReader {
 public:
  InputReader(const Yaml& name, const Yaml& value, const std::string& directory, ValueReader& reader)
      : name_(name), value_(value), directory_(directory), reader_(reader), diagnostics_(reader.diagnostics()) {}

  std::optional<InputSpec> Read() {
    spec_.name = name_.text();
    spec_.place = name_.place();
    if (!IsValidNodeName(spec_.name)) return Fail(name_.place(), "is no name for nodes: letters, digits and ._/-");
    if (!CheckKeys(value_, {"hdf5", "tensors", "batch", "shuffle"}, What(), diagnostics_)) return {};
    if (!ReadFile() || !ReadTensors() || !ReadBatch()) return {};
    if (const std::optional<Yaml> shuffle = FindKey(value_, "shuffle")) {
      const std::optional<bool> is_on = reader_.Bool(*shuffle, "'shuffle'");
      if (!is_on) return {};
      spec_.shuffle = *is_on;
    }
    return std::move(spec_);
  }

 private:
  std::string What() const { return StrCat("input '", name_.text(), "'"); }
  template <class... Args>
  std::nullopt_t Fail(SourcePlace place, const Args&... args) {
    diagnostics_.Error(place, What(), " ", args...);
    return std::nullopt;
  }

  bool ReadFile() {
    const std::optional<Yaml> path = FindKey(value_, "hdf5");
    if (!path) return Fail(name_.place(), "lacks 'hdf5', the path of its file"), false;
    const std::optional<std::string> text = reader_.Text(*path, "'hdf5'");
    if (!text) return false;
    spec_.path = (std::filesystem::path(directory_) / *text).string();
    Result<h5::Handle> file = h5::OpenFile(spec_.path);
    if (!file.ok()) return Fail(path->place(), file.status().message()), false;
    file_ = *std::move(file);
    return true;
  }

  bool ReadTensors() {
    const std::optional<Yaml> tensors = FindKey(value_, "tensors");
    if (!tensors) return Fail(name_.place(), "lacks 'tensors': {name: dataset}"), false;
    if (!CheckMap(*tensors, "'tensors'", diagnostics_)) return false;
    for (size_t i = 0; i < tensors->size(); ++i) {
      if (!ReadTensor(tensors->key(i), tensors->value(i))) return false;
    }
    if (spec_.tensors.empty()) return Fail(tensors->place(), "has no tensors"), false;
    return true;
  }

  bool ReadTensor(const Yaml& name, const Yaml& dataset) {
    InputTensor tensor;
    tensor.name = name.text();
    tensor.place = dataset.place();
    if (!IsValidNodeName(tensor.name)) return Fail(name.place(), "cannot name a tensor '", tensor.name, "'"), false;
    const std::optional<std::string> path = reader_.Text(dataset, StrCat("'", tensor.name, "'"));
    if (!path) return false;
    tensor.dataset = *path;
    const Result<DatasetInfo> info = InspectDataset(file_, spec_.path, tensor.dataset);
    if (!info.ok()) return Fail(dataset.place(), info.status().message()), false;
    if (info->shape.rank() == 0)
      return Fail(dataset.place(), "cannot take samples from '", tensor.dataset, "', which is a scalar"), false;
    const int64_t samples = info->shape[0];
    if (!spec_.tensors.empty() && samples != spec_.num_samples) {
      return Fail(dataset.place(), "has ", samples, " samples in '", tensor.dataset, "', but ", spec_.num_samples,
                  " in '", spec_.tensors[0].dataset, "'"),
             false;
    }
    if (samples == 0) return Fail(dataset.place(), "has no samples in '", tensor.dataset, "'"), false;
    spec_.num_samples = samples;
    tensor.dtype = info->dtype;
    tensor.sample_shape = Shape(info->shape.dims().subspan(1));
    spec_.tensors.push_back(std::move(tensor));
    return true;
  }

  bool ReadBatch() {
    const std::optional<Yaml> batch = FindKey(value_, "batch");
    if (!batch) return Fail(name_.place(), "lacks 'batch', a number of samples or 'all'"), false;
    spec_.batch_place = batch->place();
    spec_.all = batch->text() == "all";
    if (spec_.all) {
      spec_.batch = spec_.num_samples;
      return true;
    }
    const std::optional<int64_t> number = reader_.Int(*batch, "'batch' (a number of samples, or 'all')", 1);
    if (!number) return false;
    if (*number > spec_.num_samples)
      return Fail(batch->place(), "has ", spec_.num_samples, " samples, fewer than a batch of ", *number), false;
    spec_.batch = *number;
    return true;
  }

  const Yaml& name_;
  const Yaml& value_;
  const std::string& directory_;
  ValueReader& reader_;
  Diagnostics& diagnostics_;
  h5::Handle file_;
  InputSpec spec_;
};

PartialShape BatchShape(const InputTensor& tensor, int64_t batch) {
  std::vector<int64_t> sizes = {batch};
  sizes.insert(sizes.end(), tensor.sample_shape.dims().begin(), tensor.sample_shape.dims().end());
  return PartialShape(std::move(sizes));
}

bool AddNodes(InputSpec& input, int64_t seed, Lowering& lowering) {
  const std::optional<NodeId> position = lowering.AddCounter(input.name + "/position", input.place);
  if (!position) return false;
  input.position = *position;
  NodeSpec read{input.name + "/read", "HDF5Reader", {{*position, 0}}, {}, {}, "", "", {}};
  std::vector<DType> dtypes;
  std::vector<std::string> datasets;
  std::vector<PartialShape> shapes;
  for (const InputTensor& t : input.tensors) {
    dtypes.push_back(t.dtype);
    datasets.push_back(t.dataset);
    shapes.push_back(BatchShape(t, PartialShape::kUnknown));
  }
  read.attrs.Set("component_types", std::move(dtypes));
  read.attrs.Set("datasets", std::move(datasets));
  read.attrs.Set("shapes", std::move(shapes));
  read.attrs.Set("path", input.path);
  read.attrs.Set("batch", input.all ? int64_t{-1} : input.batch);
  read.attrs.Set("shuffle", input.shuffle);
  read.attrs.Set("seed", SeedsOf(seed, read.name).seed);
  const std::optional<NodeId> read_id = lowering.AddNode(std::move(read), input.place);
  if (!read_id) return false;
  input.read = *read_id;
  for (size_t i = 0; i < input.tensors.size(); ++i) {
    InputTensor& tensor = input.tensors[i];
    NodeSpec identity{
        StrCat(input.name, "/", tensor.name), "Identity", {{*read_id, static_cast<int32_t>(i)}}, {}, {}, "", "", {}};
    const std::optional<NodeId> id = lowering.AddNode(std::move(identity), tensor.place);
    if (!id) return false;
    tensor.value = {*id, 0};
  }
  return true;
}

}  // namespace

std::vector<InputSpec> ReadInputs(const Yaml& section, const std::string& directory, int64_t seed, ValueReader& reader,
                                  Lowering& lowering) {
  std::vector<InputSpec> inputs;
  if (!CheckMap(section, "the section 'inputs'", reader.diagnostics())) return inputs;
  for (size_t i = 0; i < section.size(); ++i) {
    std::optional<InputSpec> input = InputReader(section.key(i), section.value(i), directory, reader).Read();
    if (input && AddNodes(*input, seed, lowering)) inputs.push_back(*std::move(input));
  }
  return inputs;
}

Status FixBatchSizes(const std::vector<InputSpec>& inputs, Graph& graph) {
  if (inputs.empty()) return Status();
  for (const InputSpec& input : inputs) {
    std::vector<PartialShape> shapes;
    for (const InputTensor& t : input.tensors) shapes.push_back(BatchShape(t, input.batch));
    graph.mutable_node(input.read).attrs.Set("shapes", std::move(shapes));
  }
  return graph.InferShapes();
}

}  // namespace dfrun
