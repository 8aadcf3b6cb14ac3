#include "src/session/data_layouts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/storage/hdf5_file.h"

namespace dfrun {
namespace {

constexpr std::string_view kLayouts = "layouts";  // an attr of readers

bool FollowsAll(const Node& node) {
  const AttrValue* const value = node.attrs.Find("external");
  const bool* const external = value == nullptr ? nullptr : value->get<bool>();
  return external != nullptr && *external;
}

// Calls use(path, layout) for each file of which rank 0 has told the reader.
template <typename Use>
void ForEachLayout(const Node& node, const Hdf5Layouts& layouts, const Use& use) {
  const std::vector<std::string> paths = SampleFilesOf(node);
  for (size_t i = 0; i < std::min(paths.size(), layouts.files.size()); ++i) {
    if (!layouts.files[i].empty()) use(paths[i], ParseLayout(layouts.files[i]));
  }
}

// Whether a layout of rank 0's file is one of this rank's too, whose bytes are the same as far as they were compared.
bool IsSame(const SameFiles& same, const std::string& path, const FileVersion& own, const FileVersion& told) {
  const auto compared = same.find(path);
  if (compared == same.end() || !(compared->second == own)) return false;
  return told.bytes == own.bytes && (IsComparedWhole(own.bytes) || told.modified_ns == own.modified_ns);
}

// The places of all datasets that the question names; an empty layout where one cannot be found.
Result<Hdf5Layout> Look(const control::Layouts::File& question, const std::shared_ptr<Hdf5Helpers>& helpers) {
  DF_ASSIGN(const std::unique_ptr<Hdf5File> file,
            Hdf5File::Open(question.path(), {.follows_all = question.follows_all()}, helpers));
  for (const auto& [dataset, told] : ParseLayout(question.layout()).datasets) {
    DF_TRY(file->Inspect(dataset).status());
  }
  return file->layout();
}

}  // namespace

bool ReadsLayouts(const std::vector<Partition>& partitions) {
  return std::any_of(partitions.begin(), partitions.end(), [](const Partition& part) {
    const auto& nodes = part.graph.nodes();
    return part.rank != 0 && std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
             return !SampleFilesOf(node).empty() && !LayoutsOf(node).files.empty();
           });
  });
}

void DataLayouts::AddUnknown(const Graph& part, const SameFiles& same, control::Layouts& unknown) {
  unknown.set_host(HostId());
  if (HostId().empty()) return;
  std::set<std::pair<std::string, std::string>> asked;  // by path and question
  for (const Node& node : part.nodes()) {
    const Hdf5Layouts layouts = LayoutsOf(node);
    const bool is_host = layouts.host == HostId();
    ForEachLayout(node, layouts, [&](const std::string& path, Hdf5Layout layout) {
      const std::optional<FileVersion> own = VersionOfPath(path);
      if (!own || IsKnown(path, *own, layout)) return;
      const bool is_same = (is_host && layout.file == *own) || IsSame(same, path, *own, layout.file);
      layout.file = *own;
      if (is_same) return Know(path, layout);
      std::string question = SerializeLayout(layout);
      if (!asked.emplace(path, question).second) return;
      control::Layouts::File* const file = unknown.add_files();
      file->set_path(path);
      file->set_layout(std::move(question));
      file->set_follows_all(FollowsAll(node));
    });
  }
}

control::Layouts DataLayouts::Find(const google::protobuf::RepeatedPtrField<control::Layouts::File>& questions) {
  control::Layouts found;
  const auto helpers = std::make_shared<Hdf5Helpers>();
  for (const control::Layouts::File& question : questions) {
    control::Layouts::File* const answer = found.add_files();
    answer->set_path(question.path());
    // A file that cannot be read is an error of the reader, which then looks itself.
    const Result<Hdf5Layout> layout = Look(question, helpers);
    if (!layout.ok()) continue;
    Know(question.path(), *layout);
    answer->set_layout(SerializeLayout(*layout));
  }
  return found;
}

void DataLayouts::Know(const control::Layouts::File& found) {
  Know(found.path(), ParseLayout(found.layout()));
}

void DataLayouts::Know(const std::string& path, const Hdf5Layout& layout) {
  Hdf5Layout& known = known_[path];
  if (!(known.file == layout.file)) known = {.file = layout.file, .datasets = {}};
  for (const auto& [dataset, info] : layout.datasets) known.datasets[dataset] = info;
}

bool DataLayouts::IsKnown(const std::string& path, const FileVersion& own, const Hdf5Layout& wanted) const {
  const auto known = known_.find(path);
  return known != known_.end() && known->second.file == own && !Known(path, wanted).empty();
}

// The wanted datasets' places, serialized; empty where one is not known.
std::string DataLayouts::Known(const std::string& path, const Hdf5Layout& wanted) const {
  const auto known = known_.find(path);
  if (known == known_.end()) return "";
  Hdf5Layout layout{.file = known->second.file, .datasets = {}};
  for (const auto& [dataset, told] : wanted.datasets) {
    const auto info = known->second.datasets.find(dataset);
    if (info == known->second.datasets.end()) return "";
    layout.datasets[dataset] = info->second;
  }
  return SerializeLayout(layout);
}

void DataLayouts::Adopt(Graph& part) const {
  for (NodeId id = 0; id < part.num_nodes(); ++id) {
    const Node& node = part.node(id);
    const std::vector<std::string> paths = SampleFilesOf(node);
    Hdf5Layouts layouts = LayoutsOf(node);
    if (paths.empty() || layouts.files.size() != paths.size()) continue;
    layouts.host = HostId();
    for (size_t i = 0; i < paths.size(); ++i) {
      if (!layouts.files[i].empty()) layouts.files[i] = Known(paths[i], ParseLayout(layouts.files[i]));
    }
    part.mutable_node(id).attrs.Set(kLayouts, SerializeLayouts(layouts));
  }
}

}  // namespace dfrun
