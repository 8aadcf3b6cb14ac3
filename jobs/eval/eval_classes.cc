#include "jobs/eval/eval_classes.h"

#include <algorithm>

#include "src/checkpoint/manifest_file.h"
#include "src/job/input_samples.h"

namespace dfrun::jobs {
namespace {

// Returns the nodes of tensors that number classes.
std::vector<std::string> LabelsOf(const JobSpec& job) {
  std::vector<std::string> names;
  for (const InputSpec& input : job.inputs) {
    for (const InputTensor& tensor : input.tensors) {
      if (!tensor.field.classes.empty()) names.push_back(StrCat(input.name, "/", tensor.name));
    }
  }
  return names;
}

// Returns whether a run needs one of these nodes, or a copy of it, "evaluation/NAME".
Result<bool> Needs(const Graph& graph, const RunSignature& run, const std::vector<std::string>& names) {
  DF_ASSIGN(const Graph needed, PruneForRun(graph, run));
  const auto is_one = [](const std::string& node, const std::string& name) {
    return node == name || node.ends_with("/" + name);
  };
  return std::any_of(needed.nodes().begin(), needed.nodes().end(), [&](const Node& node) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return is_one(node.name, name); });
  });
}

}  // namespace

Status CheckClassesOfCheckpoint(const Model& model, const std::string& directory,
                                const std::vector<const RunSignature*>& runs) {
  if (!model.job) return Status();
  const std::vector<std::string> labels = LabelsOf(*model.job);
  bool reads_labels = false;
  for (const RunSignature* run : runs) {
    DF_ASSIGN(const bool reads, Needs(model.graph, *run, labels));
    reads_labels = reads_labels || reads;
  }
  if (!reads_labels) return Status();
  DF_ASSIGN(const Manifest manifest, ReadManifest(directory));
  for (const InputSpec& input : model.job->inputs) DF_TRY(CheckSameClasses(directory, manifest, input));
  return Status();
}

}  // namespace dfrun::jobs
