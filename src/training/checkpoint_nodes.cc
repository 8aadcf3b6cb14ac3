#include "src/training/checkpoint_nodes.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/checkpoint/tensorflow_files.h"
#include "src/framework/device/device_factory.h"
#include "src/training/variable_copies.h"

namespace dfrun {
namespace {

using ShardMembers = std::vector<const Kept*>;
using ShardMembersByHost = std::map<std::string, ShardMembers>;

// Attrs by which the nodes of a shard describe its tensors.
struct ShardAttrs {
  std::vector<std::string> names;
  std::vector<PartialShape> shapes;
  std::vector<DType> dtypes;
};

ShardAttrs AttrsOf(const ShardMembers& members) {
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
  const std::string& name = kept.copy_of.empty() ? kept.of : kept.copy_of;
  return std::none_of(draft.spec.variables.begin(), draft.spec.variables.end(),
                      [&](const VariableSpec& v) { return !v.finite && draft.model.node(v.node).name == name; });
}

void AddCheck(const ShardMembers& members, JobGraphDraft& draft, GraphOps& ops) {
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

// Copies that are kept themselves.
struct KeptCopies {
  explicit KeptCopies(const JobGraphDraft& draft) {
    for (const Kept& kept : draft.kept) sources.insert(kept.source);
  }

  std::set<NodeId> sources;              // nodes of all that is kept
  std::map<std::string, NodeId> copied;  // by their names: the node that gives one the restored value of its original
};

// Gives the copies of a variable its restored value; those that are kept themselves get it where the checkpoint lacks
// them.
Status RestoreCopies(NodeId variable, Output restored, JobGraphDraft& draft, KeptCopies& copies) {
  RunSignature assigned;
  DF_TRY(AssignCopies(draft, variable, restored, assigned));
  const Graph& graph = draft.job.graph;
  for (const NodeId node : assigned.targets) {
    const NodeId copy = graph.node(node).inputs[0].node;
    if (copies.sources.contains(copy)) {
      copies.copied[graph.node(copy).name] = node;
    } else {
      draft.job.restore.targets.push_back(node);
    }
  }
  return Status();
}

// The nodes that give a member its state back, from the outputs of a RestoreShard from `first` on, on its device.
Status AddRestored(const Kept& kept, Output first, GraphOps& ops, JobGraphDraft& draft, KeptCopies& copies) {
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
  if (kept.is_variable) DF_TRY(RestoreCopies(kept.source, restored, draft, copies));
  KeptState state{.of = kept.of, .is_variable = kept.is_variable, .parts = kept.parts};
  state.restore.assign(job.restore.targets.begin() + before, job.restore.targets.end());
  if (kept.is_variable) state.begin = draft.first_assigns[kept.source];
  state.slot_of = kept.slot_of;
  state.of_strategy = kept.of_strategy;
  state.between_syncs = kept.between_syncs;
  state.copy_of = kept.copy_of;
  job.kept.push_back(std::move(state));
  return Status();
}

// Whether a shard needs a file of texts for TensorFlow.
bool HoldsTexts(const JobGraphDraft& draft, const ShardMembers& members) {
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

void AddSave(const ShardMembers& members, const ShardFiles& files, Output directory, GraphOps& ops,
             RunSignature& save) {
  std::vector<Output> values = {directory};
  for (const Kept* kept : members) {
    for (size_t i = 0; i < kept->parts.size(); ++i) values.push_back({kept->source, static_cast<int32_t>(i)});
  }
  save.fetches.push_back(ops.Add("save", "SaveShard", values,
                                 {{"names", AttrsOf(members).names}, {"file", files.shard}, {"texts", files.texts}}));
}

// Adds the nodes that save these members, a shard a host.
Status AddSaves(const ShardMembersByHost& members, Output directory, JobGraphDraft& draft, RunSignature& save) {
  save.feeds = {directory};
  save.feed_shapes = {PartialShape::Scalar()};
  GraphOps ops(draft.job.graph, "checkpoint");
  std::vector<bool> has_texts;
  for (const auto& [host, of_host] : members) has_texts.push_back(HoldsTexts(draft, of_host));
  const std::vector<std::string> texts = NamesOfTextsFiles(has_texts);
  size_t shard = 0;
  for (const auto& [host, of_host] : members) {
    ops.set_device(host);
    AddSave(of_host, {StrCat("shard-", shard, ".h5"), texts[shard]}, directory, ops, save);
    ++shard;
  }
  return ops.status();
}

Status AddRestore(const ShardMembers& members, const ShardFeeds& feeds, GraphOps& ops, JobGraphDraft& draft,
                  KeptCopies& copies) {
  const ShardAttrs attrs = AttrsOf(members);
  Output restored = ops.Add("restore", "RestoreShard", {feeds.directory, feeds.left_out},
                            {{"names", attrs.names}, {"dtypes", attrs.dtypes}, {"shapes", attrs.shapes}});
  DF_TRY(ops.status());
  for (const Kept* kept : members) {
    DF_TRY(AddRestored(*kept, restored, ops, draft, copies));
    restored.port += static_cast<int32_t>(kept->parts.size());
  }
  return Status();
}

// The members that every checkpoint has, of the hosts that have any.
ShardMembersByHost WithoutThoseBetweenSyncs(ShardMembersByHost members) {
  for (auto& [host, of_host] : members) std::erase_if(of_host, [](const Kept* kept) { return kept->between_syncs; });
  std::erase_if(members, [](const auto& entry) { return entry.second.empty(); });
  return members;
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
  ShardMembersByHost by_host;
  for (const Kept& kept : draft.kept) {
    DF_ASSIGN(const std::string host, HostOf(job.graph.node(kept.source).device));
    by_host[host].push_back(&kept);
  }
  GraphOps ops(job.graph, "checkpoint", draft.workers[0]);
  const auto feed = [&](const char* name, const PartialShape& shape) {
    return ops.Add(name, "Placeholder", {}, {{"dtype", DType::kString}, {"shape", shape}});
  };
  const PartialShape names({PartialShape::kUnknown});
  const ShardFeeds feeds{feed("directory", PartialShape::Scalar()), feed("left_out", names)};
  job.restore.feeds = {feeds.directory, feeds.left_out};
  job.restore.feed_shapes = {PartialShape::Scalar(), names};
  DF_TRY(AddSaves(WithoutThoseBetweenSyncs(by_host), feeds.directory, draft, job.save));
  if (job.sync_every > 0) DF_TRY(AddSaves(by_host, feeds.directory, draft, job.save_between_syncs));
  KeptCopies copies(draft);
  for (const auto& [host, members] : by_host) {
    ops.set_device(host);
    AddCheck(members, draft, ops);
    DF_TRY(AddRestore(members, feeds, ops, draft, copies));
  }
  for (KeptState& state : job.kept) {
    if (const auto node = copies.copied.find(state.of); node != copies.copied.end()) state.copied = {node->second};
  }
  return ops.status();
}

}  // namespace dfrun
