#include "src/job/input_samples.h"

#include <algorithm>

#include "src/base/utf8.h"
#include "src/graph/location_prefix.h"
#include "src/spec/input_feeds.h"

namespace dfrun {
namespace {

// The bound of the files that a manifest names; a set of a million images has only their number there.
constexpr size_t kMaxFilesNamed = 1000;

std::vector<int64_t> SamplesByFile(const RecordIndex& record_index, size_t files) {
  std::vector<int64_t> samples(files);
  int64_t record = 0;
  auto left_out = record_index.left_out.begin();
  for (const RecordIndex::Piece& piece : record_index.pieces) {
    record += piece.records;
    const auto end = std::lower_bound(left_out, record_index.left_out.end(), record);
    samples[static_cast<size_t>(piece.file)] += piece.records - (end - left_out);
    left_out = end;
  }
  return samples;
}

// Describes the first difference between the two; "" where there is none.
std::string Difference(const SavedInput& saved, const SavedInput& now) {
  for (size_t i = 0; i < std::min(saved.files.size(), now.files.size()); ++i) {
    if (saved.files[i].samples == now.files[i].samples) continue;
    return StrCat("file ", now.files[i].path, " has ", now.files[i].samples, " samples, and ", saved.files[i].path,
                  " had ", saved.files[i].samples);
  }
  if (saved.files.size() != now.files.size() && !saved.files.empty() && !now.files.empty()) {
    const auto& longer = saved.files.size() > now.files.size() ? saved.files : now.files;
    const std::string& other = longer[std::min(saved.files.size(), now.files.size())].path;
    return StrCat("there are ", now.files.size(), " files with ", now.samples, " samples, and there were ",
                  saved.files.size(), " with ", saved.samples, ": ", other, " is one of the others");
  }
  if (saved.samples != now.samples)
    return StrCat("there are ", now.samples, " samples, and there were ", saved.samples);
  return "";
}

// The input's classes in the form that a manifest has.
std::vector<std::string> ClassesOf(const InputSpec& input) {
  std::vector<std::string> classes;
  for (const InputTensor& tensor : input.tensors) {
    if (!classes.empty()) break;
    for (const std::string& name : tensor.field.classes) classes.push_back(WellFormedUtf8(name));
  }
  return classes;
}

const SavedInput* FindSaved(const Manifest& manifest, const std::string& name) {
  const auto saved =
      std::find_if(manifest.inputs.begin(), manifest.inputs.end(), [&](const auto& i) { return i.name == name; });
  return saved == manifest.inputs.end() ? nullptr : &*saved;
}

}  // namespace

Status NameInput(const LoadedSpec& spec, const Status& status) {
  if (status.code() != Code::kNoInput) return status;
  for (const InputSpec& input : spec.job.inputs) {
    // The node may be a copy, "replica_1/NAME/read".
    const std::string read = StrCat(input.name, "/read' (op ");
    const size_t at = status.message().find(read);
    if (at == std::string::npos || at == 0 || (status.message()[at - 1] != '\'' && status.message()[at - 1] != '/'))
      continue;
    return status.Annotate(StrCat(LocationPrefix(spec.graph, input.location), "input '", input.name, "'"));
  }
  return status;
}

SavedInput SamplesOf(const InputSpec& input) {
  SavedInput out{input.name, input.num_samples, {}, ClassesOf(input)};
  const std::vector<std::string>& paths = input.config.files;
  if (paths.size() > kMaxFilesNamed) return out;
  const std::vector<int64_t> samples = SamplesByFile(input.record_index, paths.size());
  for (size_t i = 0; i < paths.size(); ++i) out.files.push_back({paths[i], samples[i]});
  return out;
}

std::vector<SavedInput> InputsToSave(const std::vector<InputSpec>& inputs, const std::vector<size_t>& advancing) {
  std::vector<SavedInput> saved;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool advances = std::find(advancing.begin(), advancing.end(), i) != advancing.end();
    if (advances || !ClassesOf(inputs[i]).empty()) saved.push_back(SamplesOf(inputs[i]));
  }
  return saved;
}

Status CheckSameSamples(const CheckpointStore::Checkpoint& checkpoint, const InputSpec& input) {
  const SavedInput* const saved = FindSaved(checkpoint.manifest, input.name);
  if (saved == nullptr) return Status();
  const std::string difference = Difference(*saved, SamplesOf(input));
  if (difference.empty()) return Status();
  return Error(Code::kBadSpec, "input '", input.name, "' is not what it was when the checkpoint ", checkpoint.directory,
               " was written: ", difference, "; bring the old data back, or begin anew with another --output");
}

Status CheckSameClasses(const std::string& directory, const Manifest& manifest, const InputSpec& input) {
  const SavedInput* const saved = FindSaved(manifest, input.name);
  if (saved == nullptr) return Status();
  const std::vector<std::string>& before = saved->classes;
  const std::vector<std::string> now = ClassesOf(input);
  const bool are_same = now.size() >= before.size() && std::equal(before.begin(), before.end(), now.begin());
  if (now.empty() || are_same) return Status();
  return Error(Code::kBadSpec, "input '", input.name, "' numbers the classes ", ListClasses(now),
               ", and when the checkpoint ", directory, " was written ", ListClasses(before),
               ": 'classes: [...]' of the input gives them the old numbers");
}

}  // namespace dfrun
