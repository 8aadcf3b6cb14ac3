#include "src/session/data_files.h"

#include <algorithm>
#include <vector>

#include "src/base/file.h"
#include "src/base/file_sample.h"
#include "src/storage/hdf5_file.h"

namespace dfrun {
namespace {

// The bound of the files compared: a data set of a million images is sampled at even distances, from the first to the
// last.
constexpr size_t kMaxFiles = 1000;
// The bound of the blocks read in a file: files up to 4 MiB are read whole, so that the check does not delay the start.
constexpr uint64_t kMaxBlocks = 64;

const std::string* Text(const Node& node, std::string_view attr) {
  const AttrValue* value = node.attrs.Find(attr);
  return value == nullptr ? nullptr : value->get<std::string>();
}

std::vector<std::string> Texts(const Node& node, std::string_view attr) {
  const AttrValue* value = node.attrs.Find(attr);
  const auto* texts = value == nullptr ? nullptr : value->get<std::vector<std::string>>();
  return texts == nullptr ? std::vector<std::string>() : *texts;
}

bool IsSampleReader(const Node& node) {
  return node.op->name == "HDF5Reader" || node.op->name == "SampleReader";
}

std::vector<std::string> PathsOf(const Node& reader) {
  std::vector<std::string> paths = Texts(reader, "files");
  if (const std::string* path = Text(reader, "path")) paths.push_back(*path);
  return paths;
}

// The files of a reader of samples: each replica reads its slice of the same ones.
void AddSampleFiles(const Node& reader, DataFileUses& uses) {
  const std::vector<std::string> paths = PathsOf(reader);
  Hdf5Layouts layouts = LayoutsOf(reader);
  layouts.files.resize(paths.size());
  const size_t chosen = std::min(paths.size(), kMaxFiles);
  for (size_t i = 0; i < chosen; ++i) {
    const size_t at = chosen == 1 ? 0 : i * (paths.size() - 1) / (chosen - 1);
    uses[paths[at]] = layouts.files[at];
  }
}

// The file of which nodes on several ranks read a part each, where the graph names it.
void AddTextFile(const Node& reader, const Graph& whole, DataFileUses& uses) {
  const NodeId id = whole.Find(reader.name);
  if (id < 0 || whole.node(id).inputs.empty()) return;
  const Tensor* path = whole.ConstantValue(whole.node(id).inputs[0]);
  if (path != nullptr && path->dtype() == DType::kString && path->num_elements() == 1) {
    uses[*path->data<std::string>()];
  }
}

void AddDataset(const std::string& name, const DatasetInfo& info, control::DataFile& out) {
  control::DataFile::Dataset* dataset = out.add_datasets();
  dataset->set_name(name);
  dataset->set_shape(StrCat(info.dtype, info.shape));
}

// Describes the datasets that rank 0 reads, of a file whose bytes differ already. One that cannot be described is left
// out, and Difference() calls it missing.
void DescribeDatasets(const control::DataFile& expected, control::DataFile& out) {
  if (expected.datasets().empty()) return;
  const auto file = Hdf5File::Open(expected.path(), {});
  if (!file.ok()) return;
  for (const control::DataFile::Dataset& dataset : expected.datasets()) {
    const Result<DatasetInfo> info = (*file)->Inspect(dataset.name());
    if (info.ok()) AddDataset(dataset.name(), *info, out);
  }
}

Result<control::DataFile> LookAtBytes(const FileDescriptor& file) {
  DF_ASSIGN(const uint64_t bytes, file.Size());
  DF_ASSIGN(const uint32_t crc, DigestSample(file, bytes, kMaxBlocks));
  control::DataFile found;
  found.set_path(file.path());
  found.set_bytes(static_cast<int64_t>(bytes));
  found.set_crc32c(crc);
  return found;
}

// Describes how a file differs, in the words of its data where they tell.
std::string Difference(const control::DataFile& here, const control::DataFile& there) {
  for (const control::DataFile::Dataset& expected : there.datasets()) {
    const auto& datasets = here.datasets();
    const auto found =
        std::find_if(datasets.begin(), datasets.end(), [&](const auto& d) { return d.name() == expected.name(); });
    if (found == datasets.end()) return StrCat("it has no dataset '", expected.name(), "' here");
    if (found->shape() == expected.shape()) continue;
    return StrCat("'", expected.name(), "' is ", found->shape(), " here and ", expected.shape(), " there");
  }
  if (here.bytes() != there.bytes()) {
    return StrCat("it has ", here.bytes(), " bytes here and ", there.bytes(), " there");
  }
  return "its bytes are others, though not their number";
}

}  // namespace

void AddDataFiles(const Graph& part, const Graph& whole, DataFileUses& uses) {
  for (const Node& node : part.nodes()) {
    const std::string& op = node.op->name;
    if (IsSampleReader(node)) AddSampleFiles(node, uses);
    if (op == "ReadTextRange") AddTextFile(node, whole, uses);
  }
}

Result<control::DataFile> LookAtDataFile(const std::string& path, const std::string& layout) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForReading(path));
  DF_ASSIGN(control::DataFile found, LookAtBytes(file));
  for (const auto& [name, info] : ParseLayout(layout).datasets) AddDataset(name, info, found);
  return found;
}

Result<FileVersion> CheckDataFile(const control::DataFile& expected) {
  const std::string& path = expected.path();
  const Result<FileDescriptor> file = FileDescriptor::OpenForReading(path);
  Result<control::DataFile> found = file.ok() ? LookAtBytes(*file) : file.status();
  if (!found.ok()) return NoInput("data that rank 0 reads cannot be read here: ", found.status().message());
  if (found->bytes() == expected.bytes() && found->crc32c() == expected.crc32c()) return VersionOf(*file);
  DescribeDatasets(expected, *found);
  return NoInput(path, " is not what rank 0 finds under that path: ", Difference(*found, expected),
                 "; give all ranks the same data, or name a file in a file system that all of them see");
}

bool IsComparedWhole(uint64_t bytes) {
  return bytes <= kMaxBlocks * kSampleBlockBytes;
}

Hdf5Layouts LayoutsOf(const Node& reader) {
  const std::string* const bytes = Text(reader, "layouts");
  return bytes == nullptr ? Hdf5Layouts() : ParseLayouts(*bytes);
}

std::vector<std::string> SampleFilesOf(const Node& node) {
  return IsSampleReader(node) ? PathsOf(node) : std::vector<std::string>();
}

}  // namespace dfrun
