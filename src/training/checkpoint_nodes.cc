#include "src/training/checkpoint_nodes.h"

#include <algorithm>

#include "src/checkpoint/tensorflow_files.h"
#include "src/framework/device/device_factory.h"
#include "src/training/variable_copies.h"

namespace dfrun {
namespace {

// Attrs by which the nodes of a shard describe its tensors.
struct ShardAttrs {
  std::vector<std::string> names;
  std::vector<PartialShape> shapes;
  std::vector<DType> dtypes;
};

ShardAttrs AttrsOf(const std::vector<const Kept*>& members) {
  ShardAttrs attrs;
  for (const Kept* kept : members) {
    for (const StatePart& part : kept->parts) {
      attrs.names.push_back(part.name);
      attrs.shapes.push_back(part.shape);
      attrs.dtypes.push_back(part.dtype);
    }
  }
  return attrs;
}

// Whether a value that is not finite must not be saved. States may hold any value: the elements of a queue are no
// result.
bool IsChecked(const JobGraphDraft& draft, const Kept& kept) {
  const DType dtype = kept.parts[0].dtype;
  if (!kept.is_variable || (!IsFloating(dtype) && !IsComplex(dtype))) return false;
  return std::none_of(draft.spec.variables.begin(), draft.spec.variables.end(),
                      [&](const VariableSpec& v) { return !v.finite && draft.shared.nodes.at(v.node) == kept.source; });
}

void AddCheck(const std::vector<const Kept*>& members, JobGraphDraft& draft, GraphOps& ops) {
  std::vector<Output> values;
  std::vector<std::string> names;
  for (const Kept* kept : members) {
    if (!IsChecked(draft, *kept)) continue;
    values.push_back({kept->source, 0});
    names.push_back(kept->of);
  }
  if (values.empty()) return;
  draft.job.not_finite.fetches.push_back(ops.Add("check", "_NotFiniteValues", std::move(values), {{"names", names}}));
}

// The nodes that give a member its state back, from the outputs of a RestoreShard from `first` on, on its device.
Status AddRestored(const Kept& kept, Output first, GraphOps& ops, JobGraphDraft& draft) {
  JobGraph& job = draft.job;
  const Node source = job.graph.node(kept.source);
  std::vector<Output> inputs = kept.restore_inputs;
  for (size_t i = 0; i < kept.parts.size(); ++i, ++first.port) inputs.push_back(first);
  ops.set_device(source.device);
  const Output restored = ops.Add(kept.is_variable ? "restore/assign" : "restore/state", kept.restore_op,
                                  std::move(inputs), kept.is_variable ? AttrMap() : source.attrs);
  DF_TRY(ops.status());
  job.graph.mutable_node(restored.node).colocate_with = source.name;
  const auto before = static_cast<std::ptrdiff_t>(job.restore.targets.size());
  job.restore.targets.push_back(restored.node);
  if (kept.is_variable) DF_TRY(AssignCopies(draft, kept.source, restored, job.restore));
  KeptState state{.of = kept.of, .is_variable = kept.is_variable, .parts = kept.parts};
  state.restore.assign(job.restore.targets.begin() + before, job.restore.targets.end());
  if (kept.is_variable) state.begin = draft.first_assigns[kept.source];
  state.slot_of = kept.slot_of;
  job.kept.push_back(std::move(state));
  return Status();
}

// Whether a shard needs a file of texts for TensorFlow.
bool HoldsTexts(const JobGraphDraft& draft, const std::vector<const Kept*>& members) {
  if (!draft.spec.checkpoint || !draft.spec.checkpoint->tensorflow) return false;
  return std::any_of(members.begin(), members.end(), [](const Kept* kept) {
    return std::any_of(kept->parts.begin(), kept->parts.end(),
                       [](const StatePart& part) { return part.dtype == DType::kString; });
  });
}

// Values that the nodes of all shards are fed.
struct ShardFeeds {
  Output directory;
  Output left_out;
};

// The files of a shard; the second is empty where there is none for texts.
struct ShardFiles {
  std::string shard;
  std::string texts;
};

Status AddShard(const std::vector<const Kept*>& members, const ShardFiles& files, const ShardFeeds& feeds,
                GraphOps& ops, JobGraphDraft& draft) {
  const ShardAttrs attrs = AttrsOf(members);
  std::vector<Output> values = {feeds.directory};
  for (const Kept* kept : members) {
    for (size_t i = 0; i < kept->parts.size(); ++i) values.push_back({kept->source, static_cast<int32_t>(i)});
  }
  draft.job.save.fetches.push_back(
      ops.Add("save", "SaveShard", values, {{"names", attrs.names}, {"file", files.shard}, {"texts", files.texts}}));
  Output restored = ops.Add("restore", "RestoreShard", {feeds.directory, feeds.left_out},
                            {{"names", attrs.names}, {"dtypes", attrs.dtypes}, {"shapes", attrs.shapes}});
  DF_TRY(ops.status());
  for (const Kept* kept : members) {
    DF_TRY(AddRestored(*kept, restored, ops, draft));
    restored.port += static_cast<int32_t>(kept->parts.size());
  }
  return Status();
}

// A part of a state has a name that no node need have: that of a variable may be the same.
Status CheckNames(const JobGraphDraft& draft) {
  std::map<std::string_view, const Kept*> owners;
  for (const Kept& kept : draft.kept) {
    for (const StatePart& part : kept.parts) {
      const auto [other, is_new] = owners.emplace(part.name, &kept);
      if (is_new) continue;
      const Graph& graph = draft.job.graph;
      return InvalidArgument(graph.Describe(graph.Find(kept.of)), " and '", other->second->of, "' would both be '",
                             part.name, "' in a checkpoint: rename one of them");
    }
  }
  return Status();
}

}  // namespace

Result<std::string> HostOf(const std::string& device) {
  DF_ASSIGN(DeviceName name, DeviceName::Parse(device));
  name.type = HostDeviceType();
  name.index = 0;
  return name.ToString();
}

Status AddSaveAndRestore(JobGraphDraft& draft) {
  DF_TRY(CheckNames(draft));
  JobGraph& job = draft.job;
  std::map<std::string, std::vector<const Kept*>> by_device;
  for (const Kept& kept : draft.kept) {
    DF_ASSIGN(const std::string host, HostOf(job.graph.node(kept.source).device));
    by_device[host].push_back(&kept);
  }
  GraphOps ops(job.graph, "checkpoint", draft.workers[0]);
  const auto feed = [&](const char* name, const PartialShape& shape) {
    return ops.Add(name, "Placeholder", {}, {{"dtype", DType::kString}, {"shape", shape}});
  };
  const PartialShape names({PartialShape::kUnknown});
  const ShardFeeds feeds{feed("directory", PartialShape::Scalar()), feed("left_out", names)};
  job.save.feeds = {feeds.directory};
  job.save.feed_shapes = {PartialShape::Scalar()};
  job.restore.feeds = {feeds.directory, feeds.left_out};
  job.restore.feed_shapes = {PartialShape::Scalar(), names};
  std::vector<bool> has_texts;
  for (const auto& [device, members] : by_device) has_texts.push_back(HoldsTexts(draft, members));
  const std::vector<std::string> texts = NamesOfTextsFiles(has_texts);
  size_t shard = 0;
  for (const auto& [device, members] : by_device) {
    ops.set_device(device);
    AddCheck(members, draft, ops);
    DF_TRY(AddShard(members, {StrCat("shard-", shard, ".h5"), texts[shard]}, feeds, ops, draft));
    ++shard;
  }
  return ops.status();
}

}  // namespace dfrun
