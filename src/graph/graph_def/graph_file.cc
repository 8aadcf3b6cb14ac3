#include "src/graph/graph_def/graph_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/graph/graph_def/file_kind.h"
#include "src/graph/graph_def/graph_def_parse.h"
#include "src/graph/proto/meta_graph.pb.h"
#include "src/graph/proto/saved_model.pb.h"

namespace dfrun {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 31;  // protobuf's own limit
constexpr char kServe[] = "serve";

bool IsGraphDef(const proto::GraphDef& def) {
  return def.GetReflection()->GetUnknownFields(def).empty() &&
         std::none_of(def.node().begin(), def.node().end(),
                      [](const proto::NodeDef& node) { return node.name().empty() || node.op().empty(); });
}

bool IsMetaGraph(const proto::MetaGraphDef& def) {
  return def.has_graph_def() && IsGraphDef(def.graph_def());
}

bool IsSavedModel(const proto::SavedModel& model) {
  return model.meta_graphs_size() > 0 &&
         std::all_of(model.meta_graphs().begin(), model.meta_graphs().end(), IsMetaGraph);
}

bool HasTags(const proto::MetaGraphDef& def, std::vector<std::string> wanted) {
  std::vector<std::string> tags(def.meta_info_def().tags().begin(), def.meta_info_def().tags().end());
  std::sort(tags.begin(), tags.end());
  std::sort(wanted.begin(), wanted.end());
  return tags == wanted;
}

// One call of ReadGraphFile().
class Reader {
 public:
  Reader(std::string path, const std::vector<std::string>& tags, const OpRegistry& ops)
      : path_(std::move(path)), tags_(tags), ops_(ops) {}

  Result<GraphFile> Run() {
    Result<FileIdentity> identity = IdentifyFile(path_);
    if (identity.status().code() == Code::kNotFound) return IoError(identity.status().message());
    DF_TRY(identity.status());
    if (identity->kind == FileKind::kSavedModel) {
      path_ = SavedModelFileIn(path_);
      identity = IdentifyFile(path_);
      DF_TRY(identity.status());
    }
    DF_TRY(CheckMayBeGraph(*identity));
    DF_ASSIGN(data_, ReadFile(path_, kMaxBytes));
    return identity->kind == FileKind::kProtobuf ? ReadBinary() : ReadText(identity->kind);
  }

 private:
  Status CheckMayBeGraph(const FileIdentity& identity) const {
    switch (identity.kind) {
      case FileKind::kProtobuf:
      case FileKind::kGraphText:
      case FileKind::kMetaGraphText:
      case FileKind::kSavedModelText:
        return Status();
      default:
        return Error(Code::kBadSpec, path_, ": this is ", identity.what, ", no graph",
                     identity.advice.empty() ? "" : "; ", identity.advice);
    }
  }

  Status AtFile(const Status& status) const { return Error(Code::kBadSpec, path_, ": ", status.message()); }

  Result<GraphFile> ReadBinary() {
    google::protobuf::Arena arena;
    auto& def = *google::protobuf::Arena::CreateMessage<proto::GraphDef>(&arena);
    const Status is_graph = ParseGraphDef(data_, GraphDefFormat::kBinary, def);
    if (is_graph.ok() && IsGraphDef(def)) return Import(def, {});
    auto& saved = *google::protobuf::Arena::CreateMessage<proto::SavedModel>(&arena);
    if (ParseMessage(data_, GraphDefFormat::kBinary, saved).ok() && IsSavedModel(saved)) return FromSavedModel(saved);
    auto& meta = *google::protobuf::Arena::CreateMessage<proto::MetaGraphDef>(&arena);
    if (ParseMessage(data_, GraphDefFormat::kBinary, meta).ok() && IsMetaGraph(meta)) return FromMetaGraph(meta, "");
    if (!is_graph.ok()) return AtFile(is_graph);
    return Import(def, {});  // the import describes the faults of its nodes
  }

  Result<GraphFile> ReadText(FileKind kind) {
    google::protobuf::Arena arena;
    if (kind == FileKind::kSavedModelText) {
      auto& saved = *google::protobuf::Arena::CreateMessage<proto::SavedModel>(&arena);
      if (Status s = ParseMessage(data_, GraphDefFormat::kText, saved); !s.ok()) return AtFile(s);
      return FromSavedModel(saved);
    }
    if (kind == FileKind::kMetaGraphText) {
      auto& meta = *google::protobuf::Arena::CreateMessage<proto::MetaGraphDef>(&arena);
      if (Status s = ParseMessage(data_, GraphDefFormat::kText, meta); !s.ok()) return AtFile(s);
      return FromMetaGraph(meta, "");
    }
    auto& def = *google::protobuf::Arena::CreateMessage<proto::GraphDef>(&arena);
    if (Status s = ParseGraphDef(data_, GraphDefFormat::kText, def); !s.ok()) return AtFile(s);
    return Import(def, {});
  }

  Result<GraphFile> FromSavedModel(proto::SavedModel& model) {
    DF_ASSIGN(proto::MetaGraphDef* const chosen, Choose(model));
    const std::string parent = std::filesystem::path(path_).parent_path().string();
    return FromMetaGraph(*chosen, parent.empty() ? "." : parent);
  }

  Result<proto::MetaGraphDef*> Choose(proto::SavedModel& model) const {
    if (tags_.empty() && model.meta_graphs_size() == 1) return model.mutable_meta_graphs(0);
    const std::vector<std::string> wanted = tags_.empty() ? std::vector<std::string>{kServe} : tags_;
    std::string there;
    for (proto::MetaGraphDef& def : *model.mutable_meta_graphs()) {
      if (HasTags(def, wanted)) return &def;
      const auto& tags = def.meta_info_def().tags();
      there += StrCat(there.empty() ? "" : ", ", PrintTags({tags.begin(), tags.end()}));
    }
    return Error(Code::kUsage, path_, " has no graph of the tags ", PrintTags(wanted), "; give one of ", there,
                 " by --tag, once for each tag");
  }

  Result<GraphFile> FromMetaGraph(proto::MetaGraphDef& def, const std::string& directory) {
    Result<MetaGraph> meta = ReadMetaGraph(def, directory);
    if (!meta.ok()) return AtFile(meta.status());
    if (directory.empty() && !tags_.empty()) {
      return Error(Code::kUsage, "--tag chooses among the graphs of a SavedModel, and '", path_, "' has one alone");
    }
    const std::string values = directory + "/variables";
    if (!directory.empty() && std::filesystem::exists(values + "/variables.index")) meta->values = values;
    return Import(*def.mutable_graph_def(), *std::move(meta));
  }

  Result<GraphFile> Import(proto::GraphDef& def, std::optional<MetaGraph> meta) {
    if (!meta && !tags_.empty()) {
      return Error(Code::kUsage, "--tag chooses among the graphs of a SavedModel, and '", path_, "' is a graph");
    }
    Result<Graph> graph = ImportParsed(def, ops_);
    if (!graph.ok()) return AtFile(graph.status());
    return GraphFile{*std::move(graph), std::move(meta)};
  }

  std::string path_;
  const std::vector<std::string>& tags_;
  const OpRegistry& ops_;
  std::string data_;
};

}  // namespace

Result<GraphFile> ReadGraphFile(const std::string& path, const std::vector<std::string>& tags, const OpRegistry& ops) {
  return Reader(path, tags, ops).Run();
}

}  // namespace dfrun
